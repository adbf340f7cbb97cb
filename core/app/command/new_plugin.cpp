// kernelbatch new-plugin: creates a folder with a workload that builds, passes its test and runs,
// as a starting point.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "app_embedded.hpp"
#include "core/app/command.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/job/sbatch.hpp"
#include "core/workload/loader.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;
namespace {

struct NewPluginOptions {
  std::string name, folder = ".";
};

/// The name becomes a namespace, a file name and a workload's name.
void require_plugin_name(const std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz", kOthers = "0123456789_";
  constexpr std::array kTaken{
      "auto",   "bool",     "case",      "char", "class",    "const", "delete",
      "double", "embedded", "float",     "for",  "inline",   "int",   "kernelbatch",
      "long",   "main",     "namespace", "new",  "operator", "short", "std",
      "struct", "switch",   "template",  "this", "union",    "void",  "while"};
  const bool is_word = !name.empty() && kLetters.find(name.front()) != std::string_view::npos &&
                       std::ranges::all_of(name, [&](char c) {
                         return kLetters.find(c) != std::string_view::npos ||
                                kOthers.find(c) != std::string_view::npos;
                       });
  if (!is_word || name.find("__") != std::string::npos)
    throw SpecError(
        fmt::format("'{}' cannot name a plugin: use small letters, digits and single underscores, "
                    "a letter first",
                    name));
  if (std::ranges::find(kTaken, name) != kTaken.end())
    throw SpecError(
        fmt::format("'{}' cannot name a plugin: C++ or kernelbatch uses the word", name));
}

/// Names between two `@` in the template, and their values in the plugin.
using Marks = std::vector<std::pair<std::string_view, std::string>>;

std::string filled(std::string_view text, const Marks& marks) {
  std::string result(text);
  for (const auto& [mark, word] : marks)
    for (std::size_t at = 0; (at = result.find(mark, at)) != std::string::npos; at += word.size())
      result.replace(at, mark.size(), word);
  return result;
}

/// Folder in which find_package() finds the running kernelbatch: its build folder or its
/// installation.
std::string prefix_of_package() {
  const fs::path beside = executable_path().parent_path();
  const fs::path installed = beside.parent_path();
  if (fs::exists(beside / "kernelbatchConfig.cmake")) return beside.string();
  if (fs::exists(installed / "lib" / "cmake" / "kernelbatch")) return installed.string();
  return "WHERE_KERNELBATCH_IS_INSTALLED";
}

/// A plugin of the same name would hide another, or be hidden.
void require_new_name(const std::string& name) {
  for (const fs::path& plugin : find_plugins())
    if (plugin.stem() == name)
      throw SpecError(fmt::format("there is a workload '{}' already, {}: choose another name", name,
                                  plugin.string()));
}

/// A folder next to `folder` that is deleted with its files unless it was renamed.
struct TemporaryFolder {
  explicit TemporaryFolder(const fs::path& folder) : path(temporary_name(folder)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  const fs::path path;
};

int write_plugin(const NewPluginOptions& options) {
  require_plugin_name(options.name);
  require_new_name(options.name);
  const fs::path folder = fs::path(options.folder) / options.name;
  if (fs::exists(folder))
    throw SpecError(fmt::format("'{}' exists: nothing is overwritten", folder.string()));
  const std::pair<std::string, std::string_view> files[] = {
      {"CMakeLists.txt", plugin_template::cmake_lists},
      {options.name + ".hpp", plugin_template::workload},
      {"reference.cpp", plugin_template::reference},
      {"elementwise.cpp", plugin_template::elementwise},
      {"jit.cpp", plugin_template::jit},
      {"raw.cpp", plugin_template::raw},
      {"raw.cu", plugin_template::raw_kernel},
      {options.name + ".yaml", plugin_template::job},
      {"README.md", plugin_template::readme},
  };
  const std::string prefix = shell_quoted(prefix_of_package());
  const Marks marks{{"@name@", options.name}, {"@prefix@", prefix}};
  // All files or none, even if the disk is full.
  make_writable_folder(options.folder);
  const TemporaryFolder temporary(folder);
  for (const auto& [name, text] : files)
    write_file_atomically(temporary.path / name, filled(text, marks));
  std::error_code error;
  fs::rename(temporary.path, folder, error);
  if (error)
    throw StoreError(fmt::format("cannot create '{}': {}", folder.string(), error.message()));
  fmt::print(
      "{} is written. To build, test and run it:\n"
      "  cd {}\n"
      "  cmake -B build -DCMAKE_PREFIX_PATH={}\n"
      "  cmake --build build\n"
      "  ctest --test-dir build --output-on-failure\n"
      "  export KERNELBATCH_PLUGIN_PATH=$PWD/build/plugins\n"
      "  kernelbatch run {}.yaml\n",
      folder.string(), shell_quoted(folder.string()), prefix, options.name);
  return 0;
}

}  // namespace

Command new_plugin_command() {
  auto options = std::make_shared<NewPluginOptions>();
  Command command{
      .name = "new-plugin",
      .summary = "Create a folder with a new workload that builds, passes its test and runs"};
  command.add({{.names = {"NAME"},
                .help = "Small letters, digits and underscores",
                .target = &options->name,
                .is_required = true},
               {.names = {"--in"},
                .help = "Parent folder of NAME",
                .target = &options->folder,
                .type = kFolder}});
  command.examples = {{"kernelbatch new-plugin mywork", ""}};
  command.action = [options] { return write_plugin(*options); };
  return command;
}

}  // namespace kernelbatch::app
