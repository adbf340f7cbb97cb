// KernelParameters: checks arguments against a user kernel's parameters, and packs them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/launch/argument.hpp"
#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/text/formal_parameter.hpp"

namespace kernelbatch {

/// Differences between styles of kernels.
struct ParameterRules {
  /// True if a scalar of another dtype is converted to the parameter's; otherwise it is refused.
  bool converts_scalars = false;
  /// Advice at the end of the error for a non-contiguous array passed to a plain pointer.
  std::string_view strided_advice;
};
inline constexpr ParameterRules kRawRules{
    false, "pass a contiguous copy or, if the kernel knows the strides, as_pointer(array)"};
inline constexpr ParameterRules kJitRules{true, "pass a contiguous copy or take it as `auto`"};

/// Throws SpecError naming argument `at` (from 0) of `kernel` and the parameter if kind, dtype or
/// axes differ. Parameters of unknown or deduced kind take anything.
void require_fitting(const Argument& argument, const FormalParameter& formal, std::size_t at,
                     const std::string& kernel, const ParameterRules& rules);

class KernelParameters {
 public:
  /// `formals` are the parameters according to the source. They are ignored if their number differs
  /// from that of `sizes`, the loaded kernel's, and so is each one that contradicts its size.
  KernelParameters(std::string kernel, std::vector<FormalParameter> formals,
                   std::span<const std::size_t> sizes, const ParameterRules& rules);

  /// Throws SpecError naming the first argument that does not fit or is not on the device, and its
  /// parameter.
  void check(std::span<const Argument> arguments, const Device& device) const;

  /// For arguments whose kinds and dtypes passed check(). Throws SpecError for a value that its
  /// parameter cannot represent, and for an array that does not fit a mdspan.
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
