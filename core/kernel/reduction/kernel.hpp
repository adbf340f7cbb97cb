// ReductionKernel: map, reduce and post-map over any axes of broadcast arrays.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/launch/argument.hpp"
#include "core/kernel/loop/axis_numbers.hpp"
#include "core/kernel/reduction/definition.hpp"

namespace kernelbatch {

/// The reduced axes. Empty optional = all.
struct ReductionCall {
  std::optional<AxisNumbers> axes = {};  ///< negative ones count from the end
  bool keepdims = false;

  friend bool operator==(const ReductionCall&, const ReductionCall&) = default;
};

/// Parts of a reduction kernel, by CuPy's rules.
struct ReductionText {
  std::string_view in = {};        ///< inputs: "T x, T y"
  std::string_view out = {};       ///< outputs: "T z"
  std::string_view map = {};       ///< from inputs to reduced values: "(x - y) * (x - y)"
  std::string_view reduce = {};    ///< of `a` and `b`: "a + b"
  std::string_view post_map = {};  ///< assigns the outputs from `a`: "z = sqrt(a)"
  std::optional<std::string> identity = std::nullopt;  ///< "0"; none: an empty reduction fails
  std::string_view name = "reduce_kernel";
  ReductionOptions options = {};
};

/// A kernel from two parameter lists and four texts, CuPy's ReductionKernel.
///
/// `map` is an expression of the inputs, or a block of statements that returns; it can also use
/// `_i` (output index), `_J` (index along the reduced axes), `_in_ind.size()`, `_out_ind.size()`.
/// `reduce` combines `a` and `b`. `post_map` uses `a` and assigns the outputs, once each; `return`
/// in it ends the work on this output, and an output that was not assigned keeps its old value. The
/// operator must be associative and need not commute: elements are combined in order, except for
/// operators known to commute (`a + b`, `max(a, b)`, … of numbers), which use the fastest order.
/// The same input on the same device gives the same bits. A given identity enters once per output;
/// without one an empty reduction is an error.
///
/// Staged arrays (Array::staged) pass through device memory in chunks, on two streams that the
/// call's stream waits for: elements keep their order but are grouped differently.
class ReductionKernel {
 public:
  /// Throws SpecError for an invalid list or name. Neither compiles nor needs a device.
  explicit ReductionKernel(const ReductionText& text);
  explicit ReductionKernel(ReductionDefinition definition);

  /// A copy is the same kernel and compiles separately.
  ReductionKernel(const ReductionKernel& other);
  ReductionKernel& operator=(const ReductionKernel&) = delete;
  ReductionKernel(ReductionKernel&&) noexcept;
  ReductionKernel& operator=(ReductionKernel&&) noexcept;
  ~ReductionKernel();

  /// Queues the reduction. `arguments` are all inputs, then none or all of the outputs. Returns the
  /// outputs. Throws SpecError for arguments that do not fit, CompileError.
  std::vector<Array> call(Stream& stream, std::span<const Argument> arguments,
                          const ReductionCall& how = {}) const;

  /// The same with all outputs given; returns nothing. Allocates nothing if one of the last eight
  /// forms (device; dtypes, shapes, strides and alignment of the arrays; axes) equals this call's
  /// and the stream's workspace is large enough.
  void launch(Stream& stream, std::span<const Argument> arguments,
              const ReductionCall& how = {}) const;

  /// Over all axes. Returns the allocated outputs: none if all outputs are given, as in launch().
  template <class... A>
  std::vector<Array> operator()(Stream& stream, const A&... arguments) const {
    return pass(stream, {}, arguments...);
  }

  /// Dtypes and shapes of the outputs that call() would return, without touching memory. Throws
  /// like call() for arguments that do not fit.
  std::vector<ArrayForm> results(std::span<const Argument> arguments,
                                 const ReductionCall& how = {}) const;

  const std::vector<Parameter>& inputs() const noexcept;
  const std::vector<Parameter>& outputs() const noexcept;

  /// Over some axes: `norm.over({1})(stream, x, y)`.
  class Over {
   public:
    Over(const ReductionKernel& kernel, ReductionCall how) : kernel_(kernel), how_(how) {}
    template <class... A>
    std::vector<Array> operator()(Stream& stream, const A&... arguments) const {
      return kernel_.pass(stream, how_, arguments...);
    }

   private:
    const ReductionKernel& kernel_;
    ReductionCall how_;
  };
  Over over(const AxisNumbers& axes, bool keepdims = false) const {
    return {*this, {axes, keepdims}};
  }

  const std::string& name() const noexcept;

 private:
  class Calls;
  template <class... A>
  std::vector<Array> pass(Stream& stream, const ReductionCall& how, const A&... arguments) const {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    if (list.size() != inputs().size() + outputs().size()) return call(stream, list, how);
    launch(stream, list, how);
    return {};
  }

  std::unique_ptr<Calls> calls_;
};

}  // namespace kernelbatch
