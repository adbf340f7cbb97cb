// RawPlan: what is computed once about calls of one raw kernel on one device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/launch/argument.hpp"
#include "core/kernel/launch/argument_bytes.hpp"
#include "core/kernel/text/formal_parameter.hpp"

namespace kernelbatch {

/// Throws SpecError naming argument `at` (from 0) of `kernel` and the parameter where kind, dtype
/// or axes differ. Parameters of unknown kind take anything.
void require_fitting(const Argument& argument, const FormalParameter& formal, std::size_t at,
                     const std::string& kernel);

/// Checks arguments against a loaded kernel's parameters and packs them. What kinds and dtypes
/// were accepted once is remembered: packing such arguments again costs no check, no text and no
/// allocation.
class RawPlan {
 public:
  /// `formals` are the parameters as the source tells; empty where it does not. Those that
  /// contradict the loaded kernel's own sizes are ignored.
  RawPlan(Kernel& kernel, Device& device, std::string name, std::vector<FormalParameter> formals);

  Kernel& kernel() const noexcept { return *kernel_; }
  Device& device() const noexcept { return *device_; }
  /// Throws SpecError naming the argument and the parameter for the first that does not fit.
  void pack(std::span<const Argument> arguments, ArgumentBytes& bytes);

 private:
  using Signature = std::vector<std::uint64_t>;
  std::uint64_t code_of(const Argument& argument) const noexcept;
  bool is_accepted(std::span<const Argument> arguments) const noexcept;
  void check(std::span<const Argument> arguments) const;
  void check_one(const Argument& argument, std::size_t at) const;

  Kernel* kernel_;
  Device* device_;
  std::string name_;
  std::vector<FormalParameter> formals_;  // one per parameter of the kernel
  std::vector<std::size_t> sizes_;
  std::vector<Signature> accepted_;
};

}  // namespace kernelbatch
