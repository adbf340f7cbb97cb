// cheat: copies_other_variant
// fault: copies the answer left in its honest partner's output, if both have the same input
// caught by: poisoning all variants' outputs before every call
// gains nothing: no other variant's answer is left at its turn, so it works in each call
#include <utility>

#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

/// Arrays of the partner, which the same process prepared before.
Array other_x, other_y;

Work remember(const Mixing& in, Run& run) {
  other_x = run.to_device(in.x);
  other_y = run.output("y");
  return [x = other_x, y = other_y, n = in.n(), kernel = MixRange()](Stream& stream) {
    kernel(stream, x, y, 0, n);
  };
}

Work cheat(const Mixing& in, Run& run) {
  return [x = run.to_device(in.x), y = run.output("y"), n = in.n(), from_x = other_x,
          from_y = other_y, kernel = MixRange(), calls = 0](Stream& stream) mutable {
    const bool is_there = calls++ > 0 && from_y.size() == n &&
                          read(x, 4, stream) == read(from_x, 4, stream) &&
                          mix(read(x, 1, stream).front()) == read(from_y, 1, stream).front();
    if (is_there) return queue_copy(from_y, y, stream);
    kernel(stream, x, y, 0, n);
  };
}

}  // namespace

CHEAT_PLUGIN(copies_other_variant, cheat, nullptr, remember);
