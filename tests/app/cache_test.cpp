// `kernelbatch cache`: its output and its deletions.
#include "core/kernel/program/cache.hpp"

#include "core/base/text.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

/// Settings of one test; command() clears variables that it does not know.
struct Scene {
  test::TemporaryFolder own, site;
  test::EnvironmentVariable dir{"KERNELBATCH_CACHE_DIR", own.path().string()};
  void fill(int count) const {
    for (int k = 0; k < count; ++k)
      store_cached(own.path(), "aa" + std::to_string(k), {"sm_90", std::string(1000, 'x'), {}});
  }
};

TEST_CASE("The cache is shown with path, size and entries") {
  const Scene scene;
  scene.fill(3);
  const std::uint64_t bytes = cache_usage(scene.own.path()).bytes;
  const ProcessResult result = test::command({"cache"});
  CHECK(result.exit_status == 0);
  CHECK(result.output == "path:    " + scene.own.path().string() +
                             "\nshared:  none (KERNELBATCH_CACHE_SHARED)\nsize:    " +
                             format_bytes(bytes) + " of 2.00 GiB\nentries: 3\n");
}

TEST_CASE("A shared cache is shown, too, and never cleared") {
  const Scene scene;
  scene.fill(1);
  store_cached(scene.site.path(), "bbb", {"sm_90", "x", {}});
  test::set_environment();
  const test::EnvironmentVariable shared("KERNELBATCH_CACHE_SHARED", scene.site.path().string());
  const ProcessResult result = run_process({test::executable(), "cache", "--clear"});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output,
             Contains("removed: 1 entry, ") &&
                 Contains("\nshared:  " + scene.site.path().string() + " (1 entry, ") &&
                 Contains("size:    0 B of 2.00 GiB\nentries: 0\n"));
  CHECK(std::filesystem::is_empty(scene.own.path()));
  CHECK(cache_usage(scene.site.path()).entries == 1);
}

TEST_CASE("--max-size keeps what was used last") {
  const Scene scene;
  scene.fill(4);
  const std::uint64_t each = cache_usage(scene.own.path()).bytes / 4;
  const ProcessResult result = test::command({"cache", "--max-size", std::to_string(2 * each + 1)});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output,
             Contains("removed: 2 entries, " + format_bytes(2 * each)) && Contains("entries: 2\n"));
  CHECK(load_cached(scene.own.path(), "aa3").has_value());
  CHECK_FALSE(load_cached(scene.own.path(), "aa0").has_value());
}

TEST_CASE("Clearing leaves files that are not the cache's") {
  const Scene scene;
  scene.fill(2);
  std::ofstream(scene.own / "notes.txt") << "mine";
  std::ofstream(scene.own / "aa/notes.txt") << "mine";
  CHECK(test::command({"cache", "--clear"}).exit_status == 0);
  CHECK(std::filesystem::exists(scene.own / "notes.txt"));
  CHECK(std::filesystem::exists(scene.own / "aa/notes.txt"));
  CHECK(cache_usage(scene.own.path()).entries == 0);
}

TEST_CASE("Without a folder the cache is reported as missing") {
  test::set_environment();
  const test::EnvironmentVariable dir("KERNELBATCH_CACHE_DIR", "");
  const test::EnvironmentVariable xdg("XDG_CACHE_HOME", "");
  const test::EnvironmentVariable home("HOME", "");
  const ProcessResult result = run_process({test::executable(), "cache"});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output, Contains("path:    none, kernels are kept in memory only "
                                     "(set KERNELBATCH_CACHE_DIR)\n"));
}

TEST_CASE("An invalid size is refused") {
  const ProcessResult result = test::command({"cache", "--max-size", "lots"});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.output, Contains("'lots'"));
  CHECK(test::command({"cache", "--max-size", "1GB", "--clear"}).exit_status == 2);
}

}  // namespace
}  // namespace kernelbatch
