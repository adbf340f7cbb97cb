// Cooperative groups: results of every operation in every thread.
#include <algorithm>
#include <functional>

#include "tests/device/libraries/library.hpp"

namespace kernelbatch::test {
namespace {

/// Sum over the threads from `first` on for which `belongs` is true.
int sum(int first, int count, const std::function<bool(int)>& belongs = {}) {
  int result = 0;
  for (int t = first; t < first + count; ++t)
    if (!belongs || belongs(t)) result += in(t);
  return result;
}
int number(int first, int count, const std::function<bool(int)>& belongs) {
  int result = 0;
  for (int t = first; t < first + count; ++t) result += belongs(t) ? 1 : 0;
  return result;
}

TEST_CASE("Blocks, tiles and partitions know their threads and combine their values") {
  const LibraryRun run(groups_text(), 20);
  run.check(0, [](int t) { return t + 128000; });
  run.check(1, [](int t) { return t % 8 + 10 * (t / 8 % 4) + 400; });
  run.check(2, [](int t) { return sum(t / 32 * 32, 32); });
  run.check(3, [](int t) {
    const auto first = library_input().begin() + t / 8 * 8;
    return *std::min_element(first, first + 8) + 100 * *std::max_element(first, first + 8);
  });
  run.check(4, [](int t) { return sum(t / 8 * 8, t % 8 + 1) + 1000 * sum(t / 32 * 32, t % 32); });
  run.check(5, [](int t) {
    return in(t / 8 * 8 + 3) + 100 * in(t % 8 < 2 ? t : t - 2) + 10000 * in(t % 8 == 7 ? t : t + 1);
  });
  run.check(6, [](int t) {
    const int first = t / 8 * 8;
    return in(first + (t % 8 ^ 5)) +
           100 * (number(first, 8, [](int k) { return in(k) == 7; }) > 0 ? 1 : 0) +
           1000 * (number(first, 8, [](int k) { return in(k) < 50; }) == 8 ? 1 : 0);
  });
  run.check(7, [](int t) {
    int odd = 0, same = 0;
    for (int k = 0; k < 8; ++k) {
      odd |= in(t / 8 * 8 + k) % 2 << k;
      same |= (in(t / 8 * 8 + k) % 3 == in(t) % 3 ? 1 : 0) << k;
    }
    return odd + 1000 * same;
  });
  run.check(8, [](int t) {
    const auto belongs = [&](int k) { return in(k) % 2 == in(t) % 2; };
    return number(t / 32 * 32, t % 32, belongs) + 100 * number(t / 32 * 32, 32, belongs) +
           10000 * sum(t / 32 * 32, 32, belongs);
  });
  run.check(9, [](int t) {
    const int first = t / 32 * 32;
    std::vector<int> labels;  // in the order of their first threads
    for (int k = first; k < first + 32; ++k)
      if (std::find(labels.begin(), labels.end(), in(k) % 5) == labels.end())
        labels.push_back(in(k) % 5);
    const auto own = std::find(labels.begin(), labels.end(), in(t) % 5) - labels.begin();
    const auto belongs = [&](int k) { return in(k) % 5 == in(t) % 5; };
    return static_cast<int>(labels.size()) + 10 * static_cast<int>(own) +
           100 * number(first, t - first, belongs);
  });
  run.check(10, [](int t) {
    int ballot = 0, rank = 0, leader = -1;
    for (int k = t / 32 * 32; k < t / 32 * 32 + 32; ++k)
      if (in(k) % 5 == in(t) % 5) {
        if (leader < 0) leader = in(k);
        ballot |= k % 2 << rank++;
      }
    return leader + 100 * ballot % 100;
  });
}

TEST_CASE("Lanes that branch together are one coalesced group") {
  const LibraryRun run(groups_text(), 20);
  run.check(11, [](int t) {
    if (in(t) % 3 != 0) return 0;
    const auto belongs = [](int k) { return in(k) % 3 == 0; };
    const int first = t / 32 * 32, rank = number(first, t - first, belongs);
    const int count = number(first, 32, belongs);
    const int pair = rank % 2 == 1 || rank + 1 < count ? 2 : 1;
    return count + 100 * (rank == 0 ? 1 : 0) + 1000 * sum(first, 32, belongs) + 1000000 * pair;
  });
}

TEST_CASE("Wide tiles, copies, and groups of any kind") {
  const LibraryRun run(groups_text(), 20);
  run.check(12, [](int t) { return sum(t / 64 * 64, 64) + 10000 * (t % 64) + 1000000 * (t / 64); });
  run.check(13, [](int t) {
    const int first = t / 64 * 64;
    return (number(first, 64, [](int k) { return in(k) == in(70); }) > 0 ? 1 : 0) +
           10 * in(first + 33);
  });
  run.check(14, [](int t) { return t % 16 + 1600; });
  run.check(15, [](int t) { return in(127 - t); });
  run.check(16, [](int) { return 255 + 1000; });
  run.check(17, [](int) { return 16 + 500; });
  run.check(18, [](int t) { return t + 1000; });
  run.check(19, [](int t) {
    const auto first = library_input().begin() + t / 32 * 32;
    return 0.125 * *std::max_element(first, first + 32);
  });
}

/// Four blocks of 32 threads.
std::vector<double> run_blocks(const std::string& text, LaunchShape shape) {
  const LoadedKernel loaded(text, "f");
  const Array out = device_array(std::vector<double>(256, -1));
  shape.grid = {4, 1, 1};
  shape.block = {32, 1, 1};
  loaded.run(shape, device_array(library_input()), out);
  return values_of<double>(out);
}

TEST_CASE("Clusters share their blocks' memory") {
  LaunchShape shape;
  shape.cluster = {2, 1, 1};
  const std::vector<double> got = run_blocks(cluster_text(), shape);
  for (int t = 0; t < 128; ++t) {
    const int block = t / 32, rank = block % 2;
    CHECK(got[static_cast<std::size_t>(t)] ==
          (block < 2 ? 30 : 70) + 1000 * rank + 10000 * (t % 64));
  }
}

TEST_CASE("The blocks of a grid synchronize") {
  LaunchShape shape;
  shape.cooperative = true;
  const std::vector<double> got = run_blocks(grid_text(), shape);
  for (int t = 0; t < 128; ++t) CHECK(got[static_cast<std::size_t>(128 + t)] == in(127 - t) + 4001);
}

}  // namespace
}  // namespace kernelbatch::test
