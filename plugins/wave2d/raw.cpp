// wave2d in plain CUDA, compiled ahead: a launch for each step.
#include "plugins/wave2d/fields.hpp"
#include "plugins/wave2d/raw_step.hpp"

namespace wave2d {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Wave2D&>(problem);
  const Fields fields(in, run);
  const RawStep step(in, run);
  run.measure([&] {
    fields.queue(run.stream(),
                 [&](const kernelbatch::Array& now, const kernelbatch::Array& before) {
                   step(run.stream(), now, before);
                 });
  });
}

}  // namespace wave2d
