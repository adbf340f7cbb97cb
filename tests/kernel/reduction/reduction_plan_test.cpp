#include "core/kernel/reduction/policy.hpp"
#include "tests/kernel/random_definition.hpp"
#include "tests/kernel/reduction/planned_reduction.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::imagined, test::schedule;

/// Assumptions of the kernel's template.
void check_sound(const ReductionSchedule& s, std::int64_t outputs, std::int64_t count) {
  CHECK(s.threads() <= 1024);
  CHECK(s.threads() >= 1);
  CHECK((s.lanes == 1 || s.threads() % 32 == 0));
  CHECK((s.lanes & (s.lanes - 1)) == 0);
  CHECK((s.workers == 1 || s.lanes == 32 || s.lanes == 1));
  const std::int64_t folded = count / s.fold * s.fold;  // the last split has the rest, too
  CHECK(s.splits * s.split_count >= folded);
  CHECK((s.splits - 1) * s.split_count < std::max<std::int64_t>(folded, 1));
  CHECK((s.splits == 1 || s.split_count % s.unit() == 0));
  CHECK((outputs % s.across == 0 || s.covers || s.fold > 1));
  CHECK(s.blocks >= 1);
  CHECK(s.blocks * s.outputs * s.across * s.rows >= outputs * s.splits);
}

TEST_CASE("Every shape gets a schedule that the kernel can run") {
  for (const std::int64_t rows : {1, 2, 31, 32, 33, 1000, 1056, 100000})
    for (const std::int64_t columns : {1, 2, 3, 31, 33, 64, 1000, 100003})
      for (const DType dtype : {DType::kInt8, DType::kFloat64, DType::kComplex128}) {
        INFO(rows << " x " << columns << " " << name_of(dtype));
        const Array input = imagined(dtype, {rows, columns});
        check_sound(schedule(input, {1}), rows, columns);
        check_sound(schedule(input, {0}), columns, rows);
        check_sound(schedule(input, {0, 1}), 1, rows * columns);
      }
}

TEST_CASE("Random layouts of full and empty shapes get a schedule") {
  test::Dice dice(20261130);
  const std::vector<std::int64_t> few{0, 1, 2, 3, 5, 8, 31, 64, 130}, many{1, 1001, 30000, 400000};
  for (int number = 0; number < 20000; ++number) {
    const DType dtype = dice.dtype();
    Shape shape;
    std::vector<int> axes;
    for (int axis = 0, count = dice.between(1, 4); axis < count; ++axis) {
      shape.push_back(dice.pick(axis > 1 || dice.chance(60) ? few : many));
      if (dice.chance(50)) axes.push_back(axis);
    }
    const Array input = test::random_view(
        dice, shape, [&](const Shape& stored) { return imagined(dtype, stored); });
    INFO(name_of(dtype) << " " << to_text(shape) << " strides " << to_text(input.strides())
                        << " over " << axes.size());
    const ReductionSchedule s =
        schedule(input, axes, test::h200_properties(), {dice.chance(50), dice.chance(50)});
    REQUIRE(s.blocks >= 1);
    REQUIRE(s.threads() >= 1);
    REQUIRE(s.threads() <= 1024);
  }
}

TEST_CASE("Rows and columns that are not aligned are read in aligned packs") {
  const ReductionSchedule columns = schedule(imagined(DType::kFloat32, {8, 42, 170887}), {1});
  CHECK(columns.pattern == ReductionPattern::kShiftedColumns);
  CHECK(columns.across == 4);
  CHECK(columns.workers % 4 == 0);
  CHECK(columns.splits == 1);
  CHECK_FALSE(columns.covers);
  const ReductionSchedule narrow = schedule(imagined(DType::kFloat16, {3, 179, 116357}), {1});
  CHECK(narrow.pattern == ReductionPattern::kShiftedColumns);
  CHECK(narrow.covers);
  CHECK(narrow.outputs == 128);
  // Parts of half the length instead of a second wave of few blocks, or none.
  const ReductionSchedule half = schedule(imagined(DType::kBFloat16, {9, 88, 75761}), {1});
  CHECK(half.covers);
  CHECK(half.outputs == 64);
  CHECK_FALSE(schedule(imagined(DType::kFloat16, {278, 121, 1789}), {1}).covers);
  CHECK(schedule(imagined(DType::kFloat16, {3, 179, 116360}), {1}).pattern ==
        ReductionPattern::kColumns);
  // Packs of 8 bytes of their own suffice.
  const ReductionSchedule pairs = schedule(imagined(DType::kFloat32, {1000, 360, 1002}), {1});
  CHECK(pairs.pattern == ReductionPattern::kColumns);
  CHECK(pairs.across == 2);
  const ReductionSchedule row = schedule(imagined(DType::kFloat16, {2112, 28405}), {1});
  CHECK(row.is_shifted);
  CHECK(row.pack == 8);
  CHECK(row.splits == 1);
  const ReductionSchedule rows = schedule(imagined(DType::kBFloat16, {1354359, 44}), {1});
  CHECK(rows.pattern == ReductionPattern::kStagedRows);
  CHECK(rows.lanes == 1);
  CHECK(rows.pack == 4);
}

TEST_CASE("Short rows whose packs leave lanes idle are copied by the block") {
  const ReductionSchedule s = schedule(imagined(DType::kFloat16, {404827, 152}), {1});
  CHECK(s.pattern == ReductionPattern::kStagedRows);
  CHECK(s.lanes == 4);
  CHECK(s.pack == 8);
  CHECK(schedule(imagined(DType::kFloat64, {2284271, 26}), {1}).pattern ==
        ReductionPattern::kStagedRows);
  const ReductionSchedule five = schedule(imagined(DType::kFloat64, {6108958, 10}), {1});
  CHECK(five.pattern == ReductionPattern::kStagedRows);
  CHECK(five.lanes == 1);
  CHECK(schedule(imagined(DType::kFloat64, {6108958, 16}), {1}).pattern ==
        ReductionPattern::kBatchedRows);
  // Lanes are busy: eight have several packs each.
  const ReductionSchedule busy = schedule(imagined(DType::kFloat16, {234375, 256}), {1});
  CHECK(busy.pattern == ReductionPattern::kBatchedRows);
  CHECK(busy.lanes == 8);
  CHECK(busy.in_flight == 4);
  // Narrow packs of rows of up to 1024 bytes of 16 bits, and of 512 bytes of others.
  CHECK(schedule(imagined(DType::kBFloat16, {131127, 458}), {1}).pattern ==
        ReductionPattern::kStagedRows);
  CHECK(schedule(imagined(DType::kFloat32, {131127, 229}), {1}).pattern !=
        ReductionPattern::kStagedRows);
}

TEST_CASE("Short rows of each index of a first axis are copied by the block") {
  const ReductionSchedule s = schedule(imagined(DType::kFloat16, {3, 3883618, 6}), {0, 2});
  CHECK(s.pattern == ReductionPattern::kStagedRows);
  CHECK(s.lanes == 1);
  CHECK(s.pack == 2);
  CHECK(schedule(imagined(DType::kFloat32, {3, 35868, 194, 3}), {0, 3}).pattern ==
        ReductionPattern::kStagedRows);
  const ReductionSchedule wide = schedule(imagined(DType::kFloat64, {3, 1825949, 11}), {0, 2});
  CHECK(wide.pattern == ReductionPattern::kStagedRows);
  CHECK(wide.lanes == 1);
  // Rows of other axes between are not one piece.
  CHECK(schedule(imagined(DType::kFloat32, {3, 35868, 3, 194}), {0, 2}).pattern !=
        ReductionPattern::kStagedRows);
}

TEST_CASE("Groups of outputs that are short pieces of memory are copied by the block") {
  const auto is_group = [](const Shape& shape, const std::vector<int>& axes, DType dtype) {
    const ReductionSchedule s = schedule(imagined(dtype, shape), axes);
    CHECK((s.lanes == 1 || s.threads() % 32 == 0));
    return s.pattern == ReductionPattern::kStagedRows && s.kept > 1;
  };
  const ReductionSchedule s = schedule(imagined(DType::kFloat64, {270416, 7, 5, 7}), {1, 3});
  CHECK(s.pattern == ReductionPattern::kStagedRows);
  CHECK(s.kept == 5);
  CHECK(s.lanes == 1);
  CHECK(s.outputs * s.rows % 10 == 0);  // two groups are whole vectors
  // Long outputs of runs have several lanes; those of single elements are shorter.
  const ReductionSchedule runs = schedule(imagined(DType::kFloat32, {40001, 9, 7, 31}), {1, 3});
  CHECK(runs.pattern == ReductionPattern::kStagedRows);
  CHECK(runs.lanes == 8);
  CHECK(is_group({30145, 104, 19}, {1}, DType::kBFloat16));
  CHECK_FALSE(is_group({30145, 304, 19}, {1}, DType::kBFloat16));
  // Threads read few elements as fast from memory, unless the last axis is reduced.
  CHECK(is_group({1000001, 3, 5, 3}, {1, 3}, DType::kFloat64));
  CHECK_FALSE(is_group({600001, 11, 9}, {1}, DType::kFloat64));
  // Packs of outputs; one bank for all threads of a warp; groups with others between.
  CHECK_FALSE(is_group({100001, 27, 4}, {1}, DType::kFloat32));
  CHECK_FALSE(is_group({200001, 4, 5, 24}, {1, 3}, DType::kFloat16));
  CHECK_FALSE(is_group({100001, 32, 3}, {1}, DType::kFloat32));
  CHECK_FALSE(is_group({27, 100001, 5}, {0}, DType::kFloat32));
}

TEST_CASE("Rows of few columns that are no whole packs are processed as one") {
  const ReductionSchedule odd = schedule(imagined(DType::kFloat16, {3592558, 17}), {0});
  CHECK(odd.pattern == ReductionPattern::kFoldedColumns);
  CHECK(odd.across == 8);
  CHECK(odd.fold == 8);
  CHECK(odd.outputs == 17);
  CHECK(odd.blocks > 132);
  const ReductionSchedule even = schedule(imagined(DType::kFloat32, {1000000, 50}), {0});
  CHECK(even.fold == 2);
  CHECK(even.outputs == 25);
  const ReductionSchedule wide = schedule(imagined(DType::kFloat32, {130797, 459}), {0});
  CHECK(wide.pattern == ReductionPattern::kFoldedColumns);
  CHECK(wide.outputs == 459);
  CHECK(wide.workers == 1);
  CHECK(schedule(imagined(DType::kFloat16, {3592558, 16}), {0}).pattern ==
        ReductionPattern::kColumns);
  // More columns of 16 bits are read by the packs around the elements.
  CHECK(schedule(imagined(DType::kFloat16, {131508, 499}), {0}).covers);
  CHECK(schedule(imagined(DType::kBFloat16, {470001, 127}), {0}).fold == 8);
  CHECK(schedule(imagined(DType::kFloat16, {100, 17}), {0}).fold == 1);
}

TEST_CASE("Few columns of each index of the first axis are processed as rows of their own") {
  const ReductionSchedule pairs = schedule(imagined(DType::kBFloat16, {25301, 1440, 2}), {1});
  CHECK(pairs.pattern == ReductionPattern::kFoldedColumns);
  CHECK(pairs.across == 8);
  CHECK(pairs.fold == 4);
  CHECK(pairs.kept == 2);
  CHECK(pairs.workers * pairs.in_flight == 1440 * 2 / 8);
  CHECK(pairs.blocks == 25301);
  CHECK(!pairs.is_shifted);
  const ReductionSchedule odd = schedule(imagined(DType::kFloat16, {8488, 562, 13}), {1});
  CHECK(odd.pattern == ReductionPattern::kFoldedColumns);
  CHECK(odd.is_shifted);
  CHECK(odd.fold == 8);
  CHECK(odd.threads() == 7 * 13);
  const ReductionSchedule few = schedule(imagined(DType::kFloat16, {72, 2069, 405}), {1});
  CHECK(few.pattern == ReductionPattern::kFoldedColumns);
  CHECK(few.splits > 1);
  const ReductionSchedule wide = schedule(imagined(DType::kFloat64, {14, 394470, 11}), {1});
  CHECK(wide.pattern == ReductionPattern::kFoldedColumns);
  CHECK(wide.across == 2);
  CHECK(wide.outputs == 11);
  CHECK(schedule(imagined(DType::kFloat32, {27648, 300, 62}), {1}).across == 4);
  // Packs of 16 bytes of their own suffice.
  CHECK(schedule(imagined(DType::kFloat32, {27648, 36, 64}), {1}).pattern ==
        ReductionPattern::kColumns);
}

TEST_CASE("Rows with reduced axes among the kept ones are processed as one") {
  const ReductionSchedule s = schedule(imagined(DType::kFloat32, {224309, 6, 17, 3}), {0, 2});
  CHECK(s.pattern == ReductionPattern::kFoldedColumns);
  CHECK(s.columns == 6 * 17 * 3);
  CHECK(s.kept == 6 * 3);
  CHECK(s.fold == 2);
  CHECK(s.split_count % (2 * 17) == 0);
  const ReductionSchedule last = schedule(imagined(DType::kFloat32, {224309, 6, 51}), {0, 2});
  CHECK(last.pattern == ReductionPattern::kFoldedColumns);
  CHECK(last.kept == 6);
  // Packs along the last axis suffice.
  CHECK(schedule(imagined(DType::kFloat32, {131072, 2, 256}), {0, 2}).pattern ==
        ReductionPattern::kWarp);
  CHECK(schedule(imagined(DType::kFloat32, {131072, 2, 66}), {0, 2}).pattern ==
        ReductionPattern::kWarp);
}

TEST_CASE("Outputs that have short runs of neighbouring elements are summed as columns") {
  const ReductionSchedule s = schedule(imagined(DType::kFloat16, {27, 474, 355, 13}), {0, 1, 3});
  CHECK(s.pattern == ReductionPattern::kShiftedColumns);
  CHECK(s.run == 13);
  CHECK(s.covers);
  CHECK(s.splits > 1);
  CHECK(s.split_count % (s.workers * s.run) == 0);
  CHECK(s.outputs * s.across >= s.columns * s.run);
  // Aligned packs, at which the parts of all blocks begin.
  const ReductionSchedule aligned = schedule(imagined(DType::kFloat32, {31, 1977, 356, 3}), {1, 3});
  CHECK(aligned.pattern == ReductionPattern::kShiftedColumns);
  CHECK(!aligned.covers);
  CHECK(aligned.across == 4);
  CHECK(aligned.columns * aligned.run % aligned.across == 0);
  const ReductionSchedule halves = schedule(imagined(DType::kFloat32, {3, 9000, 1111, 4}), {1, 3});
  CHECK(halves.columns * halves.run % halves.across == 0);
  // Rows of 868 elements are processed as one.
  const ReductionSchedule folded = schedule(imagined(DType::kBFloat16, {21, 3486, 217, 4}), {1, 3});
  CHECK(folded.pattern == ReductionPattern::kFoldedColumns);
  CHECK(folded.kept == 217);
  // One element each, with two reduced axes.
  const ReductionSchedule single = schedule(imagined(DType::kBFloat16, {25, 563, 2, 2717}), {0, 2});
  CHECK(single.pattern == ReductionPattern::kShiftedColumns);
  CHECK(single.run == 1);
  CHECK(single.covers);
  // Longer runs of single elements, if there are enough for a block's part of a row.
  const ReductionSchedule long_runs = schedule(imagined(DType::kFloat16, {1000, 1340, 45}), {0, 2});
  CHECK(long_runs.pattern == ReductionPattern::kShiftedColumns);
  CHECK(long_runs.run == 45);
  CHECK(long_runs.outputs > 128);
  CHECK(schedule(imagined(DType::kFloat16, {20, 4000, 27, 27}), {0, 1, 3}).pattern ==
        ReductionPattern::kWarp);
  // Long runs with packs, and few rows.
  CHECK(schedule(imagined(DType::kFloat16, {34, 2, 19099, 56}), {0, 1, 3}).pattern ==
        ReductionPattern::kWarp);
  CHECK(schedule(imagined(DType::kFloat16, {3, 2717480, 8}), {0, 2}).pattern ==
        ReductionPattern::kBatchedRows);
}

TEST_CASE("Few rows that are not aligned are read by the packs around their elements") {
  const ReductionSchedule few = schedule(imagined(DType::kBFloat16, {3, 18705225}), {0});
  CHECK(few.pattern == ReductionPattern::kColumns);
  CHECK(few.covers);
  CHECK(few.across == 4);
  CHECK(few.in_flight == 3);
  const ReductionSchedule more = schedule(imagined(DType::kFloat16, {447, 134251}), {0});
  CHECK(more.covers);
  CHECK(more.workers == 4);
  CHECK(more.has_registers);
  // One wave of threads.
  CHECK(schedule(imagined(DType::kBFloat16, {121, 496879}), {0}).workers == 2);
  CHECK_FALSE(schedule(imagined(DType::kBFloat16, {121, 496879}), {0}).has_registers);
  CHECK(schedule(imagined(DType::kFloat16, {1208, 49682}), {0}).workers == 8);
  CHECK(schedule(imagined(DType::kFloat16, {1208, 49682}), {0}).has_registers);
  CHECK(schedule(imagined(DType::kBFloat16, {77, 757698}), {0}).workers == 1);
  CHECK(schedule(imagined(DType::kBFloat16, {77, 757698}), {0}).has_registers);
  CHECK(!schedule(imagined(DType::kBFloat16, {37, 9, 180001}), {1}).covers);
  CHECK(!schedule(imagined(DType::kFloat32, {3, 18705225}), {0}).covers);
}

TEST_CASE("Blocks have wide pieces of rows of single elements of 4 bytes") {
  const auto columns = [](const Shape& shape, DType dtype = DType::kFloat32) {
    return schedule(imagined(dtype, shape), {0});
  };
  const ReductionSchedule s = columns({988, 59195});
  CHECK(s.pattern == ReductionPattern::kColumns);
  CHECK(s.outputs == 64);
  CHECK(s.workers == 2);
  CHECK(s.splits == 1);
  CHECK(columns({2001, 30001}).outputs == 64);
  CHECK(columns({2001, 30001}).workers == 4);
  // Too few blocks, other sizes, and packs.
  CHECK(columns({3408, 17605}).outputs == 32);
  CHECK(columns({701, 40003}, DType::kFloat64).outputs == 32);
  CHECK(columns({2001, 30002}).across == 2);
}

TEST_CASE("Threads have several outputs of few elements") {
  const ReductionSchedule s = schedule(imagined(DType::kFloat64, {8021663, 2, 3}), {1});
  CHECK(s.pattern == ReductionPattern::kBatchedRows);
  CHECK(s.lanes == 1);
  CHECK(s.in_flight == 2);
  CHECK(s.rows == 2);
  const ReductionSchedule narrow = schedule(imagined(DType::kFloat16, {20, 14, 200003}), {1});
  CHECK(narrow.pattern == ReductionPattern::kBatchedRows);
  CHECK(narrow.in_flight == 14);
  CHECK(narrow.rows == 2);
  CHECK(narrow.fits(14));
  CHECK(schedule(imagined(DType::kFloat16, {130, 3, 153847}), {1}).rows == 4);
  CHECK(schedule(imagined(DType::kFloat32, {900001, 6, 7}), {1}).rows == 1);
  // More elements, packs, and too few outputs.
  for (const Shape& shape : {Shape{5, 17, 700001}, Shape{8021663, 2, 4}, Shape{80216, 2, 3}})
    CHECK(schedule(imagined(DType::kFloat64, shape), {1}).pattern == ReductionPattern::kColumns);
}

TEST_CASE("Slices of rows are read at aligned addresses, in parts for all warps") {
  const ReductionSchedule s = schedule(imagined(DType::kBFloat16, {5735, 4, 2989}), {0, 2});
  CHECK(s.pattern == ReductionPattern::kWarp);
  CHECK(s.slice == 2989);
  CHECK(s.pack == 8);
  CHECK(s.is_shifted);
  CHECK(s.splits > 1);
  const ReductionSchedule few = schedule(imagined(DType::kFloat16, {14, 21, 207955}), {0, 2});
  CHECK(few.slice == 207955);
  CHECK(few.cuts * 14 * 21 >= 4 * 132 * 32);
  CHECK(few.slice / few.cuts >= 64 * 8);
  // Aligned and short slices, and few elements.
  for (const Shape& shape :
       {Shape{5735, 4, 2992}, Shape{1747, 12, 2860}, Shape{57350, 4, 299}, Shape{57, 4, 2989}})
    CHECK(schedule(imagined(DType::kBFloat16, shape), {0, 2}).slice == 1);
  CHECK(schedule(imagined(DType::kFloat32, {300, 200, 1002}), {0, 2}).slice == 1002);
}

TEST_CASE("One long sum keeps the whole device busy with vector loads") {
  const ReductionSchedule s = schedule(imagined(DType::kFloat32, {100000000}), {0});
  CHECK(s.blocks == 528);  // with 64 registers for a thread
  CHECK(s.takes_turns());
  CHECK(s.pack == 4);
  CHECK(s.lanes == 32);
  CHECK(s.threads() == 256);
  CHECK(s.in_flight == 4);
  CHECK_FALSE(s.outputs_fastest());
}

TEST_CASE("Long rows get a warp or more each, short rows a part of a warp") {
  CHECK(schedule(imagined(DType::kFloat32, {100000, 4096}), {1}).lanes == 32);
  CHECK(schedule(imagined(DType::kFloat32, {100000, 4096}), {1}).splits == 1);
  const ReductionSchedule brief = schedule(imagined(DType::kFloat32, {100000, 8}), {1});
  CHECK(brief.lanes == 2);
  CHECK(brief.outputs == 128);
}

TEST_CASE("A row whose loads are all in flight at once needs no loop") {
  const auto fits = [](std::int64_t rows, std::int64_t columns, bool commutes = true) {
    const ReductionSchedule s = schedule(imagined(DType::kFloat32, {rows, columns}), {1},
                                         test::h200_properties(), {commutes, true});
    return s.fits(columns);
  };
  CHECK(fits(1, 1000));
  CHECK(fits(1, 1023));
  CHECK(fits(100, 8 * 4096));
  CHECK_FALSE(fits(1, 1000, false));
  CHECK_FALSE(fits(100000, 4096));
  CHECK_FALSE(fits(1, 100000000));
}

TEST_CASE("Packs of few rows are read at once") {
  const auto columns = [](DType dtype, std::int64_t rows, std::int64_t length) {
    return schedule(imagined(dtype, {rows, length}), {0});
  };
  for (const std::int64_t rows : {5, 7, 15, 16}) {
    // Rows whose packs begin anywhere, and aligned ones.
    const ReductionSchedule odd = columns(DType::kBFloat16, rows, 4000001);
    CHECK(odd.covers);
    CHECK(odd.fits(rows));
    CHECK(columns(DType::kFloat32, rows, 4000000).fits(rows));
    CHECK(columns(DType::kFloat32, rows, 4000000).has_registers == (rows > 7));
  }
  CHECK(columns(DType::kFloat32, 17, 4000000).in_flight == 4);
  CHECK(schedule(imagined(DType::kBFloat16, {66242, 9, 168}), {1}).fits(9));
}

TEST_CASE("One wave of threads reads aligned packs of small elements") {
  const auto workers = [](DType dtype, std::int64_t rows, std::int64_t length) {
    return schedule(imagined(dtype, {rows, length}), {0}).workers;
  };
  CHECK(workers(DType::kFloat16, 72, 837796) == 1);
  CHECK(workers(DType::kFloat32, 30, 1000000) == 1);
  CHECK(workers(DType::kFloat64, 108, 556978) == 2);
  // The second wave had few blocks.
  CHECK(workers(DType::kFloat32, 53, 1123680) == 2);
}

TEST_CASE("Blocks have a second group of outputs only if a grid cannot have one for each") {
  for (const std::int64_t columns : {3, 8, 4096}) {
    CHECK(schedule(imagined(DType::kFloat32, {100001, columns}), {1}).has_all_blocks());
    CHECK(schedule(imagined(DType::kFloat32, {columns, 100001}), {0}).has_all_blocks());
    CHECK_FALSE(schedule(imagined(DType::kFloat32, {std::int64_t{1} << 45, columns}), {1})
                    .has_all_blocks());
  }
  CHECK(schedule(imagined(DType::kFloat32, {100000000}), {0}).has_all_blocks());
}

TEST_CASE("Few long rows are split over blocks") {
  const ReductionSchedule s = schedule(imagined(DType::kFloat32, {10, 1000000}), {1});
  CHECK(s.splits > 1);
  CHECK(s.blocks > 500);
}

TEST_CASE("Neighbouring threads process neighbouring columns") {
  const ReductionSchedule s = schedule(imagined(DType::kFloat32, {1000, 5000}), {0});
  CHECK(s.outputs_fastest());
  CHECK(s.across == 4);
  CHECK(s.outputs == 32);
  CHECK(s.lanes == 1);
  CHECK(s.pack == 1);
  CHECK(s.splits > 10);
}

TEST_CASE("Neighbouring outputs share a load only if every run of them is whole packs") {
  CHECK(schedule(imagined(DType::kFloat32, {1000, 5001}), {0}).across == 1);
  CHECK(schedule(imagined(DType::kFloat32, {1000, 5002}), {0}).across == 2);
  CHECK(schedule(imagined(DType::kFloat32, {1000, 5000}, (1 << 20) + 8), {0}).across == 2);
  CHECK(schedule(imagined(DType::kFloat64, {1000, 5000}), {0}).across == 2);
  CHECK(schedule(imagined(DType::kFloat32, {8, 1000, 5002}), {1}).across == 2);
  const auto device = test::h200_properties();
  CHECK(schedule(imagined(DType::kFloat32, {1000, 5000}), {0}, device, {true, false}).across == 1);
}

TEST_CASE("Few columns leave many workers, enough columns one") {
  const ReductionSchedule few = schedule(imagined(DType::kFloat32, {8000000, 8}), {0});
  CHECK(few.outputs == 2);
  CHECK(few.workers == 256);
  const ReductionSchedule many = schedule(imagined(DType::kFloat32, {64, 10000000}), {0});
  CHECK(many.outputs == 256);
  CHECK(many.workers == 1);
}

TEST_CASE("Blocks of columns are halved instead of starting a second wave of few") {
  // 1080 blocks of 256 threads, of which 1056 run at once.
  const ReductionSchedule uneven = schedule(imagined(DType::kFloat32, {435, 138188}), {0});
  CHECK(uneven.threads() == 128);
  CHECK(uneven.blocks == 1080);
  CHECK(schedule(imagined(DType::kFloat32, {435, 135168}), {0}).threads() == 256);
}

TEST_CASE("Many short rows are processed several at once") {
  const ReductionSchedule s = schedule(imagined(DType::kFloat32, {1000000, 64}), {1});
  CHECK(s.pattern == ReductionPattern::kBatchedRows);
  CHECK(s.lanes == 8);
  CHECK(s.in_flight == 2);
  CHECK(s.rows == 2);
  CHECK(schedule(imagined(DType::kFloat32, {1000000, 500}), {1}).in_flight == 4);
  CHECK(schedule(imagined(DType::kFloat32, {1000000, 500}), {1}).rows == 1);
  // Two lanes have one or two packs each; one of four would have none.
  const ReductionSchedule three = schedule(imagined(DType::kFloat16, {3, 2717480, 8}), {0, 2});
  CHECK(three.pattern == ReductionPattern::kBatchedRows);
  CHECK(three.lanes == 2);
  CHECK(three.in_flight == 2);
  CHECK(schedule(imagined(DType::kFloat32, {100, 64}), {1}).pattern == ReductionPattern::kWarp);
}

TEST_CASE("A misaligned or strided row is not loaded in packs") {
  CHECK(schedule(imagined(DType::kFloat64, {100000}, (1 << 20) + 8), {0}).pack == 1);
  CHECK(schedule(imagined(DType::kFloat64, {1000, 1001}), {1}).pack == 1);
  CHECK(schedule(imagined(DType::kFloat32, {1000, 1002}), {1}).pack == 2);
  CHECK(schedule(imagined(DType::kFloat32, {64, 100, 64}), {0, 2}).pack == 4);
  CHECK(schedule(imagined(DType::kFloat32, {64, 100, 63}), {0, 2}).pack == 1);
  CHECK(schedule(imagined(DType::kFloat32, {1000, 1004}), {1}).pack == 4);
  CHECK(schedule(imagined(DType::kFloat32, {100000}).slice(0, 0, 50000, 2), {0}).pack == 1);
  CHECK(schedule(imagined(DType::kComplex128, {100000}), {0}).pack == 1);
  CHECK(schedule(imagined(DType::kInt8, {100000}), {0}).pack == 16);
}

TEST_CASE("A row of small elements that begins anywhere is read in aligned packs") {
  const ReductionSchedule one = schedule(imagined(DType::kFloat32, {100000}, (1 << 20) + 4), {0});
  CHECK(one.is_shifted);
  CHECK(one.pack == 4);
  const ReductionSchedule pairs = schedule(imagined(DType::kFloat16, {4824, 12438}), {1});
  CHECK(pairs.is_shifted);
  CHECK(pairs.pack == 8);
  // Packs of 8 bytes of their own suffice, except for long rows.
  CHECK(schedule(imagined(DType::kFloat32, {4148, 1442}), {1}).pack == 2);
  CHECK(schedule(imagined(DType::kFloat32, {4148, 14466}), {1}).pack == 4);
}

TEST_CASE("Rows that suffice for all units are not shared by blocks") {
  CHECK(schedule(imagined(DType::kFloat16, {150, 333328}), {1}).splits > 1);
  const ReductionSchedule s = schedule(imagined(DType::kFloat16, {3000, 16664}), {1});
  CHECK(s.splits == 1);
  CHECK(s.workers == 2);
  CHECK(s.outputs == 1);
}

TEST_CASE("Several warps share a row if each lane keeps many packs of it") {
  const ReductionSchedule long_row = schedule(imagined(DType::kFloat64, {1978, 30156}), {1});
  CHECK(long_row.splits == 1);
  CHECK(long_row.threads() == 1024);
  CHECK(schedule(imagined(DType::kFloat32, {4148, 30156}), {1}).workers == 8);
  CHECK(schedule(imagined(DType::kFloat64, {901, 66598}), {1}).threads() == 1024);
  CHECK(schedule(imagined(DType::kFloat32, {426, 140562}), {1}).threads() == 256);
  CHECK(schedule(imagined(DType::kFloat32, {426, 140562}), {1}).in_flight == 8);
  CHECK(schedule(imagined(DType::kFloat32, {620, 96774}), {1}).in_flight == 4);
  CHECK(schedule(imagined(DType::kFloat32, {1169, 51316}), {1}).threads() == 512);
  CHECK(schedule(imagined(DType::kFloat32, {2890, 20762}), {1}).has_registers);
  CHECK(!schedule(imagined(DType::kFloat32, {4148, 14466}), {1}).has_registers);
  CHECK(!schedule(imagined(DType::kFloat32, {2890, 20764}), {1}).has_registers);
  // More rows of 16 bits than blocks of 256 threads are resident.
  CHECK(schedule(imagined(DType::kFloat16, {922, 65068}), {1}).threads() == 128);
  CHECK(schedule(imagined(DType::kBFloat16, {600, 100001}), {1}).threads() == 256);
  // Elements of several axes are located one by one.
  CHECK(schedule(imagined(DType::kFloat64, {44, 12513, 109}), {0, 2}).workers == 4);
  CHECK(schedule(imagined(DType::kFloat64, {44, 12513, 109}), {0, 2}).in_flight == 8);
  CHECK(schedule(imagined(DType::kFloat64, {39856, 1504}), {1}).workers == 4);
  // Single elements are loaded all at once if they are few; more warps take longer.
  const ReductionSchedule single = schedule(imagined(DType::kFloat64, {10861, 5525}), {1});
  CHECK(single.threads() == 512);
  CHECK(single.in_flight == 11);
  const ReductionSchedule rounds = schedule(imagined(DType::kFloat64, {6001, 10001}), {1});
  CHECK(rounds.threads() == 256);
  CHECK(rounds.in_flight == 16);
  CHECK(schedule(imagined(DType::kFloat64, {7760, 7791}), {1}).threads() == 512);
  CHECK(schedule(imagined(DType::kFloat64, {7760, 7791}), {1}).in_flight == 16);
  CHECK(schedule(imagined(DType::kFloat64, {89974, 666}), {1}).workers == 1);
}

DeviceProperties host_properties() {
  DeviceProperties host;
  host.loop_blocks = 64;
  host.loop_grain = 1 << 13;
  host.streams_per_thread = 16;
  host.compute_units = 1;
  return host;
}

TEST_CASE("On the host a thread processes neighbouring outputs together if they are closer") {
  const DeviceProperties host = host_properties();
  const auto walk = [&](const Shape& shape, const std::vector<int>& axes, bool is_small = true) {
    return schedule(imagined(DType::kFloat32, shape), axes, host, {true, is_small});
  };
  CHECK(walk({10000, 10000}, {1}).tile == 1);
  CHECK(walk({10000, 10000}, {0}).tile == 2000);
  CHECK(walk({10000, 10000}, {0}).groups == 5);
  CHECK(walk({10000, 10000}, {0}, false).tile <= 64);
  // Few columns: their rows are distributed.
  const ReductionSchedule few = walk({1000000, 64}, {0});
  CHECK(few.tile == 64);
  CHECK(few.groups == 1);
  CHECK(few.splits == 64);
  CHECK(few.blocks == 64);
  // A tile ends with its row of outputs.
  const ReductionSchedule rows = walk({7, 1000, 2049}, {1});
  CHECK(rows.tile == 1025);
  CHECK(rows.groups == 14);
}

TEST_CASE("On the host a schedule does not depend on the number of cores") {
  DeviceProperties host = host_properties();
  const Array input = imagined(DType::kFloat64, {10000000});
  const ReductionSchedule one = schedule(input, {0}, host);
  host.compute_units = 96;
  const ReductionSchedule many = schedule(input, {0}, host);
  CHECK(one.splits == many.splits);
  CHECK(one.split_count == many.split_count);
  CHECK(one.threads() == 1);
  CHECK(one.splits == 64);
}

TEST_CASE("Reduced axes become the inner loop and merge") {
  const std::vector<Array> inputs{imagined(DType::kFloat32, {2, 3, 4, 5})};
  ReductionLoops loops = plan_reduction(inputs, {2, 3, 4, 5}, {2, 3}, false);
  CHECK(loops.out_shape == Shape{2, 3});
  CHECK(loops.inner.extents == Extents{20});
  CHECK(loops.inner.count == 20);
  CHECK(loops.outer.count == 6);
  loops = plan_reduction(inputs, {2, 3, 4, 5}, {0, 2}, true);
  CHECK(loops.out_shape == Shape{1, 3, 1, 5});
  CHECK(loops.inner.extents == Extents{2, 4});
}

TEST_CASE("Axes are sorted and counted from either end") {
  CHECK(normalise_axes({-1, 0}, false, 3, "f") == std::vector<int>{0, 2});
  CHECK(normalise_axes({}, true, 3, "f") == std::vector<int>{0, 1, 2});
  CHECK(normalise_axes({}, false, 3, "f").empty());
}

}  // namespace
}  // namespace kernelbatch
