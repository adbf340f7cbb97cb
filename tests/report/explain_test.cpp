#include "core/report/explain/explain.hpp"

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/report/explain/facts.hpp"
#include "core/report/explain/gap.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch {
namespace {

using Catch::Matchers::Contains;
using explain::Bottleneck;

/// Measured ceilings of an H100, rounded.
DeviceCalibration calibration() {
  DeviceCalibration c;
  c.device = "GPU";
  c.empty_launch = 4e-6;
  c.copy_bandwidth = 2.5e12;
  c.read_bandwidth = 2.5e12;
  c.cache_bandwidth = 6e12;
  c.float32_rate = 50e12;
  c.float64_rate = 25e12;
  c.float16_rate = 100e12;
  return c;
}

/// One launch of a kernel that takes 1 ms and fills the device.
struct Made {
  ResultRecord record;

  explicit Made(const std::string& variant = "raw", double time = 1e-3) {
    record =
        test::MadeResult(variant, time).of("w").in_case("c1").on("GPU").with_samples(20).made();
    record.bytes_read = record.bytes_written = 0.1e9;
    record.kernel_launches = 1;
    record.registers = 32;
    record.local_bytes = 0;
    record.occupancy = 1;
    LaunchRecord launch;
    launch.kernel = "k";
    launch.duration = 0.98 * time;
    record.launches.push_back(launch);
    fact("is_gpu", 1).fact("units", 132).fact("shared_cache", 50e6);
    fact("input_bytes", 0.1e9).fact("output_bytes", 0.1e9);
    fact("blocks", 10000, 0).fact("threads", 256, 0).fact("waves", 9.5, 0);
  }

  Made& add(EvidenceSource source, const std::string& name, double value, std::int64_t launch) {
    for (CounterRecord& each : record.counters)
      if (each.source == source && each.name == name) {
        each.value = value;
        return *this;
      }
    record.counters.push_back({launch < 0 ? "" : "k", launch, source, name, value, "1"});
    return *this;
  }
  Made& fact(const std::string& name, double value, std::int64_t launch = -1) {
    return add(EvidenceSource::kStatic, name, value, launch);
  }
  Made& instructions(const std::string& kind, double value) {
    record.counters.push_back(
        {"k", -1, EvidenceSource::kStatic, "instructions_" + kind, value, "1"});
    return *this;
  }
  Made& twin(const std::string& name, double ratio) {
    return add(EvidenceSource::kTwin, "as_is", 1e-3, -1)
        .add(EvidenceSource::kTwin, name, ratio * 1e-3, -1);
  }
  Made& counter(const std::string& name, double value) {
    return add(EvidenceSource::kCounter, name, value, 0);
  }
  /// Counters of a kernel that keeps no unit busy.
  Made& counted() {
    return counter("smsp__inst_executed.sum", 1e6)
        .counter("dram__bytes_read.sum", 0.1e9)
        .counter("dram__bytes_write.sum", 0.1e9)
        .counter("sm__cycles_active.avg", 1e6)
        .counter("sm__cycles_active.max", 1.05e6)
        .counter("gpc__cycles_elapsed.max", 1.1e6)
        .counter("smsp__issue_active.avg.pct_of_peak_sustained_active", 10)
        .counter("sm__warps_active.avg.pct_of_peak_sustained_active", 90)
        .counter("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1e6)
        .counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 4e6)
        .counter("smsp__average_thread_inst_executed_per_inst_executed.ratio", 32)
        .counter("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 20);
  }

  explain::Diagnosis said() const {
    const DeviceCalibration c = calibration();
    return explain::diagnose(explain::Facts(record, &c));
  }
};

void check(const Made& made, Bottleneck bottleneck, const std::string& words) {
  const explain::Diagnosis said = made.said();
  CHECK(name_of(said.bottleneck) == name_of(bottleneck));
  CHECK_THAT(said.evidence, Contains(words));
}

TEST_CASE("A kernel near the memory bandwidth is memory bound") {
  Made made;
  made.record.bytes_read = made.record.bytes_written = 1e9;
  check(
      made, Bottleneck::kMemory,
      "it moves 2.00 GB (as declared) in 1.00 ms, 80 % of the 2.50 TB/s that a copy reaches here");
  made.counted().counter("dram__bytes_read.sum", 1.2e9).counter("dram__bytes_write.sum", 1.05e9);
  check(made, Bottleneck::kMemory, "it moves 2.25 GB of DRAM in 1.00 ms, 90 %");
}

TEST_CASE("Without a calibration, ceilings are the counters' 100 %") {
  Made made;
  made.counted()
      .counter("dram__bytes_read.sum", 1.2e9)
      .counter("dram__bytes_write.sum", 1.05e9)
      .counter("dram__throughput.avg.pct_of_peak_sustained_elapsed", 75);
  const auto said = [&] { return explain::diagnose(explain::Facts(made.record, nullptr)); };
  CHECK(name_of(said().bottleneck) == name_of(Bottleneck::kMemory));
  // 2.25 GB in 0.98 ms are 75 %.
  CHECK_THAT(said().evidence, Contains("74 % of the 3.06 TB/s that its memory has at most"));
  made.counter("dram__throughput.avg.pct_of_peak_sustained_elapsed", 10)
      .counter("lts__t_bytes.sum", 5e9)
      .counter("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 90);
  CHECK(name_of(said().bottleneck) == name_of(Bottleneck::kCache));
  CHECK_THAT(said().evidence, Contains("88 % of the 5.67 TB/s"));
}

TEST_CASE("More DRAM bytes than necessary are reported") {
  Made made;
  made.counted()
      .counter("dram__bytes_read.sum", 2.0e9)
      .counter("dram__bytes_write.sum", 0.1e9)
      .counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 32e6);
  check(made, Bottleneck::kMemory,
        "10x the 200 MB that must move; a warp's access takes 32 sectors");
}

TEST_CASE("Declared bytes that memory cannot deliver came from a cache") {
  Made made;
  made.record.bytes_read = made.record.bytes_written = 2e9;
  check(made, Bottleneck::kCache, "1.6x what a copy through memory moves in that time");
}

TEST_CASE("A call slightly longer than an empty launch is launch bound") {
  check(Made("raw", 6e-6), Bottleneck::kLaunch, "a call takes 6.00 µs, an empty launch 4.00 µs");
  Made many("raw", 1e-3);
  many.record.kernel_launches = 100;
  many.record.launches[0].duration = 0.4e-3;
  check(many, Bottleneck::kLaunch, "its 100 kernels run for 400 µs of its 1.00 ms");
}

TEST_CASE("Local memory that is much of the traffic is spills") {
  Made made;
  made.record.local_bytes = 128;
  made.counted().counter("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 4e6);
  check(made, Bottleneck::kSpills, "50 % of what it loads and stores is local memory (128 B");
  Made few;
  few.record.local_bytes = 8;
  few.counted().counter("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 0.1e6);
  CHECK(few.said().bottleneck != Bottleneck::kSpills);
}

TEST_CASE("Without counters, many local memory instructions are spills") {
  Made made;
  made.record.local_bytes = 128;
  check(made, Bottleneck::kSpills, "much of its loads and stores");
  made.instructions("global_load", 10).instructions("local", 2).instructions("float32", 40);
  CHECK(made.said().bottleneck != Bottleneck::kSpills);
  made.instructions("local", 20);
  CHECK(made.said().bottleneck == Bottleneck::kSpills);
}

TEST_CASE("Fewer blocks than multiprocessors are latency") {
  Made made;
  made.fact("blocks", 1, 0).fact("waves", 0.01, 0);
  check(made, Bottleneck::kLatency, "its one block keeps 1 % of 132 SMs busy");
}

TEST_CASE("Multiprocessors that are idle while one works are an imbalance") {
  Made made;
  made.counted().counter("sm__cycles_active.avg", 0.2e6);
  check(made, Bottleneck::kImbalance, "the SMs are busy for 18 % of the time of the busiest");
}

TEST_CASE("Half of the blocks that take nearly all of the time are an imbalance") {
  Made made;
  made.twin("half_grid", 0.97);
  check(made, Bottleneck::kImbalance, "the first half of its blocks takes 97 % of its time");
  made.twin("half_grid", 0.52);
  CHECK(made.said().bottleneck != Bottleneck::kImbalance);
}

TEST_CASE("Half of the blocks taking hardly any time are an imbalance, also in a single wave") {
  Made made;
  made.fact("waves", 0.9, 0).twin("half_grid", 0.1);
  check(made, Bottleneck::kImbalance, "the first half of its blocks takes 10 % of its time");
  made.twin("half_grid", 0.95);  // they run concurrently
  CHECK(made.said().bottleneck != Bottleneck::kImbalance);
}

TEST_CASE("A last wave that is nearly empty is a tail") {
  Made made;
  made.fact("waves", 1.05, 0);
  check(made, Bottleneck::kImbalance,
        "its blocks come in 1.05 waves: the last one leaves 95 % of the SMs idle");
}

TEST_CASE("Atomics among the accesses are named before the caches that they keep busy") {
  Made made;
  made.counted()
      .counter("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 1e6)
      .counter("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 80);
  check(made, Bottleneck::kAtomics, "50 % of its accesses to global memory are atomic");
  Made shared;
  shared.instructions("shared", 4).instructions("shared_atomic", 8);
  check(shared, Bottleneck::kAtomics, "shared memory");
}

TEST_CASE("A few atomics with bulk copies, which are not requests, are no bottleneck") {
  Made made;
  made.counted()
      .counter("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 0)
      .counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0)
      .counter("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", 512)
      .counter("lts__t_bytes.sum", 2e9);
  CHECK(name_of(made.said().bottleneck) != name_of(Bottleneck::kAtomics));
  made.counter("lts__t_bytes.sum", 512 * 32);
  CHECK(name_of(made.said().bottleneck) == name_of(Bottleneck::kAtomics));
}

TEST_CASE("Busy shared memory is reported with its share of conflicts") {
  Made made;
  made.counted()
      .counter("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 0.9 * 132 * 1e6)
      .counter("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 0.85 * 132 * 1e6);
  check(made, Bottleneck::kCache,
        "shared memory is busy for 90 % of its cycles; 94 % of that are bank");
}

TEST_CASE("Bytes through the L2 cache at its ceiling are its bandwidth") {
  Made made;
  made.counted().counter("lts__t_bytes.sum", 4.8e9);
  check(made, Bottleneck::kCache, "4.80 GB pass through the L2 cache, 80 % of the 6.00 TB/s");
}

TEST_CASE("Few active threads of a warp that issues are divergence, of an idle one not") {
  Made made;
  made.counted()
      .counter("smsp__average_thread_inst_executed_per_inst_executed.ratio", 4)
      .counter("smsp__issue_active.avg.pct_of_peak_sustained_active", 40);
  check(made, Bottleneck::kDivergence, "4.0 of the 32 threads");
  made.counter("smsp__issue_active.avg.pct_of_peak_sustained_active", 5);
  CHECK(made.said().bottleneck == Bottleneck::kLatency);
}

TEST_CASE("Operations near the ceiling of their type are compute") {
  Made made;
  made.counted()
      .counter("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 11e9)
      .counter("smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 0.5e9);
  check(made, Bottleneck::kCompute, "90 % of the 25.0 TFLOP/s of float64 that this device reaches");
  Made twin;
  twin.twin("no_arithmetic", 0.2);
  check(twin, Bottleneck::kCompute, "without its arithmetic it takes 20 % of the time");
}

TEST_CASE("A busy unit that is none of these is compute, too") {
  Made made;
  made.counted().counter("sm__throughput.avg.pct_of_peak_sustained_elapsed", 88);
  check(made, Bottleneck::kCompute, "its busiest arithmetic unit works for 88 % of the time");
}

TEST_CASE("Matrix units that work most of the time are compute") {
  Made made;
  made.counted().counter("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 70);
  check(made, Bottleneck::kCompute, "the matrix units work in 70 % of the cycles");
}

TEST_CASE("Time that disappears only with the loads is memory") {
  Made made;
  made.twin("no_arithmetic", 0.98).twin("no_loads", 0.4);
  check(made, Bottleneck::kMemory, "without its loads it takes 40 % of the time");
}

TEST_CASE("If no unit is busy, warps wait") {
  Made made;
  made.counted();
  check(made, Bottleneck::kLatency, "its warps wait most for global memory");
  Made twin;
  twin.twin("half_occupancy", 1.8);
  check(twin, Bottleneck::kLatency, "with half of its blocks resident it takes 1.8x the time");
  Made low;
  low.record.occupancy = 0.125;
  low.fact("blocks_by_threads", 8, 0).fact("blocks_by_registers", 1, 0);
  check(low, Bottleneck::kLatency, "few warps are resident (occupancy 12 %, limited by registers)");
}

TEST_CASE("Without counters and twins, the instructions give a guess") {
  Made divides, branches, conflicts, resident, strided;
  divides.instructions("special", 20).instructions("integer", 40).instructions("global_load", 2);
  check(divides, Bottleneck::kCompute, "by its instructions");
  branches.instructions("float32", 100).instructions("branch", 20).instructions("reconverge", 1);
  check(branches, Bottleneck::kDivergence, "by its instructions");
  conflicts.instructions("shared", 30).instructions("global_load", 2);
  check(conflicts, Bottleneck::kCache, "shared memory");
  resident.instructions("global_load", 30).fact("input_bytes", 4e6).fact("output_bytes", 1e6);
  check(resident, Bottleneck::kCache, "its 5.00 MB fit in the L2 cache");
  strided.instructions("global_load", 30);
  check(strided, Bottleneck::kMemory, "only 8 % of what a copy moves");
}

TEST_CASE("Wide loads weigh more than narrow ones") {
  Made made;
  made.instructions("global_load", 4).instructions("integer", 60).fact("clock", 2e9);
  check(made, Bottleneck::kCompute, "by its instructions");
  made.fact("global_bytes_of_thread", 64).fact("shared_bytes_of_thread", 0);
  check(made, Bottleneck::kMemory, "by its instructions it uses global memory most");
}

TEST_CASE("Instructions that no loop repeats and that take little time leave the rest to memory") {
  Made made;
  made.instructions("integer", 200).instructions("global_load", 4).fact("clock", 2e9);
  made.fact("loops", 1).fact("global_bytes_of_thread", 16);
  check(made, Bottleneck::kCompute, "by its instructions");
  made.fact("loops", 0);
  // 10,000 blocks of 8 warps, 100 cycles each, on 132 units of 2 GHz: 30 of 1000 µs.
  check(made, Bottleneck::kMemory, "no loop repeats, take at most 3 % of its time");
  made.fact("input_bytes", 4e6).fact("output_bytes", 1e6);
  check(made, Bottleneck::kCache, "its 5.00 MB fit in the L2 cache");
}

TEST_CASE("Few blocks leave few warps resident, however many there could be") {
  Made made;
  made.fact("blocks", 132, 0).fact("waves", 0.12, 0).instructions("float32", 100);
  check(made, Bottleneck::kLatency, "its blocks fill 12 % of the available slots");
}

TEST_CASE("An unexplained time is unknown") {
  check(Made(), Bottleneck::kUnknown, "without counters");
}

ResultFile results_of(std::vector<ResultRecord> results) {
  ResultFile file;
  file.results = std::move(results);
  file.calibration = {calibration()};
  return file;
}

Made slow_reader() {
  Made slow("reduction", 2.1e-3);
  slow.record.bytes_read = 1.5e9;
  slow.counted().counter("dram__bytes_read.sum", 2.94e9);
  return slow;
}
Made fast_reader() {
  Made fast("raw", 1e-3);
  fast.record.bytes_read = 1.5e9;
  fast.counted().counter("dram__bytes_read.sum", 1.5e9);
  return fast;
}

TEST_CASE("The gap of two variants is shared out") {
  const ResultFile file = results_of({slow_reader().record, fast_reader().record});
  const auto cases = explain_results(file);
  REQUIRE(cases.size() == 1);
  REQUIRE(cases[0].pairs.size() == 1);
  const ExplainedPair& pair = cases[0].pairs[0];
  CHECK(pair.slow->variant == "reduction");
  CHECK(pair.sentence() ==
        "reduction is 2.10x slower than raw: it moves 1.9x the bytes of DRAM (3.04 GB for 1.60 GB; "
        "1.60 GB must move), which explains 52 % of the gap; the rest (48 %) is unexplained");
  REQUIRE(pair.gap.shares.size() == 1);
  CHECK(pair.gap.shares[0].share + pair.gap.unexplained == Approx(1));
}

explain::Gap gap_of(const Made& slow, const Made& fast) {
  const DeviceCalibration of = calibration();
  return explain_gap(explain::Facts(slow.record, &of), explain::Facts(fast.record, &of));
}

TEST_CASE("The reason is the slower variant's bottleneck, not merely additional work") {
  Made slow("jit", 2e-3), fast("raw", 1e-3);
  slow.counted().counter("smsp__inst_executed.sum", 3e8).counter("lts__t_bytes.sum", 2e9);
  fast.counted().counter("smsp__inst_executed.sum", 1e8).counter("lts__t_bytes.sum", 1e9);
  slow.counter("smsp__issue_active.avg.pct_of_peak_sustained_active", 80);
  fast.counter("smsp__issue_active.avg.pct_of_peak_sustained_active", 60);
  REQUIRE(gap_of(slow, fast).shares.size() == 1);
  CHECK(gap_of(slow, fast).shares[0].what == "it issues 3x the instructions (300 M for 100 M)");
  // They are not its bottleneck.
  slow.counter("smsp__issue_active.avg.pct_of_peak_sustained_active", 30);
  fast.counter("smsp__issue_active.avg.pct_of_peak_sustained_active", 10);
  CHECK_THAT(gap_of(slow, fast).shares.at(0).what, Contains("through the L2 cache"));
  // Twice the time with half of its blocks: its latency is not hidden.
  slow.twin("half_occupancy", 1.9);
  CHECK_THAT(gap_of(slow, fast).shares.at(0).what,
             Contains("too few loads in flight (with half of its blocks resident it takes 1.90x"));
}

TEST_CASE("A single launch has no time around its kernels") {
  Made slow("jit", 1.2e-3), fast("raw", 1e-3);
  slow.record.launches[0].duration = 1e-3;
  for (const auto& share : gap_of(slow, fast).shares)
    CHECK_THAT(share.what, !Contains("passes around its kernels"));
}

TEST_CASE("Ratios are written as numbers, however large or small") {
  Made slow("jit", 2e-3), fast("raw", 1e-3);
  slow.counted().counter("dram__bytes_read.sum", 4e9);
  fast.counted().counter("dram__bytes_read.sum", 0).counter("dram__bytes_write.sum", 9e6);
  CHECK_THAT(gap_of(slow, fast).shares.at(0).what, Contains("it moves 456x the bytes of DRAM"));
  fast.counter("dram__bytes_write.sum", 4e9);
  Made near("jit", 1.05e-3);
  near.counted().counter("dram__bytes_read.sum", 4e9);
  CHECK_THAT(gap_of(near, fast).shares.at(0).what, Contains("it moves 1.02x"));
}

TEST_CASE("Half-precision instructions that only move constants are not arithmetic") {
  Made made;
  made.counted().counter("smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 1e9);
  const DeviceCalibration of = calibration();
  CHECK(explain::Facts(made.record, &of).float16.done == 2e9);
  made.instructions("integer", 100);
  CHECK(explain::Facts(made.record, &of).float16.done == 0);
  made.instructions("float16", 2);
  CHECK(explain::Facts(made.record, &of).float16.done == 2e9);
}

TEST_CASE("Parts of a gap never add up to more than it") {
  Made slow = slow_reader(), fast = fast_reader();
  slow.record.cold.median = 1.2e-3;
  slow.counter("sm__cycles_active.avg", 0.3e6).counter("lts__t_bytes.sum", 40e9);
  fast.counter("lts__t_bytes.sum", 1e9);
  const ResultFile file = results_of({slow.record, fast.record});
  const explain::Gap gap = explain_results(file)[0].pairs[0].gap;
  double all = gap.unexplained;
  for (const explain::GapShare& share : gap.shares) {
    CHECK(share.share > 0);
    all += share.share;
  }
  CHECK(all == Approx(1));
  CHECK(gap.unexplained >= 0);
}

TEST_CASE("More launches are a part of a gap") {
  Made slow("unfused", 30e-6), fast("fused", 12e-6);
  slow.record.kernel_launches = 4;
  const ResultFile file = results_of({slow.record, fast.record});
  CHECK_THAT(explain_results(file)[0].pairs[0].sentence(),
             Contains("it launches 4 kernels for 1, which explains 67 % of the gap"));
}

TEST_CASE("Variants with equal times are treated as equal") {
  const ResultFile file = results_of({Made("a", 1e-3).record, Made("b", 1.01e-3).record});
  CHECK(explain_results(file)[0].pairs[0].sentence() == "b takes as long as a");
}

TEST_CASE("Only correct, timed results are explained, and references are not") {
  Made wrong("raw"), reference("reference"), right("jit");
  wrong.record.status = Status::kVerificationFailed;
  reference.record.kind = VariantKind::kReference;
  const ResultFile file = results_of({wrong.record, reference.record, right.record});
  const auto cases = explain_results(file);
  REQUIRE(cases.size() == 1);
  REQUIRE(cases[0].results.size() == 1);
  CHECK(cases[0].results[0].record->variant == "jit");
  CHECK(cases[0].pairs.empty());
}

TEST_CASE("Only two selected variants are compared, whichever is slower") {
  const ResultFile file =
      results_of({Made("a", 1e-3).record, Made("b", 2e-3).record, Made("c", 3e-3).record});
  for (const auto& cases : {explain_results(file, "c", "b"), explain_results(file, "b", "c")}) {
    REQUIRE(cases.size() == 1);
    CHECK(cases[0].results.size() == 2);
    REQUIRE(cases[0].pairs.size() == 1);
    CHECK(cases[0].pairs[0].slow->variant == "c");
  }
  CHECK_THROWS_WITH(explain_results(file, "c", "d"),
                    "no case has correct results of both 'c' and 'd' (variants: a, b, c)");
}

TEST_CASE("The text gives the reason for missing counters once") {
  Made made;
  made.record.notes = {{NoteKind::kOther, "one note"},
                       {NoteKind::kCounters, "an administrator must set it"},
                       {NoteKind::kOther, "another note"}};
  const ResultFile file = results_of({made.record, Made("jit", 2e-3).record});
  const std::string text = explain_text(explain_results(file));
  CHECK_THAT(text, Contains("no hardware counters: an administrator must set it\n"));
  CHECK_THAT(text, !Contains("one note") && !Contains("another note"));
}

TEST_CASE("For a file with only times, the text explains how to get evidence") {
  Made made;
  made.record.counters.clear();
  const ResultFile file = results_of({made.record});
  CHECK_THAT(explain_text(explain_results(file)), Contains("measure.counters=auto"));
}

TEST_CASE("JSON has the class, the sentence and the shares") {
  const ResultFile file = results_of({slow_reader().record, fast_reader().record});
  const auto json = nlohmann::json::parse(explain_json(explain_results(file)));
  REQUIRE(json.size() == 2);
  CHECK(json[0]["class"] == "latency");
  CHECK(json[0]["has_counters"] == true);
  CHECK(json[0]["quantities"]["dram_bytes"] == 3.04e9);
  CHECK(json[0]["slower_than"][0]["variant"] == "raw");
  CHECK(json[0]["slower_than"][0]["shares"].size() == 1);
  CHECK(json[1]["class"] == "memory bandwidth");
  CHECK(json[1]["slower_than"].empty());
}

TEST_CASE("Counters are shown with their source") {
  const std::string text = counters_table({slow_reader().record});
  CHECK_THAT(text, Contains("dram__bytes_read.sum"));
  CHECK_THAT(text, Contains("counter"));
  CHECK_THAT(text, Contains("static"));
}

}  // namespace
}  // namespace kernelbatch
