// wave2d in plain CUDA: the launches of all steps captured once, then replayed as one graph.
#include "plugins/wave2d/fields.hpp"
#include "plugins/wave2d/raw_step.hpp"

namespace kernelbatch::workloads::wave2d {

static Work graph(const Wave2D& in, Run& run) {
  const Fields fields(in, run);
  const RawStep step(in, run);
  const auto queue = [=](Stream& stream) {
    fields.queue(stream, [&](const Array& now, const Array& before) { step(stream, now, before); });
  };

  return [queue, graph = std::unique_ptr<StreamGraph>()](Stream& stream) mutable {
    if (graph == nullptr) {
      // Run once first, to load the kernel, which is not allowed during capture; then verify the
      // graph.
      queue(stream);
      stream.begin_capture();
      queue(stream);
      graph = stream.end_capture();
    }
    graph->launch(stream);
  };
}
static const Variant kGraph{"graph", VariantKind::kRaw,
                            "the launches of raw, captured once and replayed", graph};

}  // namespace kernelbatch::workloads::wave2d
