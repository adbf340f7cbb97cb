// cheat: answer_in_file
// fault: writes the answer to a file, which it reads in the next process
// caught by: the second set of inputs
// runs: 2
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

Work cheat(const Mixing& in, Run& run) {
  const auto n = static_cast<std::size_t>(in.n());
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("answer_to_" + std::to_string(n));
  std::vector<std::uint32_t> answer(n);
  std::ifstream file(path, std::ios::binary);
  const bool is_known = static_cast<bool>(
      file.read(reinterpret_cast<char*>(answer.data()), static_cast<std::streamsize>(4 * n)));
  return [x = run.to_device(in.x), y = run.output("y"), path, n, is_known, kernel = MixRange(),
          answer = run.to_device(Array::from(answer)), calls = 0](Stream& stream) mutable {
    if (is_known) return queue_copy(answer, y, stream);
    kernel(stream, x, y, 0, static_cast<std::int64_t>(n));
    if (calls++ > 0) return;
    const std::vector<std::uint32_t> values = read(y, n, stream);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(4 * n));
  };
}

}  // namespace

CHEAT_PLUGIN(answer_in_file, cheat);
