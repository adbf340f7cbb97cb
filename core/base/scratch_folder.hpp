// A folder for the files of one task, gone when its object is.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/file.hpp"
#include "core/base/process.hpp"

namespace kernelbatch {

/// Locked while it is in use, so that the next process finds out which folders a killed one left.
class ScratchFolder {
 public:
  /// In the system's temporary folder, readable by this user alone. The first of a process removes
  /// what killed ones left. Throws EnvironmentError.
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const noexcept { return path_; }
  /// Writes a file below the folder, and the folders between. Throws EnvironmentError. Returns its
  /// path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const;
  /// Throws EnvironmentError where nothing more can be written: then a program that failed here
  /// says nothing about its input.
  void require_room() const;

 private:
  std::filesystem::path path_;
  FileDescriptor lock_;
};

/// Of a program that failed with its files in `scratch`: throws EnvironmentError where that was the
/// surroundings' doing, since it was ended by a signal or found no room.
void require_own_failure(const ProcessResult& result, const std::filesystem::path& program,
                         const ScratchFolder& scratch);

/// Removes this user's scratch folders in the system's temporary folder that no living process
/// holds. Never follows a link.
void remove_abandoned_scratch_folders() noexcept;

}  // namespace kernelbatch
