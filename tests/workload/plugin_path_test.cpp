#include <algorithm>
#include <fstream>

#include "core/base/file.hpp"
#include "core/workload/loader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

void set_plugin_path(const std::string& path) {
  ::setenv("KERNELBATCH_PLUGIN_PATH", path.c_str(), 1);
}

/// Sets the current folder and restores it.
class CurrentFolder {
 public:
  explicit CurrentFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;
  ~CurrentFolder() { fs::current_path(before_); }

 private:
  fs::path before_;
};

TEST_CASE("The folders of KERNELBATCH_PLUGIN_PATH come first, in their order") {
  set_plugin_path("/first::/second:");
  const std::vector<fs::path> folders = plugin_folders();
  REQUIRE(folders.size() >= 3);
  CHECK(folders[0] == "/first");
  CHECK(folders[1] == "/second");
  CHECK(folders[2] == executable_path().parent_path() / "plugins");
}

TEST_CASE("Among plugins of one name the one in the first folder is used") {
  const test::TemporaryFolder first;
  const test::TemporaryFolder second;
  for (const auto* folder : {&first, &second}) std::ofstream(*folder / "mine.so") << "x";
  std::ofstream(second / "theirs.so") << "x";
  set_plugin_path(first.path().string() + ":" + second.path().string());

  CHECK(plugin_path("mine") == first / "mine.so");
  CHECK(plugin_path("theirs") == second / "theirs.so");
  const auto all = find_plugins();
  CHECK(std::count(all.begin(), all.end(), first / "mine.so") == 1);
  CHECK(std::count(all.begin(), all.end(), second / "mine.so") == 0);
}

TEST_CASE("A user's plugin overrides an installed one of the same name") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "mse.so") << "x";
  set_plugin_path("");
  const fs::path ours = plugin_path("mse");
  set_plugin_path(folder.path().string());
  CHECK(plugin_path("mse") == folder / "mse.so");
  CHECK(ours != folder / "mse.so");
}

TEST_CASE("The current folder is never searched") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "stray.so") << "x";
  const CurrentFolder inside(folder.path());
  for (const char* path : {"", ":", "::"}) {
    set_plugin_path(path);
    for (const fs::path& each : plugin_folders()) CHECK(each.is_absolute());
    CHECK_THAT(test::message_of([] { plugin_path("stray"); }),
               Contains("unknown workload 'stray'"));
  }
}

TEST_CASE("A misspelled workload gets the nearest name") {
  set_plugin_path(test::test_plugins());
  CHECK(test::message_of([] { plugin_path("fualty"); }) ==
        "unknown workload 'fualty' (did you mean 'faulty'?)");
  CHECK_THAT(test::message_of([] { plugin_path("xxxxxxxxxxxx"); }),
             Contains("(known: ") && Contains(", faulty, "));
}

TEST_CASE("A text with a slash is a path") {
  CHECK(plugin_path(test::test_plugins() + "/faulty.so") == test::test_plugins() + "/faulty.so");
  CHECK(test::message_of([] { plugin_path("./faulty.so"); }) ==
        "plugin './faulty.so' does not exist");
}

TEST_CASE("Missing folders and other files are skipped") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "readme.txt") << "x";
  set_plugin_path("/no/such/folder:" + folder.path().string());
  for (const fs::path& path : find_plugins()) CHECK(path.extension() == ".so");
}

}  // namespace
}  // namespace kernelbatch
