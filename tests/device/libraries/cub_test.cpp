// CUB's warp and block collectives.
#include <algorithm>
#include <numeric>

#include "tests/device/libraries/library.hpp"

namespace kernelbatch::test {
namespace {

int sum_of(int first, int end) {
  int sum = 0;
  for (int k = first; k < end; ++k) sum += in(k);
  return sum;
}
int largest(int first, int end) {
  int most = in(first);
  for (int k = first; k < end; ++k) most = std::max(most, in(k));
  return most;
}
/// Sum in the order of a tree of downward shuffles.
float tree(std::vector<float> values) {
  for (std::size_t d = 1; d < values.size(); d *= 2)
    for (std::size_t k = 0; k + d < values.size(); ++k) values[k] += values[k + d];
  return values[0];
}
std::vector<float> fractions(int first, int end) {
  std::vector<float> values;
  for (int k = first; k < end; ++k) values.push_back(1.0f / static_cast<float>(1 + in(k)));
  return values;
}
/// Item `k` of thread `t` in the test of reductions and scans.
int item(int t, int k) { return k == 0 ? in(t) : k == 1 ? in(t) + 1 : k == 2 ? in(t)-1 : t; }

TEST_CASE("CUB reduces and scans warps") {
  const LibraryRun run(cub_reduce_text(), 23);
  run.check(0, [](int t) { return t % 32 == 0 ? sum_of(t, t + 32) : 0; });
  run.check(1, [](int t) { return t % 16 == 0 ? largest(t, t + 11) : 0; });
  const auto segment = [](int t) {
    int end = t + 1;
    while (end % 32 != 0 && in(end) % 4 != 0) ++end;
    return sum_of(t, end);
  };
  run.check(2, [&](int t) { return in(t) % 4 == 0 || t % 32 == 0 ? segment(t) : 0; });
  run.check(3, [](int t) {
    if (t % 32 != 0 && in(t - 1) % 4 != 0) return 0;
    int end = t;
    while (end % 32 != 31 && in(end) % 4 != 0) ++end;
    return sum_of(t, end + 1);
  });
  run.check(4, [](int t) {
    if (t % 32 != 0) return 0;
    int best = t;
    for (int k = t; k < t + 32; ++k)
      if (in(k) % 10 > in(best) % 10) best = k;
    return best + 1000 * (in(best) % 10);
  });
  run.check(5, [](int t) {
    const int first = t / 32 * 32;
    return sum_of(first, t + 1) + 10000 * sum_of(first, first + 32);
  });
  run.check(6, [](int t) {
    const int first = t / 32 * 32;
    return (t == first ? 5 : std::max(5, largest(first, t))) + 1000 * largest(first, first + 32);
  });
  run.check(7, [](int t) {
    const int first = t / 32 * 32;
    return largest(first, t + 1) + (t == first ? 0 : 1000 * largest(first, t));
  });
  run.check(8, [](int t) { return in(t / 32 * 32 + 17); });
  run.check(22, [](int t) { return t % 32 + 100 * (t / 32) + 10000 * t; });
}

TEST_CASE("CUB reduces blocks, rounding in the order of each algorithm") {
  const LibraryRun run(cub_reduce_text(), 23);
  float by_warps = 0;
  for (int first = 0; first < 128; first += 32) by_warps += tree(fractions(first, first + 32));
  run.check(9, [&](int) { return by_warps; });
  std::vector<float> segments, lanes;
  for (int k = 0; k < 32; ++k) {
    const std::vector<float> four = fractions(4 * k, 4 * k + 4);
    segments.push_back(((four[0] + four[1]) + four[2]) + four[3]);
    const float own = fractions(k, k + 1)[0];
    const std::vector<float> three = fractions(32 + 3 * k, 35 + 3 * k);
    lanes.push_back((own + three[0]) + (three[1] + three[2]));
  }
  run.check(10, [&](int) { return tree(segments); });
  run.check(11, [&](int) { return tree(lanes); });
  run.check(12, [](int t) { return t == 0 ? largest(0, 100) : 0; });
  run.check(13, [](int t) { return t == 0 ? 3 * sum_of(0, 128) + 127 * 64 : 0; });
  run.check(21, [](int t) { return std::max(in(t) + 1, t) + in(t); });
}

TEST_CASE("CUB scans blocks") {
  const LibraryRun run(cub_reduce_text(), 23);
  for (const int row : {14, 15, 16})
    run.check(row, [](int t) { return 3 * sum_of(0, t) + 2 * in(t) + 3 * sum_of(0, 128); });
  const auto before = [](int t) {
    int sum = 0;
    for (int k = 0; k < t; ++k) sum += item(k, 0) + item(k, 1) + item(k, 2) + item(k, 3);
    return sum;
  };
  run.check(17, [&](int t) { return 2 * (1000 + before(t)) + 3 * in(t); });
  run.check(18, [&](int t) { return 1000 + before(128) + sum_of(0, t + 1); });
  const auto most = [](int t, int items) {
    int result = -1000;
    for (int k = 0; k < 4 * t + items; ++k) result = std::max(result, item(k / 4, k % 4));
    return result;
  };
  run.check(19, [&](int t) {
    return std::max(-7, most(t, 0)) + 1000 * std::max(-7, most(t, 2)) + 1000000 * most(128, 0);
  });
  run.check(20, [&](int t) { return most(t, 1) + 1000 * most(t, 3); });
}

double digest(const std::vector<int>& all, int first, int stride = 1) {
  const auto at = [&](int k) { return all[static_cast<std::size_t>(first + k * stride)]; };
  return at(0) + 100.0 * at(1) + 10000.0 * at(2) + 1000000.0 * at(3);
}
const std::vector<int>& inputs() {
  static const std::vector<int> kFirst(library_input().begin(), library_input().begin() + 512);
  return kFirst;
}

TEST_CASE("CUB loads, stores and exchanges items") {
  const LibraryRun run(cub_sort_text(), 25);
  run.check(0, [](int t) { return digest(inputs(), 4 * t); });
  run.check(1, [](int t) {
    std::vector<int> some = inputs();
    std::fill(some.begin() + 400, some.end(), 7);
    return digest(some, t, 128);
  });
  run.check(2, [](int t) { return in((4 * t + 2) % 510) + 1000; });
  run.check(3, [](int t) { return digest(inputs(), t, 128); });
  run.check(4, [](int t) { return digest(inputs(), 4 * t); });
  run.check(5, [](int t) { return digest(inputs(), t / 32 * 128 + t % 32, 32); });
  run.check(6, [](int t) { return digest(inputs(), 511 - 4 * t, -1); });
  run.check(22, [](int t) { return digest(inputs(), t / 32 * 128 + t % 32, 32); });
  run.check(23, [](int t) { return digest(inputs(), 4 * t); });
  run.check(24, [](int t) { return in(t) + in(t + 1); });
}

/// Positions of the items in the order of their keys.
template <class Key, class Less>
std::vector<int> order_by(const std::vector<Key>& keys, Less less) {
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return less(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)]);
  });
  return order;
}

TEST_CASE("CUB sorts keys with their values") {
  const LibraryRun run(cub_sort_text(), 25);
  std::vector<float> keys;
  for (const int v : inputs())
    keys.push_back(v % 2 ? -0.5f * static_cast<float>(v) : 0.25f * static_cast<float>(v));
  const auto check = [&](int row, const std::vector<int>& order) {
    run.check(row, [&](int t) {
      const auto at = static_cast<std::size_t>(4 * t);
      const auto key = [&](std::size_t k) { return keys[static_cast<std::size_t>(order[at + k])]; };
      // As the kernel computes it: the first two terms in float.
      return static_cast<double>(key(0) + 1000 * key(3)) + 1000000.0 * order[at + 1];
    });
  };
  const std::vector<int> up = order_by(keys, std::less<>());
  check(7, up);
  // The input of the descending sort was sorted ascending before: equal keys keep that order.
  std::vector<float> sorted;
  for (const int k : up) sorted.push_back(keys[static_cast<std::size_t>(k)]);
  std::vector<int> down;
  for (const int k : order_by(sorted, std::greater<>()))
    down.push_back(up[static_cast<std::size_t>(k)]);
  check(8, down);
  std::vector<int> numbers = inputs();
  for (int& v : numbers) v -= 48;
  std::sort(numbers.begin(), numbers.end());
  run.check(9, [&](int t) { return digest(numbers, t, 128); });
  std::vector<int> digits;
  for (const int v : inputs()) digits.push_back(v / 2 % 8);
  std::vector<int> by_digit;
  for (const int k : order_by(digits, std::less<>())) by_digit.push_back(in(k));
  run.check(10, [&](int t) { return digest(by_digit, 4 * t); });
  std::vector<int> some = inputs();
  std::fill(some.begin() + 500, some.end(), 1000);
  const std::vector<int> merged = order_by(some, std::less<>());
  run.check(11, [&](int t) {
    const auto key = [&](int k) {
      return some[static_cast<std::size_t>(merged[static_cast<std::size_t>(4 * t + k)])];
    };
    return 4 * t + 3 < 500 ? key(0) + 1000.0 * key(3) : 0;
  });
  run.check(12, [&](int t) {
    const auto at = static_cast<std::size_t>(4 * t);
    return 4 * t + 3 < 500 ? merged[at] + 1000.0 * merged[at + 3] : 0;
  });
  run.check(21, [](int t) {
    std::vector<int> warp(inputs().begin() + t / 32 * 128, inputs().begin() + t / 32 * 128 + 128);
    std::sort(warp.begin(), warp.end());
    return digest(warp, t % 32 * 4);
  });
}

TEST_CASE("CUB compares neighbours, counts and decodes") {
  const LibraryRun run(cub_sort_text(), 25);
  run.check(13, [](int t) { return std::count(inputs().begin(), inputs().end(), t); });
  run.check(14, [](int t) {
    std::vector<int> heads, tails;
    for (int k = 4 * t; k < 4 * t + 4; ++k) {
      heads.push_back(k == 0 || in(k - 1) / 8 != in(k) / 8 ? 1 : 0);
      tails.push_back((k == 511 ? 96 : in(k + 1)) / 8 != in(k) / 8 ? 1 : 0);
    }
    return digest(heads, 0) + 2 * digest(tails, 0);
  });
  run.check(15, [](int t) {
    return (t == 0 ? in(0) : in(4 * t) - in(4 * t - 1)) + 1000.0 * (in(4 * t + 3) - in(4 * t + 2));
  });
  run.check(16, [](int t) {
    return (in(4 * t) - in(4 * t + 1)) + 1000.0 * (in(4 * t + 3) - (t == 127 ? 5 : in(4 * t + 4)));
  });
  run.check(17, [](int t) { return t + 3 < 128 ? in(t + 3) : -1; });
  run.check(18, [](int t) { return in((t + 5) % 128); });
  run.check(19, [](int) { return 192; });
  std::vector<int> decoded, places;
  for (int run_of = 0; run_of < 128; ++run_of)
    for (int k = 0; k < run_of % 4; ++k) {
      decoded.push_back(run_of);
      places.push_back(k);
    }
  run.check(20, [&](int t) {
    const auto at = static_cast<std::size_t>(2 * t);
    return 2 * t + 1 < 192 ? decoded[at] + 1000 * decoded[at + 1] + 1000000.0 * places[at + 1] : 0;
  });
}

TEST_CASE("CUB's storage can be in dynamic shared memory") {
  const LoadedKernel loaded(R"(
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void f(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, 128>;
  extern __shared__ __align__(16) char memory[];
  auto& storage = reinterpret_cast<typename Reduce::TempStorage&>(memory);
  const int sum = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) out[0] = sum;
})",
                            "f");
  const Array out = device_array<int>({0});
  loaded.run(grid_of(1, 128, 4096), device_array(library_input()), out);
  CHECK(values_of<int>(out)[0] == sum_of(0, 128));
}

}  // namespace
}  // namespace kernelbatch::test
