#include "tests/fuzz/scratch.hpp"

#include <fstream>

namespace kernelbatch::fuzz {

std::filesystem::path scratch_file(const std::string& name, Bytes input) {
  static const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(input.data()),
             static_cast<std::streamsize>(input.size()));
  return path;
}

}  // namespace kernelbatch::fuzz
