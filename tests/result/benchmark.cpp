// Times of the store, hidden from ordinary runs: `result_benchmark "[.benchmark]"`.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/result/merge.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/result/synthetic.hpp"
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

/// CPU time of this process, user and system.
double cpu_seconds() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

struct Spread {
  double median, high;
};
Spread spread_of(std::vector<double> times) {
  std::ranges::sort(times);
  return {times[times.size() / 2], times[times.size() * 95 / 100]};
}

/// Minimum cost of a durable small file: written, fsynced, renamed.
double plain_commit(const fs::path& path, std::span<const std::byte> bytes) {
  return seconds([&] {
    const fs::path temporary = path.string() + ".tmp";
    const FileDescriptor file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666)};
    REQUIRE(::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    REQUIRE(::fsync(file.get()) == 0);
    fs::rename(temporary, path);
  });
}

double peak_megabytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

TEST_CASE("time of a shard with small outputs", "[.benchmark]") {
  const test::TemporaryFolder folder;
  const auto outputs = test::synthetic_outputs();
  write_shard(folder.path(), test::synthetic_case("c0", 1, 100), outputs);
  const MappedFile shard(folder / "c0.h5");
  std::vector<double> shards, renamed, durable, cpu;
  for (int k = 0; k < 200; ++k) {
    // Alternating, since a disk's speed varies slowly.
    const CaseRecord record = test::synthetic_case(test::case_name(k), 1, 100);
    const double before = cpu_seconds();
    shards.push_back(seconds([&] { write_shard(folder.path(), record, outputs); }));
    cpu.push_back(cpu_seconds() - before);
    renamed.push_back(plain_commit(folder / fmt::format("plain{}", k), shard.bytes()));
    durable.push_back(seconds(
        [&] { write_file_atomically(folder / fmt::format("durable{}", k), shard.bytes()); }));
  }
  const auto line = [](const char* name, const std::vector<double>& times) {
    const Spread spread = spread_of(times);
    std::cout << name << ": median " << spread.median * 1e3 << " ms, 95 % " << spread.high * 1e3
              << " ms\n";
  };
  line("write_shard", shards);
  line("  of which CPU time", cpu);
  line("the same bytes, write + fsync + rename", renamed);
  line("and fsync of the folder", durable);
  std::cout << "file: " << shard.bytes().size() << " bytes\n";
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
    const double before = cpu_seconds();
    const double merging = seconds([&] { merge_shards(file); });
    const double merging_cpu = cpu_seconds() - before;
    const double peak = peak_megabytes();
    write_shard(shard_folder(file, "later"), test::synthetic_case("c5", 2, 100), {});
    const double again = seconds([&] { merge_shards(file); });
    const double reading = seconds([&] { read_results(file, Samples::kOmit); });
    std::cout << (with_outputs ? "2 outputs per shard: " : "no outputs: ") << "written in "
              << writing << " s, merged in " << merging << " s (CPU " << merging_cpu
              << " s) with at most " << peak << " MiB, one more shard in " << again
              << " s, read in " << reading << " s, file " << fs::file_size(file) << " bytes\n";
  }
}

TEST_CASE("time of an output of 800 MB, compared with the disk's own", "[.benchmark]") {
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
