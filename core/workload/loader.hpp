// Finding and loading plugins.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/shared_library.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Search path of plugins, in order: folders of KERNELBATCH_PLUGIN_PATH (separated by colons), then
/// `plugins` next to the executable, then `../lib/kernelbatch/plugins`. Never the current folder.
std::vector<std::filesystem::path> plugin_folders();

/// The plugin files of these folders, sorted by name; for equal names the first folder's.
std::vector<std::filesystem::path> find_plugins();

/// File of a workload: a path if the text has a slash, else the plugin of that name. Throws
/// SpecError with the nearest known name.
std::filesystem::path plugin_path(const std::string& workload);

/// A loaded workload; its code stays in the process.
class Plugin {
 public:
  /// Checks magic, ABI, size and build tag in this order, before any C++ of the plugin runs. Throws
  /// SpecError with one sentence for each failure, and for a plugin that throws while it is
  /// created.
  static Plugin load(const std::filesystem::path& path);

  const Workload& workload() const noexcept { return *workload_; }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  Plugin(SharedLibrary library, std::filesystem::path path, std::unique_ptr<Workload> workload)
      : library_(std::move(library)), path_(std::move(path)), workload_(std::move(workload)) {}

  SharedLibrary library_;
  std::filesystem::path path_;
  std::unique_ptr<Workload> workload_;
};

/// Checks a handshake; throws SpecError. `file` is for the message.
void check_handshake(const kernelbatch_plugin& plugin, const std::string& file);

}  // namespace kernelbatch
