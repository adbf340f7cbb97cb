// Work: what a variant returns, to be verified and timed.
#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace kernelbatch {

class Stream;

/// A repeatable call; each call must do the same. It queues work on the given stream or, for a
/// reference, computes before it returns. Move-only: it captures and owns what it needs (arrays and
/// kernels are cheap to copy), and is called long after the function that returned it. Streams and
/// other references returned by a Run, and the problem's inputs, live longer.
class Work {
 public:
  Work() = default;

  /// From a callable of `(Stream&)`, or, on the CPU, of `()`.
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Work> &&
           (std::invocable<std::decay_t<F>&, Stream&> || std::invocable<std::decay_t<F>&>))
      Work(F&& function)  // NOLINT: a lambda is returned as Work
      : call_(std::make_unique<Holder<std::decay_t<F>>>(std::forward<F>(function))) {}

  explicit operator bool() const noexcept { return call_ != nullptr; }

  /// `stream` is null for a reference. Propagates exceptions of the callable. Throws
  /// std::logic_error if each of its first calls allocates device memory: that would be timed.
  void operator()(Stream* stream);

 private:
  struct Callable {
    virtual ~Callable() = default;
    virtual void call(Stream* stream) = 0;
  };
  template <class F>
  struct Holder final : Callable {
    explicit Holder(F held) : function(std::move(held)) {}
    void call(Stream* stream) override {
      if constexpr (std::invocable<F&, Stream&>) {
        if (stream == nullptr) throw std::logic_error("a reference has no stream");
        function(*stream);
      } else {
        function();
      }
    }
    F function;
  };

  std::unique_ptr<Callable> call_;
  int allocating_calls_ = 0;  // in a row
};

/// Throws std::logic_error for an empty Work, which a variant must not return.
void require_work(const Work& work);

}  // namespace kernelbatch
