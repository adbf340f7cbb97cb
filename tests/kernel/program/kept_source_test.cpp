// Every text that other tests ran on the host, compiled for a GPU as well.
#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// As keep_source() wrote it.
KernelSource read_kept(const std::filesystem::path& path) {
  KernelSource source;
  source.name = "kept";
  source.text = read_file(path);
  for (const std::string& line : split(source.text, '\n'))
    if (line.starts_with("// option: "))
      source.options.push_back(line.substr(11));
    else if (line.starts_with("// entry: "))
      source.entries.push_back(line.substr(10));
  return source;
}

/// Nothing where it compiles, else the first error.
std::string problem_of(Compiler& compiler, const KernelSource& source) {
  try {
    compiler.compile(source);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Texts that the host compiles compile for a GPU", "[.kept]") {
  const auto folder = environment("KERNELBATCH_KEEP_SOURCE");
  REQUIRE(folder);
  const auto gpu = make_compiler("sm_90");
  const auto host = make_compiler("host");
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    if (!entry.is_regular_file()) continue;
    ++count;
    const KernelSource source = read_kept(entry.path());
    const std::string problem = problem_of(*gpu, source);
    if (problem.empty() || !problem_of(*host, source).empty()) continue;
    FAIL_CHECK(entry.path().string() << "\n" << problem);
  }
  WARN(count << " texts");
}

}  // namespace
}  // namespace kernelbatch
