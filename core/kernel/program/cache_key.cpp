#include "core/kernel/program/cache_key.hpp"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/device/compile_options.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

/// All headers that a source can include.
class HeaderWalk {
 public:
  explicit HeaderWalk(std::string& key) : key_(key) {}

  void add_folder(fs::path folder) { folders_.push_back(std::move(folder)); }

  void walk(std::string_view text, const fs::path& beside) {
    for (const std::string& name : included_names(text)) {
      if (name.empty()) {
        is_complete_ = false;
        continue;
      }
      try_file(name, beside / name);
      for (const fs::path& folder : folders_) try_file(name, folder / name);
    }
  }

  bool is_complete() const { return is_complete_; }
  const std::vector<std::pair<std::string, std::string>>& hashes() const { return hashes_; }

 private:
  void try_file(const std::string& name, const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error || !fs::is_regular_file(real, error) || !seen_.insert(real.string()).second) return;
    std::string text;
    try {
      text = read_file(real);
    } catch (const Error&) {
      return;  // the compiler cannot read it either
    }
    append_sized(key_, "header " + name);
    append_sized(key_, text);
    hashes_.emplace_back(name, hash_hex(text));
    walk(text, real.parent_path());
  }

  std::string& key_;
  std::vector<fs::path> folders_;
  std::set<std::string> seen_;
  std::vector<std::pair<std::string, std::string>> hashes_;
  bool is_complete_ = true;
};

void add_folders_of(const char* variable, HeaderWalk& headers) {
  if (const auto folders = environment(variable))
    for (const std::string& folder : split(*folders, ':'))
      if (!folder.empty()) headers.add_folder(folder);
}

}  // namespace

std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  const auto take_quoted = [&](std::string_view rest) {
    rest = trim(rest.substr(0, rest.find('\n')));
    const char end = rest.starts_with('<') ? '>' : '"';
    const std::size_t close = rest.find(end, 1);
    const bool is_plain =
        (rest.starts_with('<') || rest.starts_with('"')) && close != std::string_view::npos;
    names.emplace_back(is_plain ? rest.substr(1, close - 1) : std::string_view());
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = trim(text.substr(at, end - at));
    if (line.starts_with('#') || line.starts_with("%:")) {
      line.remove_prefix(line.starts_with('#') ? 1 : 2);
      line = trim(line);
      if (line.starts_with("include_next"))
        names.emplace_back();
      else if (line.starts_with("include"))
        take_quoted(line.substr(7));
      // Whether a header exists can change the compiled code.
      constexpr std::string_view kAsks = "__has_include";
      for (std::size_t ask = line.find(kAsks); ask != std::string_view::npos;
           ask = line.find(kAsks, ask + 1)) {
        const std::string_view rest = trim(line.substr(ask + kAsks.size()));
        if (rest.starts_with('(')) take_quoted(rest.substr(1));
      }
    }
    at = end + 1;
  }
  return names;
}

namespace {

bool names_folder(const std::string& option) {
  return option.starts_with("-isystem") || option.starts_with("-I");
}

/// Visits all includes of a text and its options.
void walk_all(HeaderWalk& headers, std::string_view text, const std::vector<std::string>& options,
              const fs::path& folder) {
  std::string forced;  // headers that options include
  for (const std::string& option : normalised_options(options)) {
    if (option.starts_with("-include")) forced += "#include \"" + option.substr(8) + "\"\n";
    if (names_folder(option)) headers.add_folder(option.substr(option.starts_with("-I") ? 2 : 8));
  }
  add_folders_of("CPATH", headers);
  add_folders_of("CPLUS_INCLUDE_PATH", headers);
  headers.walk(forced, folder);
  headers.walk(text, folder);
}

}  // namespace

CacheKey make_cache_key(const KernelSource& source, const Compiler& compiler) {
  // All members, by name: the code does not compile until a new member is added to the key.
  const auto& [name, text, entries, options, has_plain_names, prebuilt, backend] = source;
  std::string all;
  append_sized(all, compiler.target());
  append_sized(all, compiler.identity());
  append_sized(all, name);
  append_sized(all, text);
  append_sized(all, backend == CompilerBackend::kNvcc ? "nvcc" : "nvrtc");
  append_sized(all, has_plain_names ? "plain" : "lowered");
  append_sized(all, prebuilt.empty() ? std::string() : hash_hex(prebuilt));
  for (const std::string& entry : entries) append_sized(all, "entry " + entry);
  HeaderWalk headers(all);
  for (const std::string& option : normalised_options(options))
    if (!names_folder(option)) append_sized(all, "option " + option);
  std::error_code ignored;
  walk_all(headers, text, options, fs::current_path(ignored));
  if (!headers.is_complete()) append_sized(all, "process " + std::to_string(::getpid()));
  return {hash_hex(all), headers.is_complete()};
}

std::vector<std::pair<std::string, std::string>> header_hashes(
    std::string_view text, const std::vector<std::string>& options, const fs::path& folder) {
  std::string ignored;
  HeaderWalk headers(ignored);
  walk_all(headers, text, options, folder);
  return headers.hashes();
}

std::string cache_key(const KernelSource& source, const Compiler& compiler) {
  return make_cache_key(source, compiler).digest;
}

}  // namespace kernelbatch
