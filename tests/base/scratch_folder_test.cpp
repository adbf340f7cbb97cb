#include "core/base/scratch_folder.hpp"

#include <fstream>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/small_disk.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

TEST_CASE("A scratch folder takes files below folders, and is gone with its object") {
  std::filesystem::path path;
  {
    const ScratchFolder scratch;
    path = scratch.path();
    CHECK(read_file(scratch.write("deep/er.txt", "text")) == "text");
    CHECK(std::filesystem::exists(path / "deep" / "er.txt"));
    const ScratchFolder other;
    CHECK(other.path() != path);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("Folders of killed processes are removed, those of living ones are not") {
  const test::TemporaryFolder temporary;
  const test::EnvironmentVariable tmpdir("TMPDIR", temporary.path().string());
  const ScratchFolder held;
  const fs::path abandoned = temporary / "kernelbatch-scratch-abc123";
  fs::create_directories(abandoned / "inner");
  std::ofstream(abandoned / "inner" / "kernel.cpp") << "text";
  fs::create_directories(temporary / "kernelbatch-other");

  remove_abandoned_scratch_folders();

  CHECK_FALSE(fs::exists(abandoned));
  CHECK(fs::exists(held.path()));
  CHECK(fs::exists(temporary / "kernelbatch-other"));
}

TEST_CASE("A link named like a scratch folder is not touched, nor is its target") {
  const test::TemporaryFolder temporary;
  const test::EnvironmentVariable tmpdir("TMPDIR", temporary.path().string());
  fs::create_directory(temporary / "precious");
  std::ofstream(temporary / "precious" / "file") << "text";
  fs::create_directory_symlink(temporary / "precious", temporary / "kernelbatch-scratch-link");

  remove_abandoned_scratch_folders();

  CHECK(fs::exists(temporary / "precious" / "file"));
  CHECK(fs::is_symlink(temporary / "kernelbatch-scratch-link"));
}

TEST_CASE("A missing folder for temporary files is an environment failure that names it") {
  const test::EnvironmentVariable tmpdir("TMPDIR", "/no/such/folder");
  CHECK_THROWS_AS(ScratchFolder(), EnvironmentError);
  CHECK_THROWS_WITH(ScratchFolder(), Contains("TMPDIR=/no/such/folder"));
}

TEST_CASE("A full disk under a scratch folder is an environment failure") {
  const test::SmallDisk disk("64k");
  if (!disk.is_there()) return;  // this process may not mount
  const test::EnvironmentVariable tmpdir("TMPDIR", disk.path().string());
  const ScratchFolder scratch;
  CHECK_THROWS_AS(scratch.write("large", std::string(1 << 20, 'x')), EnvironmentError);
  CHECK_THROWS_AS(require_own_failure({.exit_status = 1, .output = {}}, "/bin/false", scratch),
                  EnvironmentError);
}

TEST_CASE(
    "A program ended by a signal is an environment failure, another failure is due to its input") {
  const ScratchFolder scratch;
  CHECK_THROWS_WITH(require_own_failure({.exit_status = 137, .output = {}}, "/bin/cc", scratch),
                    Contains("'/bin/cc' was ended by signal 9 (Killed)"));
  CHECK_NOTHROW(require_own_failure({.exit_status = 1, .output = {}}, "/bin/cc", scratch));
}

}  // namespace
}  // namespace kernelbatch
