// ElementwiseKernel: one operation on every element of broadcast arrays.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/elementwise/definition.hpp"
#include "core/kernel/launch/argument.hpp"

namespace kernelbatch {

/// Parts of an elementwise kernel, by CuPy's rules.
struct ElementwiseText {
  std::string_view in = {};         ///< inputs: "T x, raw float32 y"
  std::string_view out = {};        ///< outputs: "T z"
  std::string_view operation = {};  ///< statements that assign the outputs
  std::string_view name = "kernel";
  ElementwiseOptions options = {};
};

/// A kernel from two parameter lists and a text, CuPy's ElementwiseKernel.
///
/// The text can use each parameter by name; `i`, `n`, `_ind.size()`, `_ind.get()[k]`, `i0`, `i1`,
/// …; and `raw` arrays as `y[linear]` and `y[{i, j}]`. Inputs are loaded once before the text and
/// outputs are stored once after it. `return` and `continue` end the work on this element: outputs
/// are stored with their current values, and outputs that were not assigned keep their old values.
///
/// Staged arrays (Array::staged) pass through device memory in chunks, on two streams that the
/// call's stream waits for.
class ElementwiseKernel {
 public:
  /// Throws SpecError for an invalid list or name. Neither compiles nor needs a device.
  explicit ElementwiseKernel(const ElementwiseText& text);
  explicit ElementwiseKernel(ElementwiseDefinition definition);

  /// A copy is the same kernel and compiles separately.
  ElementwiseKernel(const ElementwiseKernel& other);
  ElementwiseKernel& operator=(const ElementwiseKernel&) = delete;
  ElementwiseKernel(ElementwiseKernel&&) noexcept;
  ElementwiseKernel& operator=(ElementwiseKernel&&) noexcept;
  ~ElementwiseKernel();

  /// Queues the operation. `arguments` are all inputs, then none or all of the outputs; missing
  /// outputs are allocated in C order. Non-raw arrays broadcast together; a given output must have
  /// the broadcast shape. `size` is given if and only if every array is raw. Returns the outputs.
  /// Throws SpecError for arguments that do not fit, CompileError.
  std::vector<Array> call(Stream& stream, std::span<const Argument> arguments,
                          std::optional<std::int64_t> size = std::nullopt) const;

  /// The same with all outputs given; returns nothing. Allocates nothing if one of the last eight
  /// calls of different form had this form (device; dtypes, shapes, strides and alignment of the
  /// arrays; size).
  void launch(Stream& stream, std::span<const Argument> arguments,
              std::optional<std::int64_t> size = std::nullopt) const;

  /// Returns the allocated outputs: none if all outputs are given, as in launch().
  template <class... A>
  std::vector<Array> operator()(Stream& stream, const A&... arguments) const {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    if (list.size() != inputs().size() + outputs().size()) return call(stream, list);
    launch(stream, list);
    return {};
  }

  /// Dtypes and shapes of the outputs that call() would return, without touching memory. Throws
  /// like call() for arguments that do not fit.
  std::vector<ArrayForm> results(std::span<const Argument> arguments,
                                 std::optional<std::int64_t> size = std::nullopt) const;

  const std::vector<Parameter>& inputs() const noexcept;
  const std::vector<Parameter>& outputs() const noexcept;
  const std::string& name() const noexcept;

 private:
  class Calls;
  std::unique_ptr<Calls> calls_;
};

}  // namespace kernelbatch
