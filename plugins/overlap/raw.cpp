// overlap in one launch, whose blocks share both pieces.
#include "plugins/overlap/parts.hpp"

namespace overlap {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const Parts parts(static_cast<const Overlap&>(problem), run);
  run.measure([&] { parts.queue_both(run.stream()); });
}

}  // namespace overlap
