// A folder for the files of one task, deleted with its object.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/file.hpp"
#include "core/base/process.hpp"

namespace kernelbatch {

/// Locked while in use, so that later processes can identify folders of killed ones.
class ScratchFolder {
 public:
  /// Creates the folder in the system's temporary folder, readable only by this user. The first one
  /// of a process removes abandoned folders. Throws EnvironmentError.
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const noexcept { return path_; }
  /// Writes a file below the folder, creating folders between. Throws EnvironmentError. Returns its
  /// path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const;
  /// Throws EnvironmentError if nothing more can be written: then a failure of a program here is
  /// not due to its input.
  void require_room() const;

 private:
  std::filesystem::path path_;
  FileDescriptor lock_;
};

/// For a program that failed with files in `scratch`: throws EnvironmentError if the environment
/// caused the failure, by a signal or a full disk.
void require_own_failure(const ProcessResult& result, const std::filesystem::path& program,
                         const ScratchFolder& scratch);

/// Removes this user's scratch folders in the system's temporary folder that no living process
/// holds. Does not follow links.
void remove_abandoned_scratch_folders() noexcept;

}  // namespace kernelbatch
