#include "core/kernel/launch/overlap_copies.hpp"

namespace kernelbatch {

std::unique_ptr<ElementwiseKernel> make_overlap_copier() {
  return std::make_unique<ElementwiseKernel>(
      ElementwiseText{.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_overlapped"});
}

OverlapCopies::OverlapCopies(Stream& stream, const ElementwiseKernel& copier,
                             const LaunchPlan& plan, std::span<const Argument> arguments) {
  copies_.reserve(arguments.size());  // arguments point to its elements
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!plan.overlaps(k, arguments)) {
      arguments_.push_back(arguments[k]);
      continue;
    }
    copies_.push_back(copier(stream, arguments[k].array())[0]);
    arguments_.emplace_back(copies_.back());
  }
}

}  // namespace kernelbatch
