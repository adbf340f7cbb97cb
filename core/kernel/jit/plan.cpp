#include "core/kernel/jit/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/kernel/launch/chunk_pipeline.hpp"

namespace kernelbatch {
namespace {

std::string element_type(const Argument& argument) {
  return std::string(info(argument.dtype()).c_name);
}

/// The type under which an argument is passed to a template parameter.
std::string argument_type(const Argument& argument) {
  if (!argument.is_array()) return element_type(argument);
  return fmt::format("kernelbatch::array_view<{}, {}, {}>", element_type(argument),
                     argument.array().axes(), argument.array().is_contiguous());
}

std::size_t view_bytes(const Array& array) {
  return sizeof(std::int64_t) * (2 + 2 * static_cast<std::size_t>(std::max(1, array.axes())));
}

/// Data, size, shape…, strides… of the prelude's array_view.
void write_view(const Array& array, std::byte* to) {
  const auto put = [&](std::int64_t word) {
    std::memcpy(to, &word, sizeof word);
    to += sizeof word;
  };
  put(reinterpret_cast<std::int64_t>(array.data()));
  put(array.size());
  for (const std::int64_t extent : array.shape()) put(extent);
  if (array.axes() == 0) put(1);
  for (const std::int64_t stride : array.strides()) put(stride);
  if (array.axes() == 0) put(0);
}

/// Template arguments in order: from what the parameters bind, else from the constants; the rest
/// has defaults.
std::string template_arguments(const JitSource& source, const std::string& entry,
                               const std::vector<std::pair<std::string, std::string>>& constants,
                               std::span<const Argument> arguments) {
  std::vector<std::string> bound(source.templates.size());
  for (std::size_t k = 0; k < source.parameters.size(); ++k) {
    const JitParameter& parameter = source.parameters[k];
    if (parameter.bound < 0) continue;
    const std::string type = parameter.kind == JitParameter::Kind::kDeduced
                                 ? argument_type(arguments[k])
                                 : element_type(arguments[k]);
    std::string& slot = bound[static_cast<std::size_t>(parameter.bound)];
    if (!slot.empty() && slot != type)
      throw SpecError(fmt::format(
          "the template parameter '{}' of '{}' would be {} and {}: its arguments must agree",
          source.templates[static_cast<std::size_t>(parameter.bound)].name, entry, slot, type));
    slot = type;
  }
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

JitSignature::JitSignature(std::span<const Argument> arguments, const Device& device,
                           const std::string& kernel)
    : device_(&device), count_(static_cast<std::uint32_t>(arguments.size())) {
  if (arguments.size() > kMostArguments)
    throw SpecError(fmt::format("'{}' was given {} arguments; {} are the most", kernel,
                                arguments.size(), kMostArguments));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    std::uint32_t code = static_cast<std::uint32_t>(arguments[k].dtype());
    if (arguments[k].is_array()) {
      const Array& array = arguments[k].array();
      refuse_staged(arguments[k], kernel);
      if (array.device() != &device)
        throw SpecError(
            fmt::format("argument {} of '{}' is not on the stream's device", k + 1, kernel));
      code |= 1u << 8 | static_cast<std::uint32_t>(array.axes()) << 16 |
              (array.is_contiguous() ? 1u << 9 : 0u);
    }
    code_[k] = code;
  }
}

bool JitSignature::operator==(const JitSignature& other) const noexcept {
  return device_ == other.device_ && count_ == other.count_ &&
         std::equal(code_.begin(), code_.begin() + count_, other.code_.begin());
}

JitPlan::JitPlan(const JitSource& source, const std::string& entry, const std::string& text,
                 const std::vector<std::string>& options,
                 const std::vector<std::pair<std::string, std::string>>& constants,
                 std::span<const Argument> arguments, Device& device, JitSignature signature)
    : signature_(signature), kernel_name_(entry) {
  if (arguments.size() != source.parameters.size())
    throw SpecError(fmt::format("kernel '{}' takes {} arguments, {} were given", entry,
                                source.parameters.size(), arguments.size()));
  for (std::size_t k = 0; k < arguments.size(); ++k)
    slots_.push_back(slot_of(source.parameters[k], arguments[k], k));
  const std::string instance = template_arguments(source, entry, constants, arguments);
  KernelSource kernel;
  kernel.name = entry;
  kernel.text = text + source.text;
  kernel.entries = {instance};
  kernel.options = options;
  program_ = std::make_unique<Program>(std::move(kernel));
  kernel_ = &program_->kernel(device, instance);
  require_sizes();
}

JitPlan::Slot JitPlan::slot_of(const JitParameter& parameter, const Argument& argument,
                               std::size_t at) const {
  using enum JitParameter::Kind;
  const std::string name = fmt::format("{} of {}", at + 1, kernel_name_);
  const auto refuse = [&](std::string_view wanted) {
    throw SpecError(fmt::format("argument {} of '{}' is {} of {}, the parameter '{}' takes {}",
                                at + 1, kernel_name_, argument.is_array() ? "an array" : "a scalar",
                                name_of(argument.dtype()), parameter.text, wanted));
  };
  const bool is_elements = parameter.kind == kPointer || parameter.kind == kView;
  if (is_elements && !argument.is_array()) refuse("an array");
  if (parameter.kind == kScalar && argument.is_array()) refuse("a scalar");
  if (is_elements && parameter.dtype && *parameter.dtype != argument.dtype())
    refuse(fmt::format("an array of {}", name_of(*parameter.dtype)));
  if (parameter.kind == kPointer) {
    if (!argument.array().is_contiguous())
      throw SpecError(fmt::format(
          "argument {} of '{}' is an array that is not contiguous: a plain pointer would lose its "
          "strides; pass a contiguous copy or take it as `auto`",
          at + 1, kernel_name_));
    return {Form::kPointer, argument.dtype(), sizeof(void*), name};
  }
  if (argument.is_array())
    return {Form::kView, argument.dtype(), view_bytes(argument.array()), name};
  const DType dtype = parameter.kind == kScalar ? *parameter.dtype : argument.dtype();
  return {Form::kScalar, dtype, size_of(dtype), name};
}

void JitPlan::require_sizes() const {
  const std::span<const std::size_t> wanted = kernel_->parameter_sizes();
  if (wanted.size() != slots_.size())
    throw SpecError(fmt::format("kernel '{}' takes {} arguments, {} were given", kernel_name_,
                                wanted.size(), slots_.size()));
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (wanted[k] != slots_[k].size)
      throw SpecError(fmt::format("argument {} of '{}' has {} bytes, the kernel's parameter {}",
                                  k + 1, kernel_name_, slots_[k].size, wanted[k]));
}

void JitPlan::launch(const LaunchShape& shape, std::span<const Argument> arguments,
                     Stream& stream) const {
  constexpr std::size_t kAlignment = 16;
  constexpr std::size_t kInlineBytes = 4096;
  alignas(kAlignment) std::array<std::byte, kInlineBytes> room;
  std::array<void*, JitSignature::kMostArguments> addresses;
  std::vector<std::byte> large;  // only for many arrays of many axes
  std::byte* bytes = room.data();
  std::size_t total = 0;
  for (const Slot& slot : slots_) total += (slot.size + kAlignment - 1) / kAlignment * kAlignment;
  if (total > kInlineBytes) {
    large.resize(total);
    bytes = large.data();
  }
  std::size_t at = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& slot = slots_[k];
    std::byte* to = bytes + at;
    if (slot.form == Form::kScalar) {
      arguments[k].write_scalar(slot.dtype, to, slot.name);
    } else if (slot.form == Form::kView) {
      write_view(arguments[k].array(), to);
    } else {
      void* data = arguments[k].array().data();
      std::memcpy(to, &data, sizeof data);
    }
    addresses[k] = to;
    at += (slot.size + kAlignment - 1) / kAlignment * kAlignment;
  }
  kernel_->launch(shape, std::span(addresses).first(slots_.size()), stream);
}

}  // namespace kernelbatch
