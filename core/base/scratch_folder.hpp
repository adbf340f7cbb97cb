// A folder for the files of one task, gone when its object is.
#pragma once

#include <filesystem>
#include <string_view>

namespace kernelbatch {

class ScratchFolder {
 public:
  /// In the system's temporary folder, readable by this user alone. Throws RunError.
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const noexcept { return path_; }
  /// Writes a file below the folder, and the folders between. Throws RunError. Returns its path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace kernelbatch
