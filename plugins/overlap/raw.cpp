// overlap in one launch, whose blocks share both pieces.
#include "plugins/overlap/parts.hpp"

namespace kernelbatch::workloads::overlap {

Work raw(const Overlap& in, Run& run) {
  const Parts parts(in, run);
  return [=](Stream& stream) { parts.queue_both(stream); };
}

}  // namespace kernelbatch::workloads::overlap
