// Pages that a program generates from the tables in the code, and a test that compares them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::test {

/// The main function of such a program: `PROGRAM PAGE` exits with 1 and prints a diff of lines if
/// the file differs from the result of `made`, whose argument is the file's content (empty if there
/// is none); `PROGRAM PAGE --write` writes it. `source`: where the content comes from.
inline int run_page_program(int count, char** arguments, std::string_view source,
                            const std::function<std::string(const std::string&)>& made) {
  const std::string program = std::filesystem::path(arguments[0]).filename().string();
  const bool writes = count == 3 && std::string_view(arguments[2]) == "--write";
  if (count != 2 && !writes) {
    fmt::print(stderr, "usage: {} PAGE [--write]\n", program);
    return 2;
  }
  try {
    const std::string file = arguments[1];
    const std::string written = std::filesystem::exists(file) ? read_file(file) : std::string();
    const std::string page = made(written);
    if (writes) write_file_atomically(file, page);
    if (writes || page == written) return 0;
    fmt::print("{} differs from {}: '{} {} --write' fixes it\n", file, source, program, file);
    const std::vector<std::string> ours = split(page, '\n'), theirs = split(written, '\n');
    for (const std::string& line : ours)
      if (std::ranges::find(theirs, line) == theirs.end()) fmt::print("+ {}\n", line);
    for (const std::string& line : theirs)
      if (std::ranges::find(ours, line) == ours.end()) fmt::print("- {}\n", line);
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 2;
  }
}

}  // namespace kernelbatch::test
