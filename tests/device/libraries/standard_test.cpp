// libcu++ and thrust's small types.
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "tests/device/libraries/library.hpp"

namespace kernelbatch::test {
namespace {

TEST_CASE("Atomic objects, barriers, pipelines and copies of namespace cuda") {
  const LibraryRun run(atomics_text(), 10);
  int most = 0;
  for (int t = 0; t < 128; ++t) most = std::max(most, in(t));
  run.check(0, [](int) { return 1; });
  run.check(1, [&](int) { return 128 + 0 + 1000000.0 * most; });
  run.check(2, [](int) { return 64 + 256000; });
  run.check(3, [](int) { return 0x7fffffff; });
  run.check(4, [](int t) { return in(127 - t) + 1000 * (32 + 64 + 96); });
  run.check(5, [](int t) { return t < 64 ? 3 * in(63 - t) : 7; });
  run.check(6, [](int t) { return in((t + 5) % 128); });
  run.check(7, [](int t) {
    int total = 0;
    for (int round = 0; round < 6; ++round) total += in(128 * round + 127 - t);
    return total;
  });
  run.check(8, [](int t) { return in(t ^ 1); });
  run.check(9, [](int t) { return in(128 + (t ^ 1)); });
}

int bits(int t) { return __builtin_popcount(static_cast<unsigned>(t)); }
int leading(int t) { return t == 0 ? 32 : __builtin_clz(static_cast<unsigned>(t)); }

TEST_CASE("Common parts of cuda::std and thrust work in kernels") {
  using Complex = std::complex<double>;
  const LibraryRun run(standard_text(), 21);
  run.check(0, [](int t) { return 6 + t + 400 + t; });
  run.check(1, [](int t) { return t + t / 2.0; });
  run.check(2, [](int t) { return t + 0.25 + t; });
  run.check(3, [](int t) { return t % 2 ? t + 1000 : -1; });
  run.check(4, [](int t) { return in(t) + 125; });
  run.check(5, [](int t) { return bits(t) + 10 * leading(t) + 0x3f800000 / 1000; });
  run.check(6, [](int t) { return std::gcd(t, 12) + 1200; });
  run.check(7, [](int t) { return std::max(t, 50) + 1000 * std::min(t, 50) + 1000002; });
  run.check(
      8, [](int t) { return std::sqrt(t) + 5; }, 1e-15);
  const auto square = [](int t) {
    const Complex z(1, t);
    return z * z + 2.0 * z / Complex(0, 1) - 1.0;
  };
  run.check(
      9, [&](int t) { return square(t).real(); }, 1e-14);
  run.check(
      10, [&](int t) { return square(t).imag(); }, 1e-14);
  run.check(
      11, [](int) { return std::exp(0.5) + std::acos(0.0); }, 1e-14);
  run.check(
      12, [](int t) { return 3 * 0.25 * t + 1; }, 1e-13);
  run.check(
      13, [](int) { return 1; }, 1e-13);
  run.check(
      14, [](int) { return 2 + 25; }, 1e-14);
  run.check(
      15, [](int) { return 0.5 + 1.5 + 0.5; }, 1e-14);
  run.check(
      16, [](int) { return 0.25 + 0.5 + 2; }, 1e-14);
  run.check(17, [](int t) { return t + 2 * t + 3 + std::max(3, t); });
  run.check(18, [](int t) { return (t + 6) / 7 + 2 + 3.5; });
  run.check(19, [](int) { return 21; });
  run.check(20, [](int) { return 0x7fffffff + 0.5; });
}

TEST_CASE("Texts that request C++17 can use the libraries") {
  KernelSource source = raw_source(cub_reduce_text(), {"f"});
  source.options = {"--std=c++17"};
  CHECK_FALSE(device().compiler().compile(source).bytes.empty());
}

}  // namespace
}  // namespace kernelbatch::test
