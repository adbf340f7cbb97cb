// overlap as two launches on two streams, forked and joined by events.
#include "plugins/overlap/parts.hpp"

namespace kernelbatch::workloads::overlap {

static Work two_streams(const Overlap& in, Run& run) {
  const Parts parts(in, run);
  Stream& second = run.stream(1);

  return [parts, &second, forked = run.device().make_event(),
          joined = run.device().make_event()](Stream& stream) {
    stream.record(*forked);
    second.wait(*forked);
    parts.queue_squares(second);
    parts.queue_product(stream);
    second.record(*joined);
    stream.wait(*joined);
  };
}
static const Variant kTwoStreams{"two_streams", VariantKind::kRaw,
                                 "two launches side by side, joined by events", two_streams};

}  // namespace kernelbatch::workloads::overlap
