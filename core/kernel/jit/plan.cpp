#include "core/kernel/jit/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/launch/chunk_pipeline.hpp"

namespace kernelbatch {
namespace {

using Kind = FormalParameter::Kind;

std::string element_type(const Argument& argument) {
  return std::string(info(argument.dtype()).c_name);
}

/// The type under which an argument is passed to a template parameter.
std::string argument_type(const Argument& argument, std::size_t at, const std::string& kernel) {
  switch (argument.kind()) {
    case Argument::Kind::kArray:
      return view_type(argument.array(), element_type(argument));
    case Argument::Kind::kPointer:
      return element_type(argument) + "*";
    case Argument::Kind::kScalar:
    case Argument::Kind::kTexture:
    case Argument::Kind::kSurface:
      return element_type(argument);
    case Argument::Kind::kNull:
    case Argument::Kind::kBytes:
      break;
  }
  throw SpecError(
      fmt::format("argument {} of '{}' is {}, from which no type follows: give the "
                  "parameter a type",
                  at + 1, kernel, argument.describe()));
}

/// Sets a deduced parameter's type to that of its argument.
void deduce(FormalParameter& formal, const Argument& argument) {
  formal.dtype = argument.dtype();
  switch (argument.kind()) {
    case Argument::Kind::kArray:
      formal.kind = Kind::kView;
      formal.rank = argument.array().axes();
      break;
    case Argument::Kind::kPointer:
      formal.kind = Kind::kPointer;
      break;
    case Argument::Kind::kTexture:
      formal.kind = Kind::kTexture;
      break;
    case Argument::Kind::kSurface:
      formal.kind = Kind::kSurface;
      break;
    default:
      formal.kind = Kind::kScalar;
  }
}

/// Template arguments in order: from the bound parameters, else from the constants; others use
/// their defaults.
std::string instance_of(const JitSource& source, const std::string& entry,
                        const ConstantTexts& constants, std::vector<std::string> bound) {
  for (std::size_t k = 0; k < bound.size(); ++k)
    for (const auto& [name, value] : constants)
      if (bound[k].empty() && !source.templates[k].is_type && source.templates[k].name == name)
        bound[k] = value;
  std::string list;
  for (std::size_t k = 0; k < bound.size(); ++k) {
    if (bound[k].empty() && source.templates[k].has_default) {
      const bool is_last = std::all_of(bound.begin() + static_cast<std::ptrdiff_t>(k), bound.end(),
                                       [](const std::string& each) { return each.empty(); });
      if (is_last) break;
    }
    if (bound[k].empty())
      throw SpecError(fmt::format(
          "the template parameter '{}' of '{}' follows from no argument: give a parameter that "
          "type, or a number by that name in `constants`",
          source.templates[k].name, entry));
    list += (list.empty() ? "" : ", ") + bound[k];
  }
  return list.empty() ? entry : fmt::format("{}<{}>", entry, list);
}

}  // namespace

JitInstance::JitInstance(const JitSource& source, const std::string& entry,
                         const ConstantTexts& constants, std::span<const Argument> arguments)
    : parameters(source.parameters) {
  if (arguments.size() != parameters.size())
    throw SpecError(fmt::format("kernel '{}' takes {} arguments, {} were given", entry,
                                parameters.size(), arguments.size()));
  std::vector<std::string> bound(source.templates.size());
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    FormalParameter& formal = parameters[k];
    refuse_staged(arguments[k], entry);
    require_fitting(arguments[k], formal, k, entry, kJitRules);
    const bool is_deduced = formal.kind == Kind::kDeduced;
    if (formal.bound >= 0) {
      const auto at = static_cast<std::size_t>(formal.bound);
      const std::string type =
          is_deduced ? argument_type(arguments[k], k, entry) : element_type(arguments[k]);
      if (!bound[at].empty() && bound[at] != type)
        throw SpecError(fmt::format(
            "the template parameter '{}' of '{}' would be {} and {}: its arguments must agree",
            source.templates[at].name, entry, bound[at], type));
      bound[at] = type;
    }
    // A type that only the compiler knows may be a view: pass arrays as views.
    const bool may_be_view =
        formal.kind == Kind::kUnknown && arguments[k].kind() == Argument::Kind::kArray;
    if (is_deduced || may_be_view) deduce(formal, arguments[k]);
  }
  name = instance_of(source, entry, constants, std::move(bound));
}

JitPlan::JitPlan(const JitSource& source, const std::string& entry, const std::string& text,
                 const std::vector<std::string>& options, const ConstantTexts& constants,
                 std::span<const Argument> arguments, Device& device)
    : signature_(arguments, device) {
  JitInstance instance(source, entry, constants, arguments);
  KernelSource kernel;
  kernel.name = entry;
  kernel.text = text + source.text;
  kernel.entries = {instance.name};
  kernel.options = options;
  program_ = std::make_unique<Program>(std::move(kernel));
  kernel_ = &program_->kernel(device, instance.name);
  parameters_ = std::make_unique<KernelParameters>(entry, std::move(instance.parameters),
                                                   kernel_->parameter_sizes(), kJitRules);
  parameters_->check(arguments, device);
}

void JitPlan::launch(const LaunchShape& shape, std::span<const Argument> arguments,
                     Stream& stream) const {
  ArgumentBlock block;
  parameters_->pack(arguments, block);
  kernel_->launch(shape, block.addresses(), stream);
}

}  // namespace kernelbatch
