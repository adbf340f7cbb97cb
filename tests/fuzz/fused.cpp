#include <string>
#include <vector>

#include "core/kernel/fuse/fused_plan.hpp"
#include "core/kernel/fuse/parse.hpp"
#include "tests/fuzz/refused.hpp"

namespace kernelbatch::fuzz {

/// The expression, over inputs of several kinds.
void fused(Bytes input) {
  const std::vector<std::string> names{"x", "y", "k", "z"};
  const DType dtypes[] = {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kComplex64};
  const Shape shapes[] = {{6, 4}, {6, 4}, {4}, {1, 4}};
  is_refused([&] {
    const Graph graph = parse_fused(text_of(input), names);
    claim(graph.inputs == static_cast<int>(names.size()), "inputs got lost");
    const FusedPlan plan(graph, "fused", dtypes, shapes);
    claim(plan.outputs().size() == graph.outputs.size(), "outputs got lost");
  });
}

}  // namespace kernelbatch::fuzz
