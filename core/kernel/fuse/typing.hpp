// Dtypes and shapes of every node of an expression, for given inputs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/array/shape.hpp"
#include "core/kernel/fuse/expression.hpp"

namespace kernelbatch {

/// One node with its type. `compute` is what its operation works in, `accumulator` what a reduction
/// adds up in.
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
  Shape shape;                  ///< of what is reduced, or of the whole elementwise loop
  std::vector<int> axes;        ///< reduced, sorted; empty without reductions
  const Node& node(int id) const { return graph->node(id); }
  const TypedNode& typed(int id) const { return nodes[static_cast<std::size_t>(id)]; }
  /// Whether a value comes from reductions that left their axes out, where it does not line up with
  /// the elements without them: these were not the first ones.
  bool has_dropped_axes(int id) const;
};

/// NumPy's promotion and broadcasting. Throws SpecError that says which operation cannot be fused
/// and why: unequal axes or shapes of reductions, bit operations on floats, order of complex
/// numbers.
TypedGraph type_graph(const Graph& graph, std::span<const DType> dtypes,
                      std::span<const Shape> shapes);

}  // namespace kernelbatch
