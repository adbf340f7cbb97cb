// ElementwiseKernel: one operation on every element of broadcast arrays.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/argument.hpp"
#include "core/kernel/parameter.hpp"
#include "core/kernel/program.hpp"

namespace kernelbatch {

struct ElementwiseOptions {
  std::string preamble = {};    ///< text at file scope, after the placeholders' typedefs
  std::string loop_prep = {};   ///< text before the loop, once per thread
  std::string after_loop = {};  ///< text after the loop
  bool reduce_dims = true;      ///< merge axes; false keeps the user's axes for _ind.get()
  int block_size = 0;           ///< threads per block; 0 = the device's choice
  std::vector<std::string> options = {};  ///< of the compiler
};

/// A kernel from two parameter lists and a text, CuPy's ElementwiseKernel.
///
/// The text sees each parameter by name; `i`, `n`, `_ind.size()`, `_ind.get()[k]`, `i0`, `i1`, …;
/// and `raw` arrays as `y[linear]` and `y[{i, j}]`. Inputs are loaded once before the text and
/// outputs are stored once after it; `continue` skips the store.
class ElementwiseKernel {
 public:
  /// Throws SpecError for a list or name that is not valid. Neither compiles nor needs a device.
  ElementwiseKernel(std::string_view in_params, std::string_view out_params,
                    std::string_view operation, std::string_view name = "kernel",
                    ElementwiseOptions options = {});

  /// Queues the operation. `arguments` are all inputs, then none or all of the outputs; outputs
  /// that are not given are allocated in C order. Non-raw arrays broadcast together; a given output
  /// must have the broadcast shape. `size` is given if and only if every array is raw. Returns the
  /// outputs. Throws SpecError for arguments that do not fit, CompileError.
  std::vector<Array> call(Stream& stream, std::span<const Argument> arguments,
                          std::optional<std::int64_t> size = std::nullopt) const;

  template <class... A>
  std::vector<Array> operator()(Stream& stream, const A&... arguments) const {
    const Argument list[] = {Argument(arguments)...};
    return call(stream, list);
  }

  const std::string& name() const noexcept { return name_; }

 private:
  struct Call;
  Call prepare(Stream& stream, std::span<const Argument> arguments,
               std::optional<std::int64_t> size) const;
  std::string generate(const Call& call) const;

  std::vector<Parameter> in_, out_;
  std::string operation_, name_;
  ElementwiseOptions options_;
  bool skips_stores_ = false;  ///< `continue` or `return` in the text
  bool needs_axes_ = false;    ///< the text asks for indices along axes
  mutable std::map<std::string, Program> programs_;
};

}  // namespace kernelbatch
