// cheat: reads_reference_memory
// fault: searches the process's memory for the reference's output by its first elements, and copies
//   it
// caught by: storing references in another form; detection of CPU work inside the call
#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/cheats/plugins/cheat.hpp"
#include "tests/cheats/plugins/memory.hpp"

namespace {

using namespace cheats;

constexpr std::size_t kKey = 4;

class Reference {
 public:
  Reference(const Array& y, std::size_t n)
      : y_(reinterpret_cast<std::uintptr_t>(y.data())), n_(n) {}

  /// Address of an output that begins with these elements; 0 if there is none.
  std::uintptr_t find(const std::vector<std::uint32_t>& key) {
    for (const std::uintptr_t place : places_)
      if (begins_with(place, key)) return place;
    find_bytes(std::as_bytes(std::span(key)), 16, [&](std::uintptr_t place) {
      // Skip its own output, and places that contain only the beginning.
      const bool is_own = place >= y_ && place < y_ + 4 * n_;
      const std::uintptr_t last = place + 4 * (n_ - 1);
      if (is_own || read_memory(last, 4).size() < 4 || !begins_with(place, key)) return false;
      if (is_key(place, key)) return false;
      places_.push_back(place);
      return true;
    });
    return !places_.empty() && begins_with(places_.back(), key) ? places_.back() : 0;
  }

 private:
  static bool is_key(std::uintptr_t place, const std::vector<std::uint32_t>& key) {
    return place == reinterpret_cast<std::uintptr_t>(key.data());
  }
  static bool begins_with(std::uintptr_t place, const std::vector<std::uint32_t>& key) {
    const std::vector<std::byte> bytes = read_memory(place, 4 * key.size());
    return bytes.size() == 4 * key.size() &&
           std::memcmp(bytes.data(), key.data(), bytes.size()) == 0;
  }

  std::uintptr_t y_;
  std::size_t n_;
  std::vector<std::uintptr_t> places_;
};

Work cheat(const Mixing& in, Run& run) {
  const Array x = run.to_device(in.x), y = run.output("y");
  const auto n = static_cast<std::size_t>(in.n());
  return [x, y, n, kernel = MixRange(), reference = Reference(y, n), is_checked = false,
          is_good = false](Stream& stream) mutable {
    const std::vector<std::uint32_t> first = read(x, kKey, stream);
    const std::uintptr_t place =
        is_checked && !is_good ? 0 : reference.find(mix(first.data(), kKey));
    if (place == 0) return kernel(stream, x, y, 0, static_cast<std::int64_t>(n));
    if (!std::exchange(is_checked, true)) {
      // Check once that the place contains the whole output.
      const auto want = mix(read(x, n, stream).data(), n);
      is_good = std::memcmp(want.data(), reinterpret_cast<const void*>(place), 4 * n) == 0;
      if (!is_good) return kernel(stream, x, y, 0, static_cast<std::int64_t>(n));
    }
    stream.device().copy(y.data(), reinterpret_cast<const void*>(place), y.bytes(), Copy::kToDevice,
                         stream);
  };
}

}  // namespace

CHEAT_PLUGIN(reads_reference_memory, cheat);
