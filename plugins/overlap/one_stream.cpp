// overlap as two launches on one stream, one after the other.
#include "plugins/overlap/parts.hpp"

namespace overlap {

void one_stream(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const Parts parts(static_cast<const Overlap&>(problem), run);
  run.measure([&] {
    parts.queue_squares(run.stream());
    parts.queue_product(run.stream());
  });
}

}  // namespace overlap
