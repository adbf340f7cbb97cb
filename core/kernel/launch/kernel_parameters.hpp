// KernelParameters: arguments held against a user's kernel's parameters, and packed for them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/launch/argument.hpp"
#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/text/formal_parameter.hpp"

namespace kernelbatch {

/// What differs between styles of kernels.
struct ParameterRules {
  /// Whether a scalar of another dtype becomes the parameter's; else it is refused.
  bool converts_scalars = false;
  /// What to do instead of passing an array with gaps to a plain pointer: ends an error.
  std::string_view strided_advice;
};
inline constexpr ParameterRules kRawRules{
    false, "pass a contiguous copy or, where the kernel knows the strides, as_pointer(array)"};
inline constexpr ParameterRules kJitRules{true, "pass a contiguous copy or take it as `auto`"};

/// Throws SpecError naming argument `at` (from 0) of `kernel` and the parameter where kind, dtype
/// or axes differ. Parameters of unknown or deduced kind take anything.
void require_fitting(const Argument& argument, const FormalParameter& formal, std::size_t at,
                     const std::string& kernel, const ParameterRules& rules);

class KernelParameters {
 public:
  /// `formals` are the parameters as the source tells; fewer or more than `sizes`, those of the
  /// loaded kernel, count for nothing, and so does one that contradicts its size.
  KernelParameters(std::string kernel, std::vector<FormalParameter> formals,
                   std::span<const std::size_t> sizes, const ParameterRules& rules);

  /// Throws SpecError naming the argument and the parameter for the first that does not fit or is
  /// not on the device.
  void check(std::span<const Argument> arguments, const Device& device) const;

  /// For arguments of kinds and dtypes that passed check(). Throws SpecError for a value that its
  /// parameter cannot hold, and for an array that does not suit a mdspan.
  void pack(std::span<const Argument> arguments, ArgumentBlock& block) const;

 private:
  void check_one(const Argument& argument, std::size_t at, const Device& device) const;

  std::string kernel_;
  std::vector<FormalParameter> formals_;
  std::vector<std::size_t> sizes_;
  std::vector<std::string> names_;  // "2 of scale"
  ParameterRules rules_;
};

}  // namespace kernelbatch
