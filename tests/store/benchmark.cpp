// Times of the store, hidden from ordinary runs: `store_benchmark "[.benchmark]"`.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/store/merge.hpp"
#include "core/store/reader.hpp"
#include "core/store/shard_writer.hpp"
#include "tests/store/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernelbatch;
namespace fs = std::filesystem;

namespace {

template <class Function>
double seconds(Function function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double peak_megabytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

TEST_CASE("time of a shard with small outputs", "[.benchmark]") {
  const test::TemporaryFolder folder;
  std::vector<double> times;
  for (int k = 0; k < 200; ++k) {
    const CaseRecord record = test::synthetic_case(test::case_name(k), 1, 100);
    times.push_back(
        seconds([&] { write_shard(folder.path(), record, test::synthetic_outputs()); }));
  }
  std::ranges::sort(times);
  std::cout << "write_shard: median " << times[100] * 1e3 << " ms, 95 % " << times[190] * 1e3
            << " ms, file " << fs::file_size(folder / "c0.h5") << " bytes\n";
}

TEST_CASE("time of a merge of 10,000 shards", "[.benchmark]") {
  for (const bool with_outputs : {false, true}) {
    const test::TemporaryFolder folder;
    const fs::path file = folder / "r.h5";
    const double writing = seconds([&] {
      for (int k = 0; k < 10'000; ++k)
        write_shard(shard_folder(file, fmt::format("t{}", k % 8)),
                    test::synthetic_case(test::case_name(k), 1, 100),
                    with_outputs ? test::synthetic_outputs() : std::vector<OutputData>{});
    });
    const double merging = seconds([&] { merge_shards(file); });
    const double peak = peak_megabytes();
    write_shard(shard_folder(file, "later"), test::synthetic_case("c5", 2, 100), {});
    const double again = seconds([&] { merge_shards(file); });
    const double reading = seconds([&] { read_results(file, Samples::kOmit); });
    std::cout << (with_outputs ? "2 outputs per shard: " : "no outputs: ") << "written in "
              << writing << " s, merged in " << merging << " s with at most " << peak
              << " MiB, one more shard in " << again << " s, read in " << reading << " s, file "
              << fs::file_size(file) << " bytes\n";
  }
}

TEST_CASE("time of an output of 800 MB, beside the disk's own", "[.benchmark]") {
  const test::TemporaryFolder folder;
  std::vector<double> values(100'000'000);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::sqrt(static_cast<double>(k));
  const auto bytes = std::as_bytes(std::span(values));
  CaseRecord record = test::synthetic_case("c1", 1, 10);
  record.results[1].outputs[0].shape = {100'000'000};
  record.results[1].outputs[0].dimensions = {"n"};
  const OutputData data{"raw", "z", bytes};
  for (int round = 0; round < 3; ++round) {
    const double plain = seconds([&] { write_file_atomically(folder / "plain", bytes); });
    fs::remove(folder / "plain");
    std::cout << "800 MB: plain " << 0.8 / plain << " GB/s";
    for (const int deflate : {0, 1, 4}) {
      const double time = seconds([&] {
        write_shard(folder.path(), record, {&data, 1}, {.deflate = deflate});
      });
      std::uintmax_t size = 0;
      for (const auto& entry : fs::directory_iterator(folder.path())) size += entry.file_size();
      std::cout << ", deflate " << deflate << ": " << 0.8 / time << " GB/s (" << size / 1'000'000
                << " MB)";
      for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry.path());
    }
    std::cout << "\n";
  }
}
