#include "core/case/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/h200.hpp"

namespace kernelbatch {
namespace {

ResultRecord record_with(std::int64_t blocks, std::int64_t threads, std::int64_t registers = 32,
                         std::int64_t shared = 0) {
  ResultRecord record;
  record.kind = VariantKind::kRaw;
  LaunchRecord launch;
  launch.kernel = "k";
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.registers = registers;
  launch.shared_dynamic = shared;
  record.launches = {launch};
  record.kernel_launches = 1;
  return record;
}

ProgramLog::Entry kernel(bool may_wait, bool knows_grid) {
  ProgramLog::Entry entry;
  entry.name = "k";
  entry.may_wait = may_wait;
  entry.knows_grid = knows_grid;
  return entry;
}

double value(const ResultRecord& record, const std::string& name) {
  const auto found = std::ranges::find(record.counters, name, &CounterRecord::name);
  return found == record.counters.end() ? kMissing : found->value;
}

ResultRecord with_facts(ResultRecord record,
                        const ProgramLog::Entry& entry = kernel(false, false)) {
  add_static_evidence(record, test::h200_properties(), std::vector{entry},
                      {.inputs = 8e6, .outputs = 4e6});
  return record;
}

bool has(const std::vector<Twin>& twins, Twin twin) {
  return std::ranges::find(twins, twin) != twins.end();
}

std::vector<Twin> twins_of(const ResultRecord& record, const ProgramLog::Entry& entry) {
  return possible_twins(record, test::h200_properties(), std::vector{entry});
}

TEST_CASE("Threads, registers and shared memory limit how many blocks are resident") {
  const ResultRecord threads = with_facts(record_with(132 * 16, 256));
  CHECK(value(threads, "blocks_by_threads") == 8);
  CHECK(value(threads, "resident_blocks") == 8);
  CHECK(value(threads, "occupancy") == 1);
  CHECK(value(threads, "waves") == 2);
  const ResultRecord registers = with_facts(record_with(132, 256, 128));
  CHECK(value(registers, "blocks_by_registers") == 2);
  CHECK(value(registers, "resident_blocks") == 2);
  CHECK(value(registers, "occupancy") == 0.25);
  const ResultRecord shared = with_facts(record_with(132, 256, 32, 100 * 1024));
  CHECK(value(shared, "blocks_by_shared") == 2);
  CHECK(value(shared, "resident_blocks") == 2);
  const ResultRecord tiny = with_facts(record_with(132, 32));
  CHECK(value(tiny, "resident_blocks") == 32);
  CHECK(value(tiny, "occupancy") == 0.5);
}

TEST_CASE("Facts about the device and the arrays are stored") {
  const ResultRecord record = with_facts(record_with(132, 256));
  CHECK(value(record, "units") == 132);
  CHECK(value(record, "is_gpu") == 1);
  CHECK(value(record, "input_bytes") == 8e6);
  CHECK(value(record, "output_bytes") == 4e6);
}

TEST_CASE("A kernel's instructions are stored by kind") {
  ProgramLog::Entry entry = kernel(false, false);
  InstructionMix mix;
  mix.loops = 3;
  mix.global_bytes = 40;
  mix[InstructionKind::kFloat64] = 12;
  entry.mix = mix;
  const ResultRecord record = with_facts(record_with(132, 256), entry);
  CHECK(value(record, "instructions_float64") == 12);
  CHECK(std::isnan(value(record, "instructions_float32")));
  CHECK(value(record, "loops") == 3);
  CHECK(value(record, "global_bytes_of_thread") == 40);
  CHECK(value(record, "shared_bytes_of_thread") == 0);
}

TEST_CASE("No twin removes blocks that may wait for each other") {
  const ProgramLog::Entry plain = kernel(false, false), waits = kernel(true, false);
  const ResultRecord once = with_facts(record_with(132 * 4, 256)),
                     often = with_facts(record_with(132 * 80, 256));
  CHECK(has(twins_of(once, plain), Twin::kHalfOccupancy));
  CHECK(has(twins_of(once, plain), Twin::kHalfGrid));
  // All are resident at once, and may rely on that.
  CHECK_FALSE(has(twins_of(once, waits), Twin::kHalfOccupancy));
  CHECK(has(twins_of(often, waits), Twin::kHalfOccupancy));
  CHECK_FALSE(has(twins_of(often, waits), Twin::kHalfGrid));
}

TEST_CASE("Fewer blocks of a kernel that knows their number may do the same work") {
  const ResultRecord record = with_facts(record_with(132 * 80, 256));
  CHECK_FALSE(has(twins_of(record, kernel(false, true)), Twin::kHalfGrid));
  CHECK(has(twins_of(record, kernel(false, true)), Twin::kHalfOccupancy));
}

TEST_CASE("With several launches none uses elements that a twin left unwritten") {
  ResultRecord record = record_with(132 * 80, 256);
  record.launches.push_back(record.launches[0]);
  record.kernel_launches = 2;
  record.kind = VariantKind::kElementwise;
  const std::vector<Twin> twins = twins_of(with_facts(record), kernel(false, false));
  CHECK_FALSE(has(twins, Twin::kHalfGrid));
  CHECK_FALSE(has(twins, Twin::kNoArithmetic));
}

TEST_CASE("Only generated kernels have a twin without arithmetic") {
  for (const VariantTraits& style : Names<VariantKind>::rows) {
    ResultRecord record = record_with(132 * 80, 256);
    record.kind = style.value;
    const bool is_generated = record.kind == VariantKind::kElementwise ||
                              record.kind == VariantKind::kReduction ||
                              record.kind == VariantKind::kFused;
    CAPTURE(style.name);
    CHECK(has(twins_of(with_facts(record), kernel(false, false)), Twin::kNoArithmetic) ==
          is_generated);
  }
}

TEST_CASE("Without knowledge of the kernels there are no twins") {
  const ResultRecord record = with_facts(record_with(132 * 80, 256));
  CHECK(possible_twins(record, test::h200_properties(), {}).empty());
}

TEST_CASE("Twins are stored with the time of the unmodified call") {
  ResultRecord record;
  add_twins(record, std::vector<TwinTime>{{Twin::kNone, 1e-3}, {Twin::kHalfGrid, 5e-4}});
  CHECK(value(record, "as_is") == 1e-3);
  CHECK(value(record, "half_grid") == 5e-4);
  CHECK(record.counters[0].source == EvidenceSource::kTwin);
}

}  // namespace
}  // namespace kernelbatch
