#include "core/base/scratch_folder.hpp"

#include "core/base/file.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

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

}  // namespace
}  // namespace kernelbatch
