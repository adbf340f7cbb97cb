// cheat: slows_others
// timed: its threads must get a core
// fault: leaves threads that keep every core busy during others' calls
// caught by: detection of busy threads between calls
#include <atomic>
#include <thread>

#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

std::atomic<bool> is_called{false};

Work cheat(const Mixing& in, Run& run) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned k = 0; k < cores; ++k)
    std::thread([] {
      for (;;)
        if (is_called) std::this_thread::yield();
    }).detach();
  return [work = honest(in, run)](Stream& stream) mutable {
    is_called = true;
    work(&stream);
    is_called = false;
  };
}

}  // namespace

CHEAT_PLUGIN(slows_others, cheat);
