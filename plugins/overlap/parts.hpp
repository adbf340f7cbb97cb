// The two pieces of overlap as raw kernels, to be queued wherever a variant wants them.
#pragma once

#include "core/kernel/raw.hpp"
#include "plugins/overlap/overlap.hpp"

namespace overlap {

class Parts {
 public:
  Parts(const Overlap& in, kernelbatch::Run& run);

  void queue_squares(kernelbatch::Stream& stream) const;
  void queue_product(kernelbatch::Stream& stream) const;
  /// Both in one launch, whose blocks share the work.
  void queue_both(kernelbatch::Stream& stream) const;

 private:
  const Overlap& in_;
  kernelbatch::Array p_, a_, b_, squares_, product_;
  kernelbatch::RawModule module_;
  kernelbatch::RawKernel sum_, multiply_, both_;
  std::uint32_t tiles_across_, row_blocks_;
};

}  // namespace overlap
