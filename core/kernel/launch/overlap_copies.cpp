#include "core/kernel/launch/overlap_copies.hpp"

namespace kernelbatch {

std::unique_ptr<ElementwiseKernel> make_overlap_copier() {
  return std::make_unique<ElementwiseKernel>(
      ElementwiseText{.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_overlapped"});
}

std::span<const Argument> OverlapCopies::copy(Stream& stream, const ElementwiseKernel& copier,
                                              const LaunchPlan& plan,
                                              std::span<const Argument> arguments) {
  arguments_.clear();
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!plan.overlaps(k, arguments)) {
      arguments_.push_back(arguments[k]);
      continue;
    }
    const Array& from = arguments[k].array();
    Array& copy = copies_[{&stream, k}];
    if (copy.device() == nullptr)
      copy = Array::on_device(stream.device(), from.dtype(), from.shape());
    copier(stream, from, copy);
    arguments_.emplace_back(copy);
  }
  return arguments_;
}

}  // namespace kernelbatch
