// overlap in one launch, whose blocks share both pieces.
#include "plugins/overlap/parts.hpp"

namespace kernelbatch::workloads::overlap {

static Work raw(const Overlap& in, Run& run) {
  const Parts parts(in, run);
  return [=](Stream& stream) { parts.queue_both(stream); };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "one launch, whose blocks share both pieces",
                          raw};

}  // namespace kernelbatch::workloads::overlap
