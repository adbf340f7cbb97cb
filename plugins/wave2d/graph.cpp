// wave2d in plain CUDA: the launches of all steps captured once, then replayed as one graph.
#include "plugins/wave2d/fields.hpp"
#include "plugins/wave2d/raw_step.hpp"

namespace wave2d {

void graph(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Wave2D&>(problem);
  const Fields fields(in, run);
  const RawStep step(in, run);
  const auto queue = [&] {
    fields.queue(run.stream(),
                 [&](const kernelbatch::Array& now, const kernelbatch::Array& before) {
                   step(run.stream(), now, before);
                 });
  };
  std::unique_ptr<kernelbatch::StreamGraph> graph;

  run.measure([&] {
    if (graph == nullptr) {
      // Once for the kernel to be loaded, which a capture must not do; then the graph is verified.
      queue();
      run.stream().begin_capture();
      queue();
      graph = run.stream().end_capture();
    }
    graph->launch(run.stream());
  });
}

}  // namespace wave2d
