// Contract of a warp: shuffles, votes, matches and warp-wide reductions.
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::grid_of;
using test::LoadedKernel;

std::vector<int> run_on_threads(const char* text, const char* entry, unsigned threads) {
  const LoadedKernel loaded(text, entry);
  const Array x = test::device_array(std::vector<int>(threads, -1));
  loaded.run(grid_of(1, threads), x);
  return test::values_of<int>(x);
}

template <class Function>
std::vector<int> expected_for(int threads, Function function) {
  std::vector<int> values;
  for (int k = 0; k < threads; ++k) values.push_back(function(k));
  return values;
}

TEST_CASE("Shuffles return values of the given lanes") {
  const char* text = R"(
extern "C" __global__ void shuffle(int* x) {
  const int t = threadIdx.x, lane = t % 32;
  const int from = __shfl_sync(~0u, t, (lane + 5) % 32);
  const int up = __shfl_up_sync(~0u, t, 3);
  const int down = __shfl_down_sync(~0u, t, 7);
  const int across = __shfl_xor_sync(~0u, t, 9);
  x[t] = from + 1000 * up + 1000 * 1000 * (down + across);
})";
  CHECK(run_on_threads(text, "shuffle", 64) == expected_for(64, [](int t) {
          const int base = t / 32 * 32;
          const int lane = t % 32;
          const int from = base + (lane + 5) % 32;
          const int up = lane < 3 ? t : t - 3;
          const int down = lane + 7 > 31 ? t : t + 7;
          const int across = base + (lane ^ 9);
          return from + 1000 * up + 1000 * 1000 * (down + across);
        }));
}

TEST_CASE("Shuffles of a smaller width stay within it") {
  const char* text = R"(
extern "C" __global__ void narrow(int* x) {
  const int t = threadIdx.x;
  const int from = __shfl_sync(~0u, t, 1, 8);
  const int up = __shfl_up_sync(~0u, t, 1, 8);
  const int down = __shfl_down_sync(~0u, t, 2, 8);
  x[t] = from + 100 * up + 10000 * down;
})";
  CHECK(run_on_threads(text, "narrow", 32) == expected_for(32, [](int t) {
          const int from = t / 8 * 8 + 1;
          const int up = t % 8 == 0 ? t : t - 1;
          const int down = t % 8 >= 6 ? t : t + 2;
          return from + 100 * up + 10000 * down;
        }));
}

TEST_CASE("Shuffles transfer 64-bit integers and doubles completely") {
  const char* text = R"(
extern "C" __global__ void wide(int* x) {
  const int t = threadIdx.x;
  const long long big = (1ll << 40) + t;
  const double real = 1.0 + t * 1e-12;
  const bool right = __shfl_xor_sync(~0u, big, 1) == (1ll << 40) + (t ^ 1) &&
                     __shfl_xor_sync(~0u, real, 1) == 1.0 + (t ^ 1) * 1e-12 &&
                     __shfl_xor_sync(~0u, float(t), 1) == float(t ^ 1);
  x[t] = right;
})";
  CHECK(run_on_threads(text, "wide", 32) == std::vector<int>(32, 1));
}

TEST_CASE("Votes count exactly the lanes with a true predicate") {
  const char* text = R"(
extern "C" __global__ void votes(int* x) {
  const int t = threadIdx.x;
  const unsigned odd = __ballot_sync(~0u, t & 1);
  const int right = odd == 0xaaaaaaaau && __any_sync(~0u, t % 32 == 31) && !__any_sync(~0u, t > 999) &&
                    __all_sync(~0u, t >= 0) && !__all_sync(~0u, t % 32 != 17);
  x[t] = right;
})";
  CHECK(run_on_threads(text, "votes", 96) == std::vector<int>(96, 1));
}

TEST_CASE("Lanes match those with the same value") {
  const char* text = R"(
extern "C" __global__ void match(int* x) {
  const int t = threadIdx.x;
  x[t] = static_cast<int>(__match_any_sync(~0u, t % 4));
})";
  CHECK(run_on_threads(text, "match", 32) ==
        expected_for(32, [](int t) { return static_cast<int>(0x11111111u << (t % 4)); }));
}

TEST_CASE("Warp reductions combine all lanes") {
  const char* text = R"(
extern "C" __global__ void reduce(int* x) {
  const int t = threadIdx.x;
  const int lane = t % 32;
  const bool right = __reduce_add_sync(~0u, lane) == 496 && __reduce_max_sync(~0u, lane - 40) == -9 &&
                     __reduce_min_sync(~0u, lane + 3) == 3 &&
                     __reduce_or_sync(~0u, 1u << lane) == ~0u &&
                     __reduce_and_sync(~0u, ~(1u << (lane % 4))) == ~15u &&
                     __reduce_xor_sync(~0u, unsigned(lane)) == 0;
  x[t] = right;
})";
  // These instructions need compute capability 8.
  if (test::on_cuda() && test::device().properties().capability_major < 8) {
    WARN("not checked: needs compute capability 8");
    return;
  }
  CHECK(run_on_threads(text, "reduce", 64) == std::vector<int>(64, 1));
}

TEST_CASE("A partial mask combines just its lanes") {
  const char* text = R"(
extern "C" __global__ void partial(int* x) {
  const int lane = threadIdx.x;
  if (lane < 12) {
    const unsigned mask = 0xfffu;
    const unsigned yes = __ballot_sync(mask, lane % 3 == 0);
    const int next = __shfl_sync(mask, lane, (lane + 1) % 12);
    x[lane] = static_cast<int>(yes) * 100 + next;
  } else {
    const unsigned mask = 0xfffff000u;
    int sum = lane;
    for (int k = 0; k < 3; ++k) sum = __shfl_xor_sync(mask, sum, 1) + 1;
    x[lane] = sum;
  }
})";
  CHECK(run_on_threads(text, "partial", 32) == expected_for(32, [](int lane) {
          if (lane < 12) return 0x249 * 100 + (lane + 1) % 12;
          return (lane ^ 1) + 3;
        }));
}

TEST_CASE("Interleaved halves of a warp do not see each other") {
  const char* text = R"(
extern "C" __global__ void halves(int* x) {
  const int lane = threadIdx.x;
  if (lane % 2 == 0)
    for (int k = 0; k < 5; ++k) x[lane] = static_cast<int>(__ballot_sync(0x55555555u, lane >= 2 * k));
  else
    x[lane] = static_cast<int>(__ballot_sync(0xaaaaaaaau, lane < 7));
})";
  CHECK(run_on_threads(text, "halves", 32) == expected_for(32, [](int lane) {
          return lane % 2 == 0 ? static_cast<int>(0x55555500u) : 0x2a;
        }));
}

TEST_CASE("A warp sum by shuffles works in the last, incomplete warp too") {
  const char* text = R"(
extern "C" __global__ void tail(int* x) {
  const unsigned mask = __activemask();
  int sum = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) {
    const int other = __shfl_down_sync(mask, sum, d);
    if (threadIdx.x % 32 + d < 32 && threadIdx.x + d < blockDim.x) sum += other;
  }
  x[threadIdx.x] = threadIdx.x % 32 == 0 ? sum : 0;
})";
  const std::vector<int> sums = run_on_threads(text, "tail", 41);
  CHECK(sums[0] == 496);
  CHECK(sums[32] == 32 + 33 + 34 + 35 + 36 + 37 + 38 + 39 + 40);
}

}  // namespace
}  // namespace kernelbatch
