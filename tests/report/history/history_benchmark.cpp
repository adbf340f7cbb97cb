// history_benchmark FOLDER FILES [RESULTS]: creates FILES files of RESULTS results each, and prints
// the time of a history of them. tests/bench/history/index.csv has the figures.
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>

#include "core/report/history/history.hpp"
#include "core/report/history/history_index.hpp"
#include "tests/report/history/made_up_files.hpp"

using namespace kernelbatch;
namespace fs = std::filesystem;

namespace {

template <class Work>
auto timed(const char* what, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  auto result = work();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("%-34s %8.2f s, at most %ld MiB\n", what, taken.count(), usage.ru_maxrss / 1024);
  return result;
}

/// Two variants per case; one series in ten becomes 5 % slower in the middle, when the driver
/// changes.
test::MadeUpRun made_up_run(int number, int files, int results, std::mt19937_64& random) {
  std::lognormal_distribution<double> noise(0, 0.005);
  test::MadeUpRun run;
  for (auto& [name, value] : run.environment)
    if (name == "driver" && 2 * number > files) value = std::string("580.2");
  run.environment.emplace_back("commit", "c" + std::to_string(100'000 + number));
  run.environment.emplace_back("argv", "kernelbatch run " + std::to_string(number));
  for (int k = 0; k < results; ++k) {
    const double step = k % 10 == 0 && 2 * number > files ? 1.05 : 1;
    run.results.push_back(test::made_up_result(
        "case" + std::to_string(k / 2), k % 2 == 0 ? "raw" : "jit", 1000 + k / 2,
        test::kFirstDay + number * test::kDay + k * 1'000'000, 1e-3 * step * noise(random)));
  }
  return run;
}

int make_files(const fs::path& folder, int files, int results) {
  std::mt19937_64 random(1);
  for (int k = 0; k < files; ++k) {
    const fs::path path = folder / ("run" + std::to_string(k) + ".h5");
    if (!fs::exists(path)) test::write_run(path, made_up_run(k, files, results, random));
  }
  return files;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 3) return 2;
  const fs::path folder = arguments[1];
  const int files = std::atoi(arguments[2]), results = count > 3 ? std::atoi(arguments[3]) : 1000;
  timed("files made", [&] { return make_files(folder, files, results); });
  fs::remove(folder / history::kIndexName);
  HistoryRequest request{.folders = {folder.string()}};
  timed("index built, all series loaded", [&] { return load_history(request); });
  const History all =
      timed("all series loaded by the index", [&] { return load_history(request); });
  const auto analysed = timed("change points of all series", [&] { return analyse(all); });
  timed("table", [&] { return history_table(all, analysed, {}); });
  timed("JSON", [&] { return history_json(all, analysed); });
  request.filter.variant = "raw";
  request.filter.case_id = "case10";
  timed("one case by the index", [&] { return load_history(request); });
  std::size_t points = 0, changes = 0;
  for (const AnalysedSeries& each : analysed) {
    points += each.timed.size();
    changes += each.changes.size();
  }
  std::printf("%zu series, %zu points, %zu changes, index of %.1f MiB\n", analysed.size(), points,
              changes,
              static_cast<double>(fs::file_size(folder / history::kIndexName)) / (1 << 20));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
