// fuse: ordinary operators on placeholders, traced into one kernel.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/kernel/fuse/expression.hpp"
#include "core/kernel/launch/argument.hpp"
#include "core/kernel/launch/launch_plan.hpp"

namespace kernelbatch {

class FusedPlan;

/// A traced expression as one kernel. The kind follows from the expression:
/// - no reduction: one elementwise kernel with any number of outputs of one shape;
/// - reductions of one shape over the same axes, with elementwise work before and after: one
///   reduction kernel, all of them in one pass;
/// - outputs of the full shape that depend on reductions (softmax, normalise), also one reduction
///   after another: one kernel with a block for each reduced row.
/// Other expressions are rejected with an explanation; there is no silent fallback. Dtypes and
/// shapes are NumPy's.
class FusedKernel {
 public:
  explicit FusedKernel(Graph graph, std::string name = "fused");
  /// A copy is the same kernel and compiles separately.
  FusedKernel(const FusedKernel& other);
  FusedKernel& operator=(const FusedKernel&) = delete;
  FusedKernel(FusedKernel&&) noexcept;
  ~FusedKernel();

  /// Queues the kernel. `outputs` are all given, with the resulting dtypes and shapes, or none:
  /// then they are allocated. Returns the outputs. Throws SpecError.
  std::vector<Array> call(Stream& stream, std::span<const Array> inputs,
                          std::span<const Array> outputs = {}) const;

  /// The same with outputs given; returns nothing. Allocates nothing if one of the last eight forms
  /// (device; dtypes, shapes, strides and alignment of the arrays) equals this call's.
  void launch(Stream& stream, std::span<const Argument> inputs,
              std::span<const Argument> outputs) const;
  void launch(Stream& stream, std::span<const Argument> inputs,
              const std::vector<Array>& outputs) const;

  /// Dtypes and shapes of the outputs that call() would return, without touching memory.
  std::vector<ArrayForm> results(std::span<const Array> inputs) const;

  int inputs() const noexcept { return graph_->inputs; }
  int outputs() const noexcept { return static_cast<int>(graph_->outputs.size()); }

 private:
  struct Signature;
  FusedPlan& plan(std::span<const Argument> inputs) const;

  std::unique_ptr<const Graph> graph_;  // plans point to it, wherever the kernel is moved
  std::string name_;
  mutable RecentPlans<Signature, SIZE_MAX> signatures_;  // all: each has kernels of its own
  mutable std::vector<Argument> output_arguments_;       // of the call in hand; kept for its room
};

namespace detail {
inline void add_outputs(Graph& graph, const Expr& result) { graph.outputs.push_back(result.id); }
template <class... E>
void add_outputs(Graph& graph, const std::tuple<E...>& results) {
  std::apply([&](const auto&... each) { (add_outputs(graph, each), ...); }, results);
}

template <class Function, std::size_t... K>
Graph trace(const Function& function, std::index_sequence<K...>) {
  Graph graph;
  graph.inputs = sizeof...(K);
  const auto input = [&](int number) {
    Node node;
    node.kind = Node::Kind::kInput;
    node.input = number;
    return Expr{&graph, graph.add(node)};
  };
  const Expr placeholders[] = {input(static_cast<int>(K))...};
  add_outputs(graph, function(placeholders[K]...));
  return graph;
}
}  // namespace detail

/// The callable that fuse() returns: traced at the first call with a given number of arrays.
template <class Function>
class Fused {
 public:
  Fused(Function function, std::string name)
      : function_(std::move(function)), name_(std::move(name)) {}

  template <class... A>
  std::vector<Array> operator()(Stream& stream, const A&... inputs) const {
    const Array list[] = {inputs...};
    return kernel<sizeof...(A)>().call(stream, list);
  }
  /// Writes into existing outputs.
  template <class... A>
  void into(Stream& stream, const std::vector<Array>& outputs, const A&... inputs) const {
    const std::array<Argument, sizeof...(A)> in{Argument(inputs)...};
    kernel<sizeof...(A)>().launch(stream, in, outputs);
  }

 private:
  template <std::size_t Count>
  const FusedKernel& kernel() const {
    auto found = kernels_.find(Count);
    if (found == kernels_.end())
      found = kernels_
                  .emplace(Count,
                           FusedKernel(detail::trace(function_, std::make_index_sequence<Count>{}),
                                       name_))
                  .first;
    return found->second;
  }

  Function function_;
  std::string name_;
  mutable std::map<std::size_t, FusedKernel> kernels_;
};

/// `auto f = fuse([](auto x, auto y) { return sum((x - y) * (x - y), axis(-1)); });`
template <class Function>
Fused<Function> fuse(Function function, std::string name = "fused") {
  return {std::move(function), std::move(name)};
}

}  // namespace kernelbatch
