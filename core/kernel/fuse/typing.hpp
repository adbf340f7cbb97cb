// Dtypes and shapes of every node of an expression, for given inputs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/array/shape.hpp"
#include "core/kernel/fuse/expression.hpp"

namespace kernelbatch {

/// A node with its type. `compute` is the dtype of its operation, `accumulator` that of a
/// reduction's sum.
struct TypedNode {
  DType dtype = DType::kFloat64;
  DType compute = DType::kFloat64;
  Shape shape;
  bool is_needed = false;       ///< an output depends on it
  bool follows_reduce = false;  ///< depends on a reduction, or is one
  int phase = 0;                ///< number of reductions one after the other before it
};

/// An expression over inputs of known dtype and shape.
struct TypedGraph {
  const Graph* graph = nullptr;
  std::vector<TypedNode> nodes;
  std::vector<int> reductions;  ///< the needed ones, in order
  Shape shape;                  ///< of the reduced elements, or of the whole elementwise loop
  std::vector<int> axes;        ///< reduced, sorted; empty without reductions
  const Node& node(int id) const { return graph->node(id); }
  const TypedNode& typed(int id) const { return nodes[static_cast<std::size_t>(id)]; }
  /// True if a value comes from reductions whose axes were dropped and so does not broadcast with
  /// the elements: the axes were not the first ones.
  bool has_dropped_axes(int id) const;
};

/// NumPy's promotion and broadcasting. Throws SpecError naming the operation that cannot be fused
/// and the reason: different axes or shapes of reductions, bit operations on floats, ordering of
/// complex numbers.
TypedGraph type_graph(const Graph& graph, std::span<const DType> dtypes,
                      std::span<const Shape> shapes);

}  // namespace kernelbatch
