// Runs that are killed at random instants and resumed.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "core/result/shard_files.hpp"
#include "tests/app/background.hpp"
#include "tests/app/command.hpp"
#include "tests/run/good_job.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;
using test::good_job;
using test::Key;
using test::starts_of;

TEST_CASE("Killed at any instant and resumed, a job loses and repeats nothing") {
  const bool is_quick = environment("KERNELBATCH_TEST_QUICK").has_value();
  const int kills =
      std::stoi(environment("KERNELBATCH_TEST_KILLS").value_or(is_quick ? "6" : "15"));
  const int cases = kills >= 100 ? 100 : 40;
  std::string sizes = "1";
  for (int n = 2; n <= cases; ++n) sizes += ", " + std::to_string(n);
  const test::JobFolder folder = good_job(sizes);
  std::mt19937 random(20260601);
  std::map<Key, std::int64_t> known;
  bool is_finished = false;
  int killed = 0;
  // Grows while runs come to nothing in that time, as on a slow machine.
  int longest_ms = 2500;
  while (!is_finished) {
    test::Background run({"run", "--resume", folder.job()});
    if (killed < kills) {
      const auto wait = std::uniform_int_distribution<int>(0, longest_ms)(random);
      std::this_thread::sleep_for(std::chrono::milliseconds(wait));
      run.end_by(SIGKILL);
      ++killed;
    } else {
      CHECK_FALSE(known.empty());  // else no kill came between two cases
      REQUIRE(run.wait() == 0);
      is_finished = true;
    }
    if (fs::exists(folder.results()) || !list_shards(folder.results() + ".d").empty()) {
      const auto now = starts_of(folder.results());
      for (const auto& [key, start] : known) {
        REQUIRE(now.count(key) == 1);
        CHECK(now.at(key) == start);
      }
      known = now;
    }
    if (known.empty()) longest_ms = std::min(2 * longest_ms, 40'000);
  }
  CHECK(killed == kills);
  CHECK(known.size() == 2 * static_cast<std::size_t>(cases));
  // Nor does it leave anything behind.
  CHECK_FALSE(fs::exists(folder.results() + ".d"));
  for (const auto& entry : fs::directory_iterator(folder.path()))
    CHECK(entry.path().extension() != ".tmp");
}

}  // namespace
}  // namespace kernelbatch
