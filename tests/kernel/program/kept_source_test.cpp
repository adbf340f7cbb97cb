// Texts that other tests run on the host are also compiled for a GPU.
#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/paths.hpp"

namespace kernelbatch {
namespace {

/// Reads a file written by keep_source().
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

/// Values of search parameters, for texts that need them.
void add_choices(KernelSource& source) {
  for (const char* choice :
       {"TILE_M=64", "TILE_N=64", "TILE_K=16", "THREAD_M=4", "THREAD_N=4", "STAGES=2", "PAD=4",
        "VECTOR=4", "ITEMS=4", "UNROLL=4", "THREADS=256", "BLOCK_X=32", "BLOCK_Y=8", "IN_SHARED=1",
        "IS_STREAMING=0", "BLOCKS_PER_UNIT=1"})
    source.options.push_back(std::string("-D") + choice);
}

/// Nothing if it compiles, else the first error.
std::string problem_of(Compiler& compiler, const KernelSource& source) {
  try {
    compiler.compile(source);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// In normal runs nvcc has precompiled these, and NVRTC never sees them.
TEST_CASE("Raw texts of the plugins compile for a GPU by NVRTC") {
  std::unique_ptr<Compiler> gpu;
  try {
    gpu = make_compiler("sm_90");
  } catch (const DeviceError& error) {
    WARN("not checked: " << error.what());
    return;
  }
  int count = 0;
  const std::filesystem::path plugins = std::filesystem::path(test::source_folder()) / "plugins";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(plugins)) {
    if (entry.path().extension() != ".cu") continue;
    ++count;
    CAPTURE(entry.path().string());
    KernelSource source = read_kept(entry.path());
    if (entry.path().stem().string().ends_with("_tuned")) add_choices(source);
    CHECK(problem_of(*gpu, source) == "");
  }
  CHECK(count > 20);
}

/// All texts of other tests, by hand: `KERNELBATCH_KEEP_SOURCE=DIR ctest -L device`, then
/// `KERNELBATCH_KEEP_SOURCE=DIR build/tests/kernel_tests "[.kept]"`: takes minutes. Texts that
/// tests expect to be refused do not compile.
TEST_CASE("Texts that the host compiles compile for a GPU", "[.kept]") {
  const auto folder = environment("KERNELBATCH_KEEP_SOURCE");
  REQUIRE(folder);
  const auto gpu = make_compiler("sm_90");
  const auto host = make_compiler("host");
  int count = 0, refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    if (entry.path().extension() != ".cu") continue;
    ++count;
    const KernelSource source = read_kept(entry.path());
    const std::string problem = problem_of(*gpu, source);
    if (problem.empty()) continue;
    if (problem_of(*host, source).empty())
      FAIL_CHECK(entry.path().string() << "\n" << problem);
    else
      ++refused;
  }
  CHECK(count > 0);
  WARN(count << " texts, " << refused << " of them refused by both");
}

}  // namespace
}  // namespace kernelbatch
