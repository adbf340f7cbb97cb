#include "core/base/scratch_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <fstream>
#include <string>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "kernelbatch-compile-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw RunError(fmt::format("cannot create a temporary folder in '{}'",
                               fs::temp_directory_path().string()));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path ScratchFolder::write(const fs::path& name, std::string_view text) const {
  const fs::path path = path_ / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush()) throw RunError(fmt::format("cannot write '{}'", path.string()));
  return path;
}

}  // namespace kernelbatch
