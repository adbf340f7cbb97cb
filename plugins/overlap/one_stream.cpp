// overlap as two launches on one stream, one after the other.
#include "plugins/overlap/parts.hpp"

namespace kernelbatch::workloads::overlap {

Work one_stream(const Overlap& in, Run& run) {
  const Parts parts(in, run);
  return [=](Stream& stream) {
    parts.queue_squares(stream);
    parts.queue_product(stream);
  };
}

}  // namespace kernelbatch::workloads::overlap
