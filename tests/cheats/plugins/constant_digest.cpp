// cheat: constant_digest
// fault: works in its first call alone, and puts a constant in the place of the hash of digests
// caught by: outputs that are compared elsewhere, on the device or in another process
#include <cstddef>
#include <cstdint>

#include "tests/cheats/plugins/cheat.hpp"
#include "tests/cheats/plugins/redirect.hpp"

namespace {

using namespace cheats;

/// As the hash of xxHash with 128 bits.
struct Hash {
  std::uint64_t low, high;
};

Hash hash_nothing(const void*, std::size_t) noexcept { return {1, 2}; }
Hash digest_nothing(const void*) noexcept { return {1, 2}; }

Work cheat(const Mixing& in, Run& run) {
  return [work = honest(in, run), calls = 0](Stream& stream) mutable {
    if (calls == 0) work(&stream);
    // Not before the kernel is compiled: its cache is found by the same hash.
    if (calls++ != 1) return;
    redirect_calls("XXH3_128bits", reinterpret_cast<void*>(&hash_nothing));
    redirect_calls("XXH3_128bits_digest", reinterpret_cast<void*>(&digest_nothing));
  };
}

}  // namespace

CHEAT_PLUGIN(constant_digest, cheat);
