// overlap as two launches on two streams, forked and joined by events.
#include "plugins/overlap/parts.hpp"

namespace overlap {

void two_streams(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const Parts parts(static_cast<const Overlap&>(problem), run);
  const auto forked = run.device().make_event();
  const auto joined = run.device().make_event();
  kernelbatch::Stream& second = run.stream(1);

  run.measure([&] {
    run.stream().record(*forked);
    second.wait(*forked);
    parts.queue_squares(second);
    parts.queue_product(run.stream());
    second.record(*joined);
    run.stream().wait(*joined);
  });
}

}  // namespace overlap
