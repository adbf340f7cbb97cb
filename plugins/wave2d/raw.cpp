// wave2d in plain CUDA, precompiled unless a job tunes it: a launch for each step.
#include "plugins/wave2d/fields.hpp"
#include "plugins/wave2d/raw_step.hpp"

namespace kernelbatch::workloads::wave2d {

static Work raw(const Wave2D& in, Run& run) {
  const Fields fields(in, run);
  const RawStep step(in, run);
  return [=](Stream& stream) {
    fields.queue(stream, [&](const Array& now, const Array& before) { step(stream, now, before); });
  };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "a launch for each step", raw};

}  // namespace kernelbatch::workloads::wave2d
