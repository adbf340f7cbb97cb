// overlap as two launches on one stream, one after the other.
#include "plugins/overlap/parts.hpp"

namespace kernelbatch::workloads::overlap {

static Work one_stream(const Overlap& in, Run& run) {
  const Parts parts(in, run);
  return [=](Stream& stream) {
    parts.queue_squares(stream);
    parts.queue_product(stream);
  };
}
static const Variant kOneStream{"one_stream", VariantKind::kRaw,
                                "two launches, one after the other", one_stream};

}  // namespace kernelbatch::workloads::overlap
