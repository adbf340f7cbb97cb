// evidence_file FILE [REPEATS [refused]]: writes a made-up results file of variants with counters
// for each bottleneck: memory, twice the bytes, launches, arithmetic of each precision. `refused`:
// as if counters were requested but not permitted. For the tests and figures of reports; every
// number is invented.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

#include "core/result/merge.hpp"
#include "core/result/shard_writer.hpp"

using namespace kernelbatch;

namespace {

constexpr double kCopy = 2.5e12, kRead = 2.6e12, kEmptyLaunch = 4e-6, kUnits = 132;

DeviceCalibration calibration() {
  DeviceCalibration c;
  c.device = "Example GPU";
  c.empty_launch = kEmptyLaunch;
  c.copy_bandwidth = kCopy;
  c.read_bandwidth = kRead;
  c.noise_floor = 0.004;
  c.cache_bandwidth = 6e12;
  c.float32_rate = 50e12;
  c.float64_rate = 25e12;
  c.float16_rate = 100e12;
  c.tensor_rate = 650e12;
  return c;
}

/// Work of one call of a variant.
struct Work {
  const char* variant;
  double time, dram_bytes;
  double float32 = 0, float64 = 0, float16 = 0;  ///< operations
  int launches = 1;
  double sectors = 4;  ///< of a warp's access
  double issue = 20;   ///< % of the cycles in which an instruction is issued
  double matrix = 0;   ///< instructions of the matrix units
  bool is_counted = true;
};

struct Case {
  const char* workload;
  const char* dtype;
  std::int64_t n;
  double bytes, operations;  ///< as declared
  std::vector<Work> variants;
};

std::vector<Case> made_up_cases() {
  return {
      {"stencil",
       "float32",
       std::int64_t{1} << 26,
       1.6e9,
       0.67e9,
       {{.variant = "raw", .time = 0.71e-3, .dram_bytes = 1.65e9, .float32 = 0.67e9},
        {.variant = "strided",
         .time = 1.5e-3,
         .dram_bytes = 3.3e9,
         .float32 = 0.67e9,
         .sectors = 16},
        {.variant = "elementwise",
         .time = 1.62e-3,
         .dram_bytes = 3.31e9,
         .float32 = 0.67e9,
         .launches = 25}}},
      {"polynomial",
       "float32",
       std::int64_t{1} << 24,
       0.134e9,
       42e9,
       {{.variant = "raw",
         .time = 1e-3,
         .dram_bytes = 0.135e9,
         .float32 = 42e9,
         .sectors = 4,
         .issue = 85},
        {.variant = "wide",
         .time = 2.05e-3,
         .dram_bytes = 0.135e9,
         .float64 = 42e9,
         .sectors = 8,
         .issue = 45}}},
      {"matmul",
       "float16",
       std::int64_t{1} << 22,
       0.4e9,
       1.1e12,
       {{.variant = "tensor",
         .time = 2.1e-3,
         .dram_bytes = 0.9e9,
         .float32 = 0.07e9,
         .issue = 40,
         .matrix = 64},
        {.variant = "raw", .time = 16e-3, .dram_bytes = 1.3e9, .float16 = 1.1e12, .issue = 75}}},
      // A run without counters.
      {"saxpy",
       "float32",
       std::int64_t{1} << 24,
       0.2e9,
       0.034e9,
       {{.variant = "raw", .time = 0.088e-3, .dram_bytes = 0, .is_counted = false},
        {.variant = "jit", .time = 0.089e-3, .dram_bytes = 0, .is_counted = false}}},
  };
}

class Maker {
 public:
  explicit Maker(bool is_refused) : is_refused_(is_refused) {}

  CaseRecord record(const std::string& id, const Case& of, std::int64_t repeat) const {
    CaseRecord record;
    record.case_id = id;
    record.environment.values = {{"host", std::string("node1")}};
    record.job = {"evidence", "workload: stencil\n", "workload: stencil\n", "cafe"};
    record.calibration = {calibration()};
    for (const Work& work : of.variants) {
      record.results.push_back(result(of, work));
      record.results.back().case_id = id;
      record.results.back().params = {
          {"n", of.n}, {"dtype", std::string(of.dtype)}, {"repeat", repeat}};
      const double speedup = of.variants.back().time / work.time;
      record.results.back().speedup = speedup;
      record.results.back().speedup_low = 0.996 * speedup;
      record.results.back().speedup_high = 1.004 * speedup;
    }
    return record;
  }

 private:
  ResultRecord result(const Case& of, const Work& work) const {
    ResultRecord r;
    r.workload = of.workload;
    r.workload_version = "1";
    r.variant = work.variant;
    r.kind = VariantKind::kRaw;
    r.device = "Example GPU";
    r.status = Status::kOk;
    r.verified = true;
    r.start_ns = 1'760'000'000'000'000'000;
    r.end_ns = r.start_ns + 900'000'000;
    r.bytes_read = r.bytes_written = of.bytes / 2;
    r.flops = of.operations;
    r.ceiling = kCopy;
    for (int k = 0; k < 20; ++k)
      r.samples.push_back({SampleKind::kCold, k, work.time * (0.998 + 0.0002 * k)});
    r.cold.median = r.cold.mean = work.time;
    r.cold.min = r.cold.ci95_low = 0.998 * work.time;
    r.cold.max = r.cold.ci95_high = 1.002 * work.time;
    r.cold.samples = 20;
    r.kernel_launches = work.launches;
    r.registers = 32;
    r.local_bytes = 0;
    r.occupancy = 1;
    for (int k = 0; k < work.launches; ++k)
      r.launches.push_back({fmt::format("{}_{}", of.workload, k),
                            k,
                            {of.n / 256 + 1, 1, 1},
                            {256, 1, 1},
                            0,
                            32,
                            0,
                            0,
                            0.95 * work.time / work.launches});
    add_static_facts(r, of, work);
    if (is_refused_)
      r.add_note(NoteKind::kCounters,
                 "the driver permits them to administrators only "
                 "(NVreg_RestrictProfilingToAdminUsers=0 permits them to all)");
    else if (work.is_counted)
      add_counters(r, work);
    return r;
  }

  static void add_static_facts(ResultRecord& r, const Case& of, const Work& work) {
    const auto add = [&](const char* name, double value, std::int64_t launch = -1) {
      r.counters.push_back({launch < 0 ? "" : r.launches[0].kernel, launch, EvidenceSource::kStatic,
                            name, value, "1"});
    };
    add("is_gpu", 1);
    add("units", kUnits);
    add("shared_cache", 50e6);
    add("input_bytes", of.bytes / 2);
    add("output_bytes", of.bytes / 2);
    add("blocks", static_cast<double>(of.n) / 256 + 1, 0);
    add("threads", 256, 0);
    add("waves", static_cast<double>(of.n) / 256 / (kUnits * 8), 0);
    if (work.matrix > 0) add("instructions_matrix", work.matrix);
  }

  static void add_counters(ResultRecord& r, const Work& work) {
    for (const LaunchRecord& launch : r.launches) {
      const auto add = [&](const char* name, double value, const char* unit = "1") {
        r.counters.push_back(
            {launch.kernel, launch.order, EvidenceSource::kCounter, name, value, unit});
      };
      const double each = 1.0 / work.launches, requests = work.dram_bytes / 32 / work.sectors;
      add("smsp__inst_executed.sum", 2e6 * each);
      add("dram__bytes_read.sum", 0.5 * work.dram_bytes * each, "byte");
      add("dram__bytes_write.sum", 0.5 * work.dram_bytes * each, "byte");
      add("lts__t_bytes.sum", 1.1 * work.dram_bytes * each, "byte");
      add("sm__cycles_active.avg", 0.98e6);
      add("sm__cycles_active.max", 1e6);
      add("gpc__cycles_elapsed.max", 1.02e6);
      add("smsp__issue_active.avg.pct_of_peak_sustained_active", work.issue, "%");
      add("sm__warps_active.avg.pct_of_peak_sustained_active", 90, "%");
      add("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", requests * each);
      add("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", work.sectors * requests * each);
      add("smsp__average_thread_inst_executed_per_inst_executed.ratio", 32);
      add("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 20);
      add("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", work.float32 / 2 * each);
      add("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", work.float64 / 2 * each);
      add("smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", work.float16 / 2 * each);
    }
  }

  bool is_refused_;
};

}  // namespace

int main(int count, char** arguments) try {
  if (count < 2) return 2;
  const std::filesystem::path file = arguments[1];
  const int repeats = count > 2 ? std::atoi(arguments[2]) : 1;
  const Maker maker(count > 3 && std::string_view(arguments[3]) == "refused");
  const std::vector<Case> cases = made_up_cases();
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (std::size_t k = 0; k < cases.size(); ++k)
      write_shard(shard_folder(file, "a"),
                  maker.record(fmt::format("c{}-{}", repeat, k), cases[k], repeat), {});
  merge_shards(file, {.source = "kernelbatch test"});
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
