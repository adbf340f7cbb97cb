// JitKernel: a kernel written as a C++ function, compiled for the types that it is called with.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/value.hpp"
#include "core/kernel/jit/plan.hpp"
#include "core/kernel/launch/argument.hpp"

namespace kernelbatch {

struct JitOptions {
  /// Compile-time constants: `{N: 1000000}` becomes `constexpr long long N = 1000000;`. A template
  /// parameter of that name, `template <int N>`, gets that value.
  NamedValues constants = {};
  std::vector<std::string> options = {};  ///< of the compiler
};

/// CuPy's jit.rawkernel, in C++:
///
///     __global__ void scale(auto x, auto y, long long n, double factor) {
///       for (auto i : kernelbatch::range(n)) y[i] = factor * x[i];
///     }
///
/// A parameter of type `auto`, or of a template parameter's type, takes any argument: an array is
/// passed as an array_view of its dtype and number of axes (contiguous ones index like a pointer),
/// a scalar as its own type. `T*` takes a contiguous array, `array_view<T, 2>` an array of that
/// kind; T may be a template parameter. Parameters of number types take values that convert without
/// loss of range. One compile per signature; later launches allocate nothing.
class JitKernel {
 public:
  JitKernel(std::string_view source, std::string_view entry, JitOptions options = {});
  /// A copy is the same kernel and compiles separately.
  JitKernel(const JitKernel& other);
  JitKernel& operator=(const JitKernel&) = delete;
  JitKernel(JitKernel&&) noexcept;
  JitKernel& operator=(JitKernel&&) noexcept;
  ~JitKernel();

  /// Throws SpecError for arguments that do not fit the parameters. Compiles nothing; arrays may be
  /// in any memory.
  void check(std::span<const Argument> arguments) const;

  /// True if parameter `at` is a pointer to const.
  bool is_read_only(std::size_t at) const;

  /// Queues one launch. Throws SpecError for arguments that do not fit the parameters,
  /// CompileError.
  void launch(Stream& stream, const LaunchShape& shape, std::span<const Argument> arguments) const;

  template <class... A>
  void operator()(Stream& stream, const LaunchShape& shape, const A&... arguments) const {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    launch(stream, shape, list);
  }

 private:
  const JitSource& source() const;
  const JitPlan& plan(std::span<const Argument> arguments, Device& device) const;

  std::string source_, entry_;
  JitOptions options_;
  mutable std::optional<JitSource> read_;  // on the first call
  mutable std::vector<std::unique_ptr<JitPlan>> plans_;
};

}  // namespace kernelbatch
