// ReductionKernel: map, reduce and post-map over any axes of broadcast arrays.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/argument.hpp"
#include "core/kernel/parameter.hpp"
#include "core/kernel/program.hpp"

namespace kernelbatch {

struct ReductionOptions {
  std::string preamble = {};     ///< text at file scope, after the placeholders' typedefs
  std::string reduce_type = {};  ///< any trivially copyable C++ type; empty = the first output's
  std::vector<std::string> options = {};  ///< of the compiler
};

/// Which axes go. Empty optional = all.
struct ReductionCall {
  std::optional<std::vector<int>> axes;  ///< negative ones count from the end
  bool keepdims = false;
};

/// A kernel from two parameter lists and four texts, CuPy's ReductionKernel.
///
/// `map` is an expression of the inputs, or a block of statements that returns; it also sees `_i`
/// (output index), `_J` (index along the reduced axes), `_in_ind.size()`, `_out_ind.size()`.
/// `reduce` combines `a` and `b`. `post_map` sees `a` and assigns every output. The operator must
/// be associative and need not commute: elements are combined in their order, and the same input on
/// the same device gives the same bits. A given identity enters once per output; without one an
/// empty reduction is an error.
class ReductionKernel {
 public:
  ReductionKernel(std::string_view in_params, std::string_view out_params, std::string_view map,
                  std::string_view reduce, std::string_view post_map,
                  std::optional<std::string> identity, std::string_view name = "reduce_kernel",
                  ReductionOptions options = {});

  /// Queues the reduction. `arguments` are all inputs, then none or all of the outputs. Returns the
  /// outputs. Throws SpecError for arguments that do not fit, CompileError.
  std::vector<Array> call(Stream& stream, std::span<const Argument> arguments,
                          const ReductionCall& how = {}) const;

  /// Over all axes.
  template <class... A>
  std::vector<Array> operator()(Stream& stream, const A&... arguments) const {
    const Argument list[] = {Argument(arguments)...};
    return call(stream, list);
  }

  /// Over some axes: `norm.over({1})(stream, x, y)`.
  class Over {
   public:
    Over(const ReductionKernel& kernel, ReductionCall how)
        : kernel_(kernel), how_(std::move(how)) {}
    template <class... A>
    std::vector<Array> operator()(Stream& stream, const A&... arguments) const {
      const Argument list[] = {Argument(arguments)...};
      return kernel_.call(stream, list, how_);
    }

   private:
    const ReductionKernel& kernel_;
    ReductionCall how_;
  };
  Over over(std::vector<int> axes, bool keepdims = false) const {
    return {*this, {std::move(axes), keepdims}};
  }

  const std::string& name() const noexcept { return name_; }

 private:
  struct Call;
  Call prepare(Stream& stream, std::span<const Argument> arguments, const ReductionCall& how) const;
  std::string generate(const Call& call, std::size_t argument_bytes) const;
  std::vector<std::byte> pack(const Call& call) const;
  void prepare_workspace(Stream& stream, Call& call) const;

  std::vector<Parameter> in_, out_;
  std::string map_, reduce_, post_map_;
  std::optional<std::string> identity_;
  std::string name_;
  ReductionOptions options_;
  mutable std::map<std::string, Program> programs_;
  /// Partial results and tickets per stream; grown, never shrunk, tickets always zero between
  /// calls.
  struct Workspace {
    Array partials, tickets;
  };
  mutable std::map<Stream*, Workspace> workspaces_;
};

}  // namespace kernelbatch
