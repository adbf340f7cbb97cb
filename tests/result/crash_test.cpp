// A writer killed at any time: every file with a final name is complete, and every acknowledged
// case is present.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <string>

#include "core/result/merge.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernelbatch;
namespace fs = std::filesystem;

namespace {

int rounds() {
  const char* text = std::getenv("KERNELBATCH_CRASH_ROUNDS");
  return text == nullptr ? 12 : std::atoi(text);
}

/// Runs `work(acknowledge)` in a child and kills it after `delay_us`. Returns the number of
/// acknowledgements.
template <class Work>
int killed_after(useconds_t delay_us, Work work) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::close(ends[0]);
    try {
      work([&] {
        if (::write(ends[1], "x", 1) != 1) ::_exit(3);
      });
    } catch (...) {
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  ::usleep(delay_us);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  int acknowledged = 0;
  for (char byte = 0; ::read(ends[0], &byte, 1) == 1;) ++acknowledged;
  ::close(ends[0]);
  return acknowledged;
}

}  // namespace

TEST_CASE("a killed writer leaves only complete shards and every acknowledged case") {
  std::mt19937 random(12345);
  std::uniform_int_distribution<useconds_t> delay(500, 60'000);
  for (int round = 0; round < rounds(); ++round) {
    const test::TemporaryFolder folder;
    const fs::path file = folder / "r.h5";

    const int acknowledged = killed_after(delay(random), [&](auto acknowledge) {
      for (int k = 0;; ++k) {
        write_shard(shard_folder(file, "a"), test::synthetic_case(test::case_name(k)),
                    test::synthetic_outputs(),
                    {.separate_outputs_bytes = k % 2 == 0 ? 0u : 1u << 20});
        acknowledge();
      }
    });

    INFO("round " << round << ", " << acknowledged << " acknowledged");
    if (list_shards(shards_folder(file)).empty()) {
      CHECK(acknowledged == 0);
      continue;
    }
    const MergeReport report = merge_shards(file);
    CHECK(report.unreadable.empty());
    CHECK(report.cases >= acknowledged);
    const ResultFile results = read_results(file);
    for (int k = 0; k < acknowledged; ++k)
      CHECK(read_output(file, test::case_name(k), "raw", "z").bytes.size() == 96);
  }
}

TEST_CASE("a killed merge loses nothing") {
  std::mt19937 random(54321);
  std::uniform_int_distribution<useconds_t> delay(500, 80'000);
  for (int round = 0; round < rounds(); ++round) {
    const test::TemporaryFolder folder;
    const fs::path file = folder / "r.h5";
    for (int k = 0; k < 20; ++k)
      write_shard(shard_folder(file, "a"), test::synthetic_case(test::case_name(k)),
                  test::synthetic_outputs());

    killed_after(delay(random), [&](auto) { merge_shards(file); });

    INFO("round " << round);
    CHECK(read_results(file).results.size() == 40);
    merge_shards(file);
    CHECK(read_results(file).results.size() == 40);
    CHECK(read_output(file, "c19", "raw", "z").bytes.size() == 96);
  }
}

TEST_CASE("a job of 100 cases that is killed again and again ends complete, nothing doubled") {
  std::mt19937 random(777);
  std::uniform_int_distribution<useconds_t> delay(500, 150'000);
  int kills = 0;
  for (int jobs = 0; kills < rounds() && jobs < 10 * rounds(); ++jobs) {
    const test::TemporaryFolder folder;
    const fs::path file = folder / "r.h5";
    std::size_t promised = 0;  // cases that were acknowledged by any attempt
    for (bool is_complete = false; !is_complete && kills < rounds(); ++kills) {
      // Steps of a resumed job: merge existing shards, run missing cases, merge.
      killed_after(delay(random), [&](auto) {
        if (fs::exists(shards_folder(file))) merge_shards(file);
        std::set<std::string> done;
        if (fs::exists(file))
          for (const ResultRecord& result : read_results(file, Samples::kOmit).results)
            done.insert(result.case_id);
        for (int k = 0; k < 100; ++k) {
          if (done.contains(test::case_name(k))) continue;
          write_shard(shard_folder(file, "a"), test::synthetic_case(test::case_name(k)),
                      test::synthetic_outputs());
        }
        merge_shards(file);
        std::ofstream(folder / "complete") << "yes";
      });
      is_complete = fs::exists(folder / "complete");
      if (!fs::exists(file) && list_shards(shards_folder(file)).empty()) continue;
      const ResultFile results = read_results(file);
      std::set<std::string> cases;
      for (const ResultRecord& result : results.results) cases.insert(result.case_id);
      INFO("job " << jobs << ", kill " << kills << ": " << cases.size() << " cases");
      CHECK(results.problems.empty());
      CHECK(results.results.size() == 2 * cases.size());
      CHECK(cases.size() >= promised);
      promised = cases.size();
      if (is_complete) CHECK(cases.size() == 100);
    }
  }
  CHECK(kills >= rounds());
}
