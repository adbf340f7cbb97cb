#include "core/kernel/loop/division.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("Division by multiplication is exact for every 31-bit index and kind of divisor") {
  constexpr std::uint32_t kLast = (1u << 31) - 1;
  std::vector<std::uint32_t> divisors{kLast, kLast - 1, kLast / 2, kLast / 3};
  for (std::uint32_t d = 1; d < 3000; ++d) divisors.push_back(d);
  for (int bit = 11; bit < 31; ++bit)
    for (const int off : {-1, 0, 1, 7})
      divisors.push_back((1u << bit) + static_cast<std::uint32_t>(off));
  for (const std::uint32_t d : divisors) {
    const Division division = Division::by(d);
    // Errors would appear where the quotient changes, first at the far end.
    bool right = division.of(0) == 0 && division.of(kLast) == kLast / d;
    for (const std::uint32_t q : {1u, 2u, 3u, kLast / d / 2, kLast / d - 1, kLast / d}) {
      if (q == 0 || q > kLast / d) continue;
      right = right && division.of(q * d) == q && division.of(q * d - 1) == (q * d - 1) / d;
    }
    INFO(d);
    CHECK(right);
  }
}

}  // namespace
}  // namespace kernelbatch
