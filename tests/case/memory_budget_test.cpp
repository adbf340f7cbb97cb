#include "core/case/memory_budget.hpp"

#include "core/array/array.hpp"
#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("A budget counts against all variants' use, and is returned") {
  double used = 0;
  {
    MemoryBudget first({.limit = 1000, .used = &used});
    MemoryBudget second({.limit = 1000, .used = &used});
    first.count(600);
    second.count(400);
    CHECK(used == 1000);
    CHECK_THROWS_AS(second.count(1), OutOfMemoryError);
  }
  CHECK(used == 0);
}

TEST_CASE("Memory that may be kept is counted; refused memory is not") {
  double used = 0;
  MemoryBudget budget({.limit = 1000, .used = &used});
  CHECK(budget.may_keep(700, test::device()));
  CHECK(used == 700);
  CHECK_FALSE(budget.may_keep(301, test::device()));
  CHECK(used == 700);
  CHECK(budget.may_keep(300, test::device()));
  CHECK(used == 1000);
}

TEST_CASE("Without a limit the device's memory is the limit") {
  MemoryBudget budget({});
  CHECK(budget.may_keep(1000, test::device()));
  CHECK_FALSE(budget.may_keep(test::device().free_memory(), test::device()));
  budget.count(1e18);
}

TEST_CASE("Arrays are staged if kernels support chunks and the limit is exceeded") {
  constexpr std::size_t kLarge = std::size_t{1} << 30;
  REQUIRE(2 * staging_bytes(kLarge) < kLarge);
  MemoryBudget whole({.limit = kLarge / 2.0});
  CHECK_FALSE(whole.stays_on_host(kLarge));
  double used = 0;
  MemoryBudget pieces({.limit = kLarge / 2.0, .may_stage = true, .used = &used});
  CHECK(pieces.stays_on_host(kLarge));
  CHECK(pieces.staged() == static_cast<double>(kLarge));
  CHECK(used == 2.0 * static_cast<double>(staging_bytes(kLarge)));
  CHECK_FALSE(pieces.stays_on_host(1000));
}

}  // namespace
}  // namespace kernelbatch
