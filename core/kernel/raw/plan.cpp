#include "core/kernel/raw/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/launch/chunk_pipeline.hpp"
#include "core/kernel/launch/mdspan_argument.hpp"

namespace kernelbatch {
namespace {

using Kind = FormalParameter::Kind;

/// "float32" or, where the argument is of another kind altogether, "an array of float32".
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

}  // namespace

RawPlan::RawPlan(Kernel& kernel, Device& device, std::string name,
                 std::vector<FormalParameter> formals)
    : kernel_(&kernel), device_(&device), name_(std::move(name)), formals_(std::move(formals)) {
  const std::span<const std::size_t> sizes = kernel.parameter_sizes();
  sizes_.assign(sizes.begin(), sizes.end());
  if (formals_.size() != sizes_.size()) formals_.assign(sizes_.size(), {});
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    if (formals_[k].bytes().value_or(sizes_[k]) != sizes_[k]) formals_[k] = {};
}

std::uint64_t RawPlan::code_of(const Argument& argument) const noexcept {
  std::uint64_t code = static_cast<std::uint64_t>(argument.kind()) |
                       static_cast<std::uint64_t>(argument.dtype()) << 8;
  if (argument.is_array()) {
    const Array& array = argument.array();
    code |= static_cast<std::uint64_t>(array.axes()) << 16;
    code |= (array.is_contiguous() ? std::uint64_t{1} : 0) << 24;
    code |= (array.device() == device_ ? std::uint64_t{1} : 0) << 25;
  } else if (argument.kind() == Argument::Kind::kBytes) {
    code |= static_cast<std::uint64_t>(argument.value_bytes()) << 16;
  }
  return code;
}

bool RawPlan::is_accepted(std::span<const Argument> arguments) const noexcept {
  return std::any_of(accepted_.begin(), accepted_.end(), [&](const Signature& signature) {
    if (signature.size() != arguments.size()) return false;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (signature[k] != code_of(arguments[k])) return false;
    return true;
  });
}

void require_fitting(const Argument& argument, const FormalParameter& formal, std::size_t at,
                     const std::string& kernel) {
  if (formal.kind == Kind::kUnknown) return;
  const bool fits = kind_fits(argument, formal);
  // An address or a null pointer has no type to compare.
  const bool has_dtype = fits && (argument.kind() == Argument::Kind::kScalar ||
                                  argument.kind() == Argument::Kind::kArray);
  if (!fits || (has_dtype && !formal.takes(argument.dtype())))
    throw SpecError(fmt::format("argument {} of '{}' is {}, the parameter '{}' takes {}", at + 1,
                                kernel, argument.describe(), formal.text, wanted(formal, fits)));
  if (!is_view(argument, formal)) return;
  if (argument.array().axes() != formal.rank)
    throw SpecError(fmt::format("argument {} of '{}' has {} axes, the parameter '{}' takes {}",
                                at + 1, kernel, argument.array().axes(), formal.text, formal.rank));
  if (formal.wants_contiguous && !argument.array().is_contiguous())
    throw SpecError(
        fmt::format("argument {} of '{}' is not contiguous, and the parameter '{}' "
                    "takes contiguous arrays alone: pass a contiguous copy",
                    at + 1, kernel, formal.text));
}

void RawPlan::check_one(const Argument& argument, std::size_t at) const {
  const FormalParameter& formal = formals_[at];
  refuse_staged(argument, name_);
  if (argument.is_array() && argument.array().device() != device_)
    throw SpecError(
        fmt::format("argument {} of '{}' is an array that is not on the stream's device: copy it "
                    "there first",
                    at + 1, name_));
  require_fitting(argument, formal, at, name_);
  const bool as_view = is_view(argument, formal);
  if (argument.kind() == Argument::Kind::kArray && !as_view && !argument.array().is_contiguous())
    throw SpecError(
        fmt::format("argument {} of '{}' is an array that is not contiguous: a plain pointer would "
                    "lose its strides; pass a contiguous copy or, where the kernel knows the "
                    "strides, as_pointer(array)",
                    at + 1, name_));
  const bool as_pointer = argument.is_array() || argument.kind() == Argument::Kind::kNull;
  const std::size_t given = as_pointer ? sizeof(void*) : argument.value_bytes();
  if (!as_view && given != sizes_[at])
    throw SpecError(fmt::format("argument {} of '{}' has {} bytes, the kernel's parameter {}",
                                at + 1, name_, given, sizes_[at]));
}

void RawPlan::check(std::span<const Argument> arguments) const {
  if (arguments.size() != sizes_.size())
    throw SpecError(fmt::format("kernel '{}' takes {} arguments, {} were given", name_,
                                sizes_.size(), arguments.size()));
  for (std::size_t k = 0; k < arguments.size(); ++k) check_one(arguments[k], k);
}

void RawPlan::pack(std::span<const Argument> arguments, ArgumentBytes& bytes) {
  if (!is_accepted(arguments)) {
    check(arguments);
    Signature signature;
    for (const Argument& argument : arguments) signature.push_back(code_of(argument));
    accepted_.push_back(std::move(signature));
  }
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Argument& argument = arguments[k];
    if (!argument.is_array()) {
      if (argument.kind() == Argument::Kind::kNull)
        bytes.append_value(static_cast<void*>(nullptr));
      else
        argument.write_value(bytes.append_space(argument.value_bytes()));
    } else if (formals_[k].kind == Kind::kView) {
      bytes.append_view(argument.array());
    } else if (formals_[k].kind == Kind::kMdspan) {
      append_mdspan(bytes, argument.array(), formals_[k], k, name_);
    } else {
      bytes.append_value(argument.array().data());
    }
  }
}

}  // namespace kernelbatch
