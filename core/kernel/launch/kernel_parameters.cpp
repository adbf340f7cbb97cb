#include "core/kernel/launch/kernel_parameters.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/kernel/launch/chunk_pipeline.hpp"
#include "core/kernel/launch/mdspan_argument.hpp"

namespace kernelbatch {
namespace {

using Kind = FormalParameter::Kind;

/// "float32" or, if the argument is of another kind, "an array of float32".
std::string wanted(const FormalParameter& formal, bool kind_fits) {
  const std::string dtype = formal.dtype ? std::string(name_of(*formal.dtype)) : "";
  switch (formal.kind) {
    case Kind::kScalar:
      return kind_fits ? dtype : "a scalar of " + dtype;
    case Kind::kPointer:
      if (!formal.dtype) return "an array";
      [[fallthrough]];
    case Kind::kView:
    case Kind::kMdspan:
      return kind_fits ? dtype : "an array of " + dtype;
    case Kind::kTexture:
      return "a texture";
    case Kind::kSurface:
    case Kind::kUnknown:
    case Kind::kDeduced:
      break;
  }
  return "a surface";
}

bool kind_fits(const Argument& argument, const FormalParameter& formal) {
  switch (argument.kind()) {
    case Argument::Kind::kScalar:
      return formal.kind == Kind::kScalar;
    case Argument::Kind::kArray:
      return formal.kind == Kind::kPointer || formal.kind == Kind::kView ||
             formal.kind == Kind::kMdspan;
    case Argument::Kind::kPointer:
    case Argument::Kind::kNull:
      return formal.kind == Kind::kPointer;
    case Argument::Kind::kTexture:
      return formal.kind == Kind::kTexture;
    case Argument::Kind::kSurface:
      return formal.kind == Kind::kSurface;
    case Argument::Kind::kBytes:
      break;
  }
  return true;  // a struct is only as right as its size
}

bool is_view(const Argument& argument, const FormalParameter& formal) {
  return argument.kind() == Argument::Kind::kArray &&
         (formal.kind == Kind::kView || formal.kind == Kind::kMdspan);
}

bool is_converted(const Argument& argument, const FormalParameter& formal) {
  return argument.kind() == Argument::Kind::kScalar && formal.kind == Kind::kScalar &&
         !formal.takes(argument.dtype());
}

/// For a parameter that is a plain pointer: throws if the array is not contiguous.
void require_whole(const Argument& argument, std::size_t at, const std::string& kernel,
                   const ParameterRules& rules) {
  if (argument.kind() != Argument::Kind::kArray || argument.array().is_contiguous()) return;
  throw SpecError(
      fmt::format("argument {} of '{}' is an array that is not contiguous: a plain pointer would "
                  "lose its strides; {}",
                  at + 1, kernel, rules.strided_advice));
}

}  // namespace

void require_fitting(const Argument& argument, const FormalParameter& formal, std::size_t at,
                     const std::string& kernel, const ParameterRules& rules) {
  if (formal.kind == Kind::kUnknown || formal.kind == Kind::kDeduced) return;
  const bool fits = kind_fits(argument, formal);
  // An address or a null pointer has no type to compare.
  const bool has_dtype =
      fits && (argument.kind() == Argument::Kind::kArray ||
               (argument.kind() == Argument::Kind::kScalar && !rules.converts_scalars));
  if (!fits || (has_dtype && !formal.takes(argument.dtype())))
    throw SpecError(fmt::format("argument {} of '{}' is {}, the parameter '{}' takes {}", at + 1,
                                kernel, argument.describe(), formal.text, wanted(formal, fits)));
  if (is_converted(argument, formal)) {
    std::byte ignored[16];
    argument.write_scalar(*formal.dtype, ignored, fmt::format("{} of {}", at + 1, kernel));
  }
  if (formal.kind == Kind::kPointer) require_whole(argument, at, kernel, rules);
  if (!is_view(argument, formal)) return;
  if (formal.rank >= 0 && argument.array().axes() != formal.rank)
    throw SpecError(fmt::format("argument {} of '{}' has {} axes, the parameter '{}' takes {}",
                                at + 1, kernel, argument.array().axes(), formal.text, formal.rank));
  if (formal.wants_contiguous && !argument.array().is_contiguous())
    throw SpecError(
        fmt::format("argument {} of '{}' is not contiguous, and the parameter '{}' "
                    "requires contiguous arrays: pass a contiguous copy",
                    at + 1, kernel, formal.text));
}

KernelParameters::KernelParameters(std::string kernel, std::vector<FormalParameter> formals,
                                   std::span<const std::size_t> sizes, const ParameterRules& rules)
    : kernel_(std::move(kernel)),
      formals_(std::move(formals)),
      sizes_(sizes.begin(), sizes.end()),
      rules_(rules) {
  if (formals_.size() != sizes_.size()) formals_.assign(sizes_.size(), {});
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    if (formals_[k].bytes().value_or(sizes_[k]) != sizes_[k]) formals_[k] = {};
    names_.push_back(fmt::format("{} of {}", k + 1, kernel_));
  }
}

void KernelParameters::check_one(const Argument& argument, std::size_t at,
                                 const Device& device) const {
  const FormalParameter& formal = formals_[at];
  refuse_staged(argument, kernel_);
  if (argument.is_array() && argument.array().device() != &device)
    throw SpecError(
        fmt::format("argument {} of '{}' is an array that is not on the stream's device: copy it "
                    "there first",
                    at + 1, kernel_));
  require_fitting(argument, formal, at, kernel_, rules_);
  const bool as_view = is_view(argument, formal);
  if (!as_view) require_whole(argument, at, kernel_, rules_);
  const bool as_pointer = argument.is_array() || argument.kind() == Argument::Kind::kNull;
  const std::size_t given = is_converted(argument, formal) ? size_of(*formal.dtype)
                            : formal.kind == Kind::kView && as_view
                                ? view_words(argument.array()).size() * sizeof(std::int64_t)
                            : as_view    ? *formal.bytes()
                            : as_pointer ? sizeof(void*)
                                         : argument.value_bytes();
  if (given != sizes_[at])
    throw SpecError(fmt::format("argument {} of '{}' has {} bytes, the kernel's parameter {}",
                                at + 1, kernel_, given, sizes_[at]));
}

void KernelParameters::check(std::span<const Argument> arguments, const Device& device) const {
  if (arguments.size() != sizes_.size())
    throw SpecError(fmt::format("kernel '{}' takes {} arguments, {} were given", kernel_,
                                sizes_.size(), arguments.size()));
  for (std::size_t k = 0; k < arguments.size(); ++k) check_one(arguments[k], k, device);
}

void KernelParameters::pack(std::span<const Argument> arguments, ArgumentBlock& block) const {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Argument& argument = arguments[k];
    const FormalParameter& formal = formals_[k];
    if (is_view(argument, formal)) {
      if (formal.kind == Kind::kView)
        block.append_view(argument.array());
      else
        append_mdspan(block, argument.array(), formal, k, kernel_);
    } else if (argument.is_array()) {
      block.append_value(argument.array().data());
    } else if (argument.kind() == Argument::Kind::kNull) {
      block.append_value(static_cast<void*>(nullptr));
    } else if (is_converted(argument, formal)) {
      argument.write_scalar(*formal.dtype, block.append_space(size_of(*formal.dtype)), names_[k]);
    } else {
      argument.write_value(block.append_space(argument.value_bytes()));
    }
  }
}

}  // namespace kernelbatch
