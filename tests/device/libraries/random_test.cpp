// cuRAND's device generators, compared with cuRAND's own numbers, and wmma.
#include <array>

#include "tests/device/libraries/library.hpp"

namespace kernelbatch::test {
namespace {

/// Results of NVIDIA's curand_kernel.h as host code: three raw numbers, one after the jumps, two
/// normal numbers, one of double precision, a log-normal one, a Poisson one, a last raw one.
struct Drawn {
  int thread;
  std::array<double, 10> numbers;
};
struct Generator {
  const char* name;
  std::vector<Drawn> drawn;
};
const std::vector<Generator>& generators() {
  static const std::vector<Generator> kAll{
      {"XORWOW",
       {{0,
         {1954919316, 3681184389, 2501467243, 3265557478, -0.934393108, -0.577738166,
          1.4649653793966328, 1.41521406, 1, 146987363}},
        {77,
         {342776314, 3989926291, 4113011543, 2102265321, -0.185649559, 1.53466284,
          0.12767105748962942, 1.48054552, 6, 1044542253}},
        {127,
         {380071996, 67337088, 1701474575, 62349434, 1.43991673, 0.0658088103, -0.69002375348568712,
          1.68402684, 2, 4138190472}}}},
      {"Philox4_32_10",
       {{0,
         {3419031310, 2666454581, 482218876, 348116498, 0.495013624, -0.458341151,
          -0.1711191443484209, 1.10532343, 4, 2137585946}},
        {77,
         {181365914, 970875219, 1212756008, 1726245810, 0.765160859, 0.0763044208,
          -1.8971211140561128, 1.68907821, 5, 2646725912}},
        {127,
         {3325338448, 4229474875, 266106026, 1886216439, 0.742235601, 0.571193457,
          -1.1649763822969255, 1.4848963, 3, 2471523722}}}},
      {"MRG32k3a",
       {{0,
         {1604391373, 2253011095, 4200718073, 160142645, 0.447549641, -0.344412476,
          0.029531260835017201, 1.49264753, 7, 1001060222}},
        {77,
         {4176347307, 2034959637, 2719411217, 3397086545, 0.423562109, 0.968987107,
          -1.6766328499365817, 1.61052632, 6, 1858023714}},
        {127,
         {3379036190, 3543228475, 3890755293, 1792872885, -0.644090414, -0.720582426,
          -0.49337028672143679, 1.29118478, 5, 2000811074}}}}};
  return kAll;
}

TEST_CASE("Generators return cuRAND's numbers") {
  const LibraryRun run(curand_text(), 40);
  int row = 0;
  for (const Generator& generator : generators()) {
    for (const Drawn& drawn : generator.drawn) {
      INFO(generator.name << ", sequence " << drawn.thread);
      const auto at = [&](int k) { return run.at(row + k, drawn.thread); };
      for (const int k : {0, 1, 2}) CHECK(at(k) == drawn.numbers[static_cast<std::size_t>(k)]);
      CHECK(at(5) == drawn.numbers[3]);
      // A GPU's fast sine is accurate to 2^-21.
      CHECK(at(6) == Approx(drawn.numbers[4]).margin(4e-6));
      CHECK(at(7) == Approx(drawn.numbers[5]).margin(4e-6));
      CHECK(at(8) == Approx(drawn.numbers[6]).epsilon(1e-13));
      CHECK(at(9) == Approx(drawn.numbers[7]).epsilon(4e-6));
      CHECK(at(10) == drawn.numbers[8]);
      CHECK(at(11) == drawn.numbers[9]);
    }
    row += 12;
  }
  for (int t = 0; t < kLibraryThreads; ++t) {
    INFO("thread " << t);
    for (const int first : {0, 12, 24}) {
      CHECK((run.at(first + 3, t) > 0 && run.at(first + 3, t) <= 1));
      CHECK((run.at(first + 4, t) > 0 && run.at(first + 4, t) <= 1));
    }
  }
  CHECK(run.at(36, 77) == 3750831980.0 + 1114583405.0);
  CHECK(run.at(37, 77) == Approx(0.789521456).epsilon(1e-8));
  CHECK(run.at(38, 77) == Approx(0.503421187).margin(4e-6));
  CHECK(run.at(39, 77) == 0.9514697780100656);
}

TEST_CASE("wmma multiplies matrices of every kind") {
  const LibraryRun run(mma_text(), 4);
  const auto half_product = [](int row, int column) {
    double sum = 0.5 * in(16 * row + column);
    for (int k = 0; k < 16; ++k)
      sum += (in(16 * row + k) % 7 - 3) * (in(16 * column + k + 256) % 5 - 2);
    return sum;
  };
  run.check(0, [&](int t) {  // stored by columns
    return half_product(t % 16, t / 16) + 1000 * half_product(t % 16, t / 16 + 8);
  });
  const auto small_product = [](int at) {
    int sum = 3;
    for (int k = 0; k < 16; ++k)
      sum += (in(16 * (at / 8) + k) - 48) * (in(8 * k + at % 8 + 1) - 48);
    return sum;
  };
  run.check(1, [&](int t) { return small_product(t) + 100000.0 * small_product(t + 128); });
  for (int t = 32; t < 64; ++t) {
    const int row = (8 * (t - 32) + 3) / 16, column = (8 * (t - 32) + 3) % 16;
    int sum = 0;
    for (int k = 0; k < 8; ++k)
      sum += (in(8 * row + k) % 9 - 4) * (in(16 * k + column + 128) % 9 - 4);
    CHECK(run.at(2, t) == 2 * sum);
  }
  run.check(3, [](int t) {
    const int row = t / 2 / 8, column = t / 2 % 8;
    double sum = in(t / 2);
    for (int k = 0; k < 4; ++k) sum += in(4 * row + k + 7) * in(4 * column + k + 9);
    return sum;
  });
}

TEST_CASE("CUDA's headers of plain types add nothing new") {
  const LibraryRun run(plain_text(), 2);
  run.check(0, [](int t) { return 2 - 3 * t + 1000 * (3 + 2 * t); });
  run.check(
      1, [](int t) { return 1 + 1000 * t + 5; }, 1e-14);
}

}  // namespace
}  // namespace kernelbatch::test
