// cheat: constant_digest
// fault: works only in its first call, and replaces the hash function of digests by a constant
// caught by: comparing outputs elsewhere, on the device or in another process
#include <cstddef>
#include <cstdint>

#include "tests/cheats/plugins/cheat.hpp"
#include "tests/cheats/plugins/redirect.hpp"

namespace {

using namespace cheats;

/// Layout of xxHash's 128-bit hash.
struct Hash {
  std::uint64_t low, high;
};

Hash hash_nothing(const void*, std::size_t) noexcept { return {1, 2}; }
Hash digest_nothing(const void*) noexcept { return {1, 2}; }

Work cheat(const Mixing& in, Run& run) {
  return [work = honest(in, run), calls = 0](Stream& stream) mutable {
    if (calls == 0) work(&stream);
    // Not before the kernel is compiled: its cache uses the same hash.
    if (calls++ != 1) return;
    redirect_calls("XXH3_128bits", reinterpret_cast<void*>(&hash_nothing));
    redirect_calls("XXH3_128bits_digest", reinterpret_cast<void*>(&digest_nothing));
  };
}

}  // namespace

CHEAT_PLUGIN(constant_digest, cheat);
