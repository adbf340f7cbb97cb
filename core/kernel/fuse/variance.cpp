#include "core/kernel/fuse/variance.hpp"

#include <algorithm>
#include <vector>

namespace kernelbatch {
namespace {

bool is_variance(const Node& node) {
  return node.kind == Node::Kind::kReduce &&
         (node.reduce == ReduceKind::kVar || node.reduce == ReduceKind::kStd);
}

Expr as_dtype(const Expr& value, DType from, DType to) {
  return from == to ? value : astype(value, to);
}

/// Rewrites a node; `operand` is its operand in the new graph.
Expr expanded(const TypedGraph& typed, int id, const Expr& operand) {
  const Node& node = typed.node(id);
  const DType given = typed.typed(node.operands[0]).dtype;
  const DType from = node.axes.dtype.value_or(given), result = typed.typed(id).dtype;
  const DType compute = typed.typed(id).compute;
  const Expr x = as_dtype(as_dtype(operand, given, from), from, compute);
  const ReduceOptions kept{.all = node.axes.all, .axes = node.axes.axes, .keepdims = true};
  const ReduceOptions own{
      .all = node.axes.all, .axes = node.axes.axes, .keepdims = node.axes.keepdims};
  const Expr distance = x - reduce(ReduceKind::kMean, x, kept);
  const Expr total = reduce(ReduceKind::kSum, square(distance), own);
  std::int64_t count = -node.axes.ddof;
  std::int64_t elements = 1;
  for (const int axis : typed.axes) elements *= typed.shape[axis];
  count = std::max<std::int64_t>(count + elements, 0);
  const Expr variance = total / static_cast<double>(count);
  return as_dtype(node.reduce == ReduceKind::kStd ? sqrt(variance) : variance, compute, result);
}

}  // namespace

std::unique_ptr<const Graph> expand_variances(const TypedGraph& typed) {
  const Graph& old = *typed.graph;
  if (std::ranges::none_of(typed.reductions, [&](int id) { return is_variance(typed.node(id)); }))
    return nullptr;
  auto graph = std::make_unique<Graph>();
  graph->inputs = old.inputs;
  std::vector<int> renamed;
  for (int id = 0; id < old.size(); ++id) {
    Node node = old.node(id);
    for (int& operand : node.operands) operand = renamed[static_cast<std::size_t>(operand)];
    const bool expands = is_variance(node) && typed.typed(id).is_needed;
    renamed.push_back(expands ? expanded(typed, id, Expr{graph.get(), node.operands[0]}).id
                              : graph->add(std::move(node)));
  }
  for (const int output : old.outputs)
    graph->outputs.push_back(renamed[static_cast<std::size_t>(output)]);
  return graph;
}

}  // namespace kernelbatch
