// UniqueHandle: sole owner of a foreign handle, closed by a function known at compile time.
#pragma once

#include <utility>

namespace kernelbatch {

/// Owns one handle of type `Handle`; `Close` is called once for a value other than `Empty`.
/// `Close` must not throw.
template <class Handle, auto Close, Handle Empty = Handle{}>
class UniqueHandle {
 public:
  UniqueHandle() = default;
  explicit UniqueHandle(Handle handle) noexcept : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(std::exchange(other.handle_, Empty)) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, Empty);
    }
    return *this;
  }
  ~UniqueHandle() { reset(); }

  Handle get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != Empty; }
  Handle release() noexcept { return std::exchange(handle_, Empty); }
  void reset() noexcept {
    if (handle_ != Empty) Close(std::exchange(handle_, Empty));
  }

 private:
  Handle handle_ = Empty;
};

}  // namespace kernelbatch
