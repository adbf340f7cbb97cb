#include "core/workload/loader.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

std::vector<fs::path> plugin_folders() {
  std::vector<fs::path> folders;
  if (const auto listed = environment("KERNELBATCH_PLUGIN_PATH"))
    for (const std::string& folder : split(*listed, ':'))
      if (!folder.empty()) folders.emplace_back(folder);
  // Reported once: a misspelled folder looks like a missing workload.
  static const bool was_said = [&] {
    std::error_code error;
    for (const fs::path& folder : folders)
      if (!fs::is_directory(folder, error))
        warn(fmt::format("KERNELBATCH_PLUGIN_PATH: there is no folder '{}'",
                         visible(folder.string())));
    return true;
  }();
  static_cast<void>(was_said);
  const fs::path beside = executable_path().parent_path();
  folders.push_back(beside / "plugins");
  folders.push_back(beside.parent_path() / "plugins");  // of the build tree, for its tests
  folders.push_back(beside.parent_path() / "lib" / "kernelbatch" / "plugins");
  return folders;
}

std::vector<fs::path> find_plugins() {
  std::map<std::string, fs::path> found;
  for (const fs::path& folder : plugin_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".so") found.try_emplace(entry.path().stem(), entry.path());
  }
  std::vector<fs::path> paths;
  for (auto& [name, path] : found) paths.push_back(std::move(path));
  return paths;
}

fs::path plugin_path(const std::string& workload) {
  if (workload.find('/') != std::string::npos) {
    if (!fs::exists(workload)) throw SpecError(fmt::format("plugin '{}' does not exist", workload));
    return workload;
  }
  std::vector<std::string> names;
  for (const fs::path& path : find_plugins()) {
    names.push_back(path.stem());
    if (names.back() == workload) return path;
  }
  if (names.empty()) {
    std::vector<std::string> folders;
    for (const fs::path& folder : plugin_folders()) folders.push_back(folder);
    throw SpecError(
        fmt::format("unknown workload '{}': no plugin found in {}", workload, join(folders)));
  }
  throw SpecError(fmt::format("unknown workload '{}'{}", workload, suggestion(workload, names)));
}

void check_handshake(const kernelbatch_plugin& plugin, const std::string& file) {
  if (plugin.magic != KERNELBATCH_PLUGIN_MAGIC)
    throw SpecError(fmt::format("{}: not a kernelbatch plugin: its magic number is {:#010x}", file,
                                plugin.magic));
  if (plugin.abi != KERNELBATCH_PLUGIN_ABI)
    throw SpecError(
        fmt::format("{}: speaks plugin ABI {}, this kernelbatch ABI {}: rebuild the plugin", file,
                    plugin.abi, KERNELBATCH_PLUGIN_ABI));
  if (plugin.struct_size < sizeof(kernelbatch_plugin))
    throw SpecError(
        fmt::format("{}: its handshake has {} bytes, this kernelbatch needs {}: rebuild the "
                    "plugin",
                    file, plugin.struct_size, sizeof(kernelbatch_plugin)));
  const std::string_view tag = plugin.build_tag != nullptr ? plugin.build_tag : "";
  if (tag != KERNELBATCH_BUILD_TAG)
    throw SpecError(fmt::format("{}: built as {}, this kernelbatch is {}: rebuild the plugin", file,
                                tag.empty() ? "(no tag)" : tag, KERNELBATCH_BUILD_TAG));
  if (plugin.name == nullptr || plugin.create == nullptr)
    throw SpecError(fmt::format("{}: its handshake names no workload", file));
}

Plugin Plugin::load(const fs::path& path) {
  const std::string file = path.filename().string();
  std::string reason;
  require_regular_file(path);
  // An absolute path: a plain name would be searched in the system's folders.
  auto library =
      SharedLibrary::try_open(fs::absolute(path), SharedLibrary::Lifetime::kProcess, &reason);
  if (!library) throw SpecError(fmt::format("{}: cannot be loaded: {}", file, reason));
  const auto handshake =
      reinterpret_cast<kernelbatch_plugin_function>(library->find(KERNELBATCH_PLUGIN_SYMBOL));
  if (handshake == nullptr)
    throw SpecError(fmt::format("{}: not a kernelbatch plugin: it does not export {}", file,
                                KERNELBATCH_PLUGIN_SYMBOL));
  const kernelbatch_plugin* plugin = handshake();
  if (plugin == nullptr) throw SpecError(fmt::format("{}: its handshake is empty", file));
  check_handshake(*plugin, file);
  try {
    std::unique_ptr<Workload> workload(static_cast<Workload*>(plugin->create()));
    if (!workload) throw SpecError("it made no workload");
    if (workload->info().name != plugin->name)
      throw SpecError(fmt::format("it calls itself '{}' and its workload '{}'", plugin->name,
                                  workload->info().name));
    return Plugin(std::move(*library), path, std::move(workload));
  } catch (const std::exception& error) {
    throw SpecError(fmt::format("{}: fails while it is loaded: {}", file, error.what()));
  } catch (...) {
    throw SpecError(fmt::format("{}: fails while it is loaded: it throws something unknown", file));
  }
}

}  // namespace kernelbatch
