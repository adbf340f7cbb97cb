// LaunchPlan: a launch planned once per form of call; later calls compare, patch and launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/launch/argument.hpp"
#include "core/kernel/launch/argument_block.hpp"

namespace kernelbatch {

/// Properties of an argument that two calls must share to use the same plan: kind, dtype, shape,
/// strides, and the first element's address modulo 32 bytes. Scalars share only their kind.
class ArgumentForm {
 public:
  explicit ArgumentForm(const Argument& argument);
  bool matches(const Argument& argument) const noexcept;

 private:
  Argument::Kind kind_;
  DType dtype_ = DType::kUInt64;
  int place_ = 0;  // of the address, behind a multiple of 32 bytes
  Shape shape_;
  Strides strides_;
};

/// One kernel, its launch shape and the bytes of its parameters. Values that differ between calls
/// of one form (addresses, scalars and handles) are filled in by launch(). Launching allocates
/// nothing.
class LaunchPlan {
 public:
  /// For these arguments, whose arrays are all on `device`.
  LaunchPlan(const Device& device, std::span<const Argument> arguments);
  LaunchPlan(const LaunchPlan&) = delete;
  LaunchPlan& operator=(const LaunchPlan&) = delete;

  /// True if the plan's arguments, or the first of them, have the forms of these.
  bool fits(const Device& device, std::span<const Argument> arguments) const noexcept;

  // Building a plan.
  // Adds a parameter of the kernel; returns its offset in bytes.
  std::size_t add_parameter(const void* bytes, std::size_t size);
  std::size_t add_parameter(const StructBytes& bytes);
  /// Sets the offset at which an argument's value is written: an array's address, or a scalar or
  /// handle as `dtype`. `name` is for errors.
  void patch(std::size_t argument, std::size_t offset, DType dtype, std::string name);
  /// Overwrites bytes.
  void write(std::size_t offset, const void* bytes, std::size_t size) noexcept;
  /// Declares an input and an output array that must not share elements unless they are the same
  /// view.
  void keep_apart(std::size_t in, std::size_t out, std::span<const Argument> arguments);
  /// Without a kernel launch() does nothing. No more parameters can be added after this. Throws
  /// RunError, with `name`, if the kernel's parameters have other sizes.
  void set_kernel(Kernel& kernel, const LaunchShape& shape, const std::string& name);
  bool has_kernel() const noexcept { return kernel_ != nullptr; }

  // Using a plan, for arguments that it fits.
  // True if an input would be overwritten before it is read.
  bool overlaps(std::span<const Argument> arguments) const noexcept;
  bool overlaps(std::size_t in, std::span<const Argument> arguments) const noexcept;
  /// Throws SpecError naming both arrays if overlaps() is true.
  void require_apart(std::span<const Argument> arguments) const;
  /// Throws SpecError for a scalar out of range, RunError if the device refuses.
  void launch(Stream& stream, std::span<const Argument> arguments);

 private:
  struct Patch {
    std::size_t argument, offset;
    DType dtype;
    std::string name;
  };
  /// Bytes of an input and an output, from their first elements.
  struct Pair {
    std::size_t in, out;
    std::int64_t in_low, in_high, out_low, out_high;
    bool has_same_layout;

    bool meets(std::span<const Argument> arguments) const noexcept;
  };
  const std::string& name_of_argument(std::size_t argument) const noexcept;

  const Device* device_;
  std::vector<ArgumentForm> forms_;
  ArgumentBlock block_;
  std::span<void* const> addresses_;
  std::vector<Patch> patches_;
  std::vector<Pair> pairs_;
  Kernel* kernel_ = nullptr;
  LaunchShape shape_;
};

/// The most recently used plans, at most `Most`, newest first.
template <class Plan, std::size_t Most = 8>
class RecentPlans {
 public:
  /// The most recent plan for which `fits` is true, or null; valid until the next add().
  template <class Fits>
  Plan* find(const Fits& fits) noexcept {
    for (std::size_t k = 0; k < plans_.size(); ++k) {
      if (!fits(*plans_[k])) continue;
      const auto found = plans_.begin() + static_cast<std::ptrdiff_t>(k);
      std::rotate(plans_.begin(), found, found + 1);
      return plans_.front().get();
    }
    return nullptr;
  }
  Plan& add(std::unique_ptr<Plan> plan) {
    if (plans_.size() == Most) plans_.pop_back();
    return **plans_.insert(plans_.begin(), std::move(plan));
  }

 private:
  std::vector<std::unique_ptr<Plan>> plans_;
};

}  // namespace kernelbatch
