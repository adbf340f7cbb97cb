// fuzz_corpus FOLDER [TARGET [FILE …]]: runs every file of the corpora through its target.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "core/base/file.hpp"
#include "tests/fuzz/targets.hpp"

namespace {

using namespace kernelbatch;
namespace fs = std::filesystem;

std::set<fs::path> files_in(const fs::path& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.insert(entry.path());
  return files;
}

/// What is wrong, as a sentence; empty if nothing is.
std::string replay(const fuzz::NamedTarget& target, const fs::path& file) {
  const std::string text = read_file(file);
  try {
    target.run(std::as_bytes(std::span(text)));
  } catch (const std::exception& error) {
    return fmt::format("{} escaped from {}", error.what(), target.name);
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} FOLDER [TARGET [FILE …]]\n", argv[0]);
    return 2;
  }
  const fs::path corpora = argv[1];
  int failures = 0;
  std::size_t folders = 0;
  for (const fuzz::NamedTarget& target : fuzz::kTargets) {
    if (argc > 2 && target.name != argv[2]) continue;
    ++folders;
    const std::set<fs::path> files =
        argc > 3 ? std::set<fs::path>(argv + 3, argv + argc) : files_in(corpora / target.name);
    if (files.empty()) {
      fmt::print("{}: its corpus is empty\n", target.name);
      ++failures;
    }
    // Printed first, so that the output shows the target of a crash.
    fmt::print("{}: {} files\n", target.name, files.size());
    for (const fs::path& file : files) {
      fmt::print("  {}\n", file.filename().string());
      std::fflush(stdout);
      if (const std::string wrong = replay(target, file); !wrong.empty()) {
        fmt::print("{}: {}\n", file.string(), wrong);
        ++failures;
      }
    }
  }
  if (folders == 0) fmt::print("there is no target '{}'\n", argv[2]);
  return failures == 0 && folders > 0 ? 0 : 1;
}
