// LaunchPlan: a launch settled once per form of call; later calls compare, patch and launch.
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

/// What an argument must share with an earlier one for both to be launched in the same way: kind,
/// dtype, shape, strides, and where its first element lies between multiples of 32 bytes. Scalars
/// share their kind alone.
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

/// One kernel, its launch shape and the bytes of its parameters, all but what differs between calls
/// of one form: addresses, scalars and handles, which launch() fills in. Launching allocates
/// nothing.
class LaunchPlan {
 public:
  /// For arguments like these, every array of them on `device`.
  LaunchPlan(const Device& device, std::span<const Argument> arguments);
  LaunchPlan(const LaunchPlan&) = delete;
  LaunchPlan& operator=(const LaunchPlan&) = delete;

  /// Whether the first of the plan's arguments, or all, have the forms of these.
  bool fits(const Device& device, std::span<const Argument> arguments) const noexcept;

  // Making a plan.
  /// Adds a parameter of the kernel; returns where its bytes begin.
  std::size_t add_parameter(const void* bytes, std::size_t size);
  std::size_t add_parameter(const StructBytes& bytes);
  /// An argument's place: an array's address, or a scalar or handle as `dtype`. `name` is for
  /// errors.
  void patch(std::size_t argument, std::size_t offset, DType dtype, std::string name);
  /// Overwrites bytes.
  void write(std::size_t offset, const void* bytes, std::size_t size) noexcept;
  /// Input and output arrays that must not share elements unless they are the same view.
  void keep_apart(std::size_t in, std::size_t out, std::span<const Argument> arguments);
  /// Without a kernel there is nothing to do, and launch() does nothing. No more parameters after
  /// this. Throws RunError where the kernel's parameters have other sizes; `name` is for that.
  void set_kernel(Kernel& kernel, const LaunchShape& shape, const std::string& name);
  bool has_kernel() const noexcept { return kernel_ != nullptr; }

  // Using it, for arguments that it fits.
  /// Whether an input would be overwritten before it is read.
  bool overlaps(std::span<const Argument> arguments) const noexcept;
  bool overlaps(std::size_t in, std::span<const Argument> arguments) const noexcept;
  /// Throws SpecError naming both where overlaps() is true.
  void require_apart(std::span<const Argument> arguments) const;
  /// Throws SpecError for a scalar out of range, RunError where the device refuses.
  void launch(Stream& stream, std::span<const Argument> arguments);

 private:
  struct Patch {
    std::size_t argument, offset;
    DType dtype;
    std::string name;
  };
  /// Bytes of an input and an output, from their first elements on.
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

/// The plans that were used last, at most so many, most recent first.
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
