// cheat: reads_reference_cache
// timed: its answers are correct
// fault: reads the answer from the reference cache, and computes it if it is not there
// caught by: the time on the second set of inputs
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/base/process.hpp"
#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;
namespace fs = std::filesystem;

/// Makes the reference slow enough to be cached.
void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

/// The elements of a cached reference that begins with `key`; empty if there is none.
std::vector<std::uint32_t> kept_answer(const std::vector<std::uint32_t>& key, std::size_t n) {
  const fs::path cache =
      kernelbatch::environment("KERNELBATCH_CACHE_DIR")
          .value_or(kernelbatch::environment("HOME").value_or("") + "/.cache/kernelbatch");
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(cache / "references", missing)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    // A line, a digest followed by a line of JSON, the elements.
    const std::size_t header = all.find('\n', all.find('\n') + 1);
    if (header == std::string::npos || all.size() < header + 1 + 4 * n) continue;
    std::vector<std::uint32_t> elements(n);
    std::memcpy(elements.data(), all.data() + header + 1, 4 * n);
    if (std::equal(key.begin(), key.end(), elements.begin())) return elements;
  }
  return {};
}

Work cheat(const Mixing& in, Run& run) {
  const auto n = static_cast<std::size_t>(in.n());
  const auto known = in.x.as<std::uint32_t>();
  std::vector<std::uint32_t> answer = kept_answer(mix(known.data(), 4), n);
  if (answer.empty()) answer.resize(n);
  return [x = run.to_device(in.x), y = run.output("y"), answer = run.to_device(Array::from(answer)),
          first = mix(known.data(), 1), value = answer.front(), begin = known.front(), n = in.n(),
          kernel = MixRange()](Stream& stream) {
    if (value == first.front() && read(x, 1, stream).front() == begin)
      return queue_copy(answer, y, stream);
    kernel(stream, x, y, 0, n);
  };
}

}  // namespace

CHEAT_PLUGIN(reads_reference_cache, cheat, wait);
