// JitKernel: a kernel written as a C++ function template, compiled for the types it is called with.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/value.hpp"
#include "core/kernel/argument.hpp"
#include "core/kernel/program.hpp"

namespace kernelbatch {

struct JitOptions {
  /// Known at compile time: `{N: 1000000}` becomes `constexpr long long N = 1000000;`.
  NamedValues constants = {};
  std::vector<std::string> options = {};  ///< of the compiler
};

/// CuPy's jit.rawkernel, in C++:
///
///     template <class X, class Y>
///     __global__ void scale(X x, Y y, int n) {
///       for (long long i = kernelbatch::grid_index(); i < n; i += kernelbatch::grid_size())
///         y[i] = 2 * x[i];
///     }
///
/// The template's type parameters are taken, in order, by the arguments: an array arrives as an
/// array_view of its dtype and number of axes (contiguous ones index like a pointer), a scalar as
/// its own type. Parameters beyond the template's take what C++ converts to. One compile per
/// signature.
class JitKernel {
 public:
  JitKernel(std::string_view source, std::string_view entry, JitOptions options = {});

  /// Queues one launch. Throws SpecError, CompileError.
  void launch(Stream& stream, const LaunchShape& shape, std::span<const Argument> arguments) const;

  template <class... A>
  void operator()(Stream& stream, const LaunchShape& shape, const A&... arguments) const {
    const std::vector<Argument> list{Argument(arguments)...};
    launch(stream, shape, list);
  }

 private:
  std::string source_, entry_;
  JitOptions options_;
  mutable std::map<std::string, Program> programs_;
};

}  // namespace kernelbatch
