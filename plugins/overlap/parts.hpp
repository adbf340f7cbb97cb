// The two pieces of overlap as raw kernels, for any stream.
#pragma once

#include "core/kernel/raw/kernel.hpp"
#include "plugins/overlap/overlap.hpp"

namespace kernelbatch::workloads::overlap {

class Parts {
 public:
  Parts(const Overlap& in, Run& run);

  void queue_squares(Stream& stream) const;
  void queue_product(Stream& stream) const;
  /// Both in one launch, whose blocks share the work.
  void queue_both(Stream& stream) const;

 private:
  const Overlap& in_;
  Array p_, a_, b_, squares_, product_;
  RawModule module_;
  RawKernel sum_, multiply_, both_;
  std::uint32_t tiles_across_, row_blocks_;
};

}  // namespace kernelbatch::workloads::overlap
