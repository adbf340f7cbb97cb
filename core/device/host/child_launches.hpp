// Launches that kernels make: `child<<<grid, block>>>(…)` in a kernel's text.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch::host {

/// A grid to run after the grid that launched it has ended; CUDA lets a child begin at any time
/// between its launch and then. Owns its closure.
class ChildLaunch {
 public:
  using Call = void (*)(void* const* arguments);
  struct Closure {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  ChildLaunch(const LaunchShape& with, Call function, Closure argument, void (*destroy)(void*))
      : shape_(with), call_(function), closure_(argument), destroy_(destroy) {}
  ChildLaunch(ChildLaunch&& other) noexcept
      : shape_(other.shape_),
        call_(other.call_),
        closure_(std::exchange(other.closure_, {})),
        destroy_(other.destroy_) {}
  ChildLaunch(const ChildLaunch&) = delete;
  ChildLaunch& operator=(const ChildLaunch&) = delete;
  ChildLaunch& operator=(ChildLaunch&&) = delete;
  ~ChildLaunch() {
    if (closure_.memory != nullptr) destroy_(closure_.memory);
  }

  const LaunchShape& shape() const noexcept { return shape_; }
  Call call() const noexcept { return call_; }
  /// The only argument of `call`.
  const Closure& closure() const noexcept { return closure_; }

 private:
  LaunchShape shape_;
  Call call_;
  Closure closure_;
  void (*destroy_)(void*);
};

/// Child launches of a running grid, in launch order. Blocks may add to it concurrently.
class ChildLaunches {
 public:
  void add(ChildLaunch child) {
    const std::lock_guard lock(mutex_);
    children_.push_back(std::move(child));
  }
  std::vector<ChildLaunch> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(children_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<ChildLaunch> children_;
};

}  // namespace kernelbatch::host
