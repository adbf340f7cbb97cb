// Which blocks share outputs, and which parts of the rows they have.
#include "tests/kernel/reduction/planned_reduction.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::imagined, test::schedule;

TEST_CASE("Blocks that share outputs are resident and have even parts") {
  for (const std::int64_t rows : {2, 15, 65, 122, 183, 259}) {
    INFO(rows);
    const ReductionSchedule s = schedule(imagined(DType::kFloat16, {rows, 60000000 / rows}), {1});
    CHECK(s.splits > 1);
    CHECK(s.blocks * s.threads() <= 132 * 1024);
    CHECK(s.blocks * s.threads() >= 132 * 1024 * 7 / 8);
  }
  const ReductionSchedule columns = schedule(imagined(DType::kBFloat16, {53890, 1113}), {0});
  CHECK(columns.splits > 1);
  CHECK(columns.blocks * columns.threads() <= 132 * 1024);
}

TEST_CASE("Each block that takes turns has one") {
  for (const std::int64_t count : {131072, 131073, 131079, 135167, 139264, 139271})
    for (const std::uintptr_t place : {0, 2}) {
      INFO(count << " " << place);
      const ReductionSchedule s =
          schedule(imagined(DType::kFloat16, {count}, (1 << 20) + place), {0});
      const std::int64_t turn = std::int64_t{s.threads()} * s.pack * s.in_flight;
      CHECK(s.takes_turns());
      CHECK((s.splits - 1) * turn < count - 2 * s.pack);
    }
}

TEST_CASE("Short rows of outputs that follow each other are read as one piece") {
  const ReductionSchedule s = schedule(imagined(DType::kBFloat16, {3399, 2326, 8}), {1});
  CHECK(s.pattern == ReductionPattern::kColumns);
  CHECK(s.outputs * s.across == 8);
  CHECK(s.threads() == 256);
  CHECK(s.splits == 1);
  // Too few rows for the threads of a block, long rows, and rows with gaps.
  const Array all = imagined(DType::kBFloat16, {3399, 2326, 16});
  CHECK(schedule(imagined(DType::kBFloat16, {118917, 40, 8}), {1}).outputs > 1);
  CHECK(schedule(imagined(DType::kBFloat16, {3399, 2326, 64}), {1}).outputs == 32);
  CHECK(schedule(all.slice(2, 0, 8, 1), {1}).outputs == 32);
}

}  // namespace
}  // namespace kernelbatch
