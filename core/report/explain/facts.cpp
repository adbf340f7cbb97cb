#include "core/report/explain/facts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/result/ceiling.hpp"

namespace kernelbatch::explain {
namespace {

constexpr double kSectorBytes = 32;

constexpr std::string_view kKinds[] = {
    "float32",     "float64",      "float16", "matrix",     "special",       "integer",
    "global_load", "global_store", "shared",  "local",      "global_atomic", "shared_atomic",
    "branch",      "barrier",      "shuffle", "reconverge", "other"};
constexpr std::string_view kKindPrefix = "instructions_";

/// Stall counters, and what a warp waits for.
constexpr Facts::Stall kStalls[] = {{"global memory"},
                                    {"shared memory or special functions"},
                                    {"earlier arithmetic"},
                                    {"a busy arithmetic unit"},
                                    {"the queue of shared memory"},
                                    {"the queue of global memory"},
                                    {"the queue of textures"},
                                    {"a barrier"},
                                    {"a memory fence"},
                                    {"a branch"},
                                    {"instructions to be fetched"},
                                    {"constants"},
                                    {"stores to drain"}};
constexpr std::string_view kStallNames[] = {"long_scoreboard",
                                            "short_scoreboard",
                                            "wait",
                                            "math_pipe_throttle",
                                            "mio_throttle",
                                            "lg_throttle",
                                            "tex_throttle",
                                            "barrier",
                                            "membar",
                                            "branch_resolving",
                                            "no_instruction",
                                            "imc_miss",
                                            "drain"};
static_assert(std::size(kStalls) == std::size(kStallNames));

/// Values of one result by name.
class Values {
 public:
  Values(std::span<const CounterRecord> records, EvidenceSource source)
      : records_(records), source_(source) {}

  /// Sum over all launches; NaN if there is none.
  double sum(std::string_view name) const {
    double total = kMissing;
    for (const CounterRecord& each : records_)
      if (each.source == source_ && each.name == name && !std::isnan(each.value))
        total = std::isnan(total) ? each.value : total + each.value;
    return total;
  }
  double of_launch(std::string_view name, std::int64_t launch) const {
    for (const CounterRecord& each : records_)
      if (each.source == source_ && each.name == name && each.launch == launch) return each.value;
    return kMissing;
  }
  /// Sum of the first name that exists.
  double sum_of(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      if (const double value = sum(name); !std::isnan(value)) return value;
    return kMissing;
  }

 private:
  std::span<const CounterRecord> records_;
  EvidenceSource source_;
};

double or_zero(double value) { return std::isnan(value) ? 0 : value; }

/// Sum of the known values; NaN if both are unknown.
double add_known(double a, double b) {
  return std::isnan(a) && std::isnan(b) ? kMissing : or_zero(a) + or_zero(b);
}

double percent(double value) { return value / 100; }

void read_traffic(const Values& values, Facts& facts) {
  facts.dram_bytes =
      add_known(values.sum_of({"dram__bytes_read.sum", "dram__bytes_op_read.sum"}),
                values.sum_of({"dram__bytes_write.sum", "dram__bytes_op_write.sum"}));
  facts.cache.done = values.sum("lts__t_bytes.sum");
  const double load_requests = values.sum("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  const double store_requests = values.sum("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
  const double requests = add_known(load_requests, store_requests);
  const double sectors = add_known(values.sum("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
                                   values.sum("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"));
  facts.sectors_per_request = requests > 0 ? sectors / requests : kMissing;
  const double local = add_known(values.sum("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"),
                                 values.sum("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"));
  facts.local_share = local / (or_zero(sectors) + local);
  const double atomics = add_known(values.sum("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"),
                                   values.sum("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"));
  // A request has at most 32 sectors of 32 bytes. Further L2 traffic is from bulk copies, which are
  // not requests of threads.
  constexpr double kMostOfRequest = 32 * 32;
  facts.atomic_share =
      atomics / std::max(or_zero(requests) + atomics, or_zero(facts.cache.done) / kMostOfRequest);
}

void read_operations(const Values& values, Facts& facts) {
  const auto fused = [&](std::string_view type) {
    const auto of = [&](std::string_view operation) {
      return values.sum("smsp__sass_thread_inst_executed_op_" + std::string(type) +
                        std::string(operation) + "_pred_on.sum");
    };
    const double adds = of("add"), products = of("mul"), both = of("fma");
    return add_known(add_known(adds, products), 2 * both);
  };
  facts.float32.done = fused("f");
  facts.float64.done = fused("d");
  // Includes constants moved by half-precision instructions.
  facts.float16.done =
      facts.has_instructions() && facts.instructions("float16") == 0 ? 0 : fused("h");
}

/// Values of the longest launch.
void read_longest_launch(const Values& values, std::int64_t longest, Facts& facts) {
  const auto of = [&](std::string_view name) { return values.of_launch(name, longest); };
  facts.dram_share = percent(of("dram__throughput.avg.pct_of_peak_sustained_elapsed"));
  facts.cache_share = percent(of("lts__t_sectors.avg.pct_of_peak_sustained_elapsed"));
  facts.sm_share = percent(of("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
  facts.tensor_share =
      percent(of("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"));
  facts.issue_share = percent(of("smsp__issue_active.avg.pct_of_peak_sustained_active"));
  facts.achieved_occupancy = percent(of("sm__warps_active.avg.pct_of_peak_sustained_active"));
  facts.active_threads = of("smsp__average_thread_inst_executed_per_inst_executed.ratio");
  if (std::isnan(facts.active_threads))
    facts.active_threads = of("smsp__thread_inst_executed_per_inst_executed.ratio");
  const double mean = of("sm__cycles_active.avg");
  facts.busy_share = mean / of("sm__cycles_active.max");
  facts.elapsed_share = mean / of("gpc__cycles_elapsed.max");
  const double wavefronts = of("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  facts.shared_share = wavefronts / (facts.units * mean);
  facts.conflict_share = of("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") / wavefronts;
  std::array<Facts::Stall, std::size(kStallNames)> all{};
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = {kStalls[k].name,
              or_zero(of("smsp__average_warps_issue_stalled_" + std::string(kStallNames[k]) +
                         "_per_issue_active.ratio"))};
  std::ranges::stable_sort(all, std::ranges::greater{}, &Facts::Stall::warps);
  for (std::size_t k = 0; k < facts.stalls.size(); ++k)
    if (all[k].warps > 0) facts.stalls[k] = all[k];
}

}  // namespace

std::span<const std::string_view> instruction_kinds() noexcept { return kKinds; }

double Facts::instructions(std::string_view kind) const {
  const auto found = std::ranges::find(kKinds, kind);
  return found == std::end(kKinds) ? 0 : mix_[static_cast<std::size_t>(found - kKinds)];
}

double Facts::bytes() const noexcept {
  return std::isnan(dram_bytes) ? declared_bytes : dram_bytes;
}

double Facts::filled() const noexcept {
  return std::isnan(waves) ? occupancy : occupancy * std::min(1.0, waves);
}

Facts::Facts(const ResultRecord& record, const DeviceCalibration* calibration)
    : time(record.ranked_time()), host_time(record.host.median) {
  if (record.cold.median > 0) hot_share = record.hot.median / record.cold.median;
  declared_bytes = record.bytes_read + record.bytes_written;
  if (calibration != nullptr) {
    empty_launch = calibration->empty_launch;
    memory_ceiling = ceiling_of(record.bytes_read, record.bytes_written, *calibration);
    // Kernels of a job do not declare bytes.
    if (std::isnan(memory_ceiling)) memory_ceiling = calibration->copy_bandwidth;
    cache.ceiling = calibration->cache_bandwidth;
    float32.ceiling = calibration->float32_rate;
    float64.ceiling = calibration->float64_rate;
    float16.ceiling = calibration->float16_rate;
    tensor.ceiling = calibration->tensor_rate;
  }
  read_launches(record);
  std::int64_t longest = record.launches.empty() ? 0 : record.launches.front().order;
  double most = 0;
  for (const LaunchRecord& launch : record.launches)
    if (launch.duration > most) {
      most = launch.duration;
      longest = launch.order;
    }
  read_statics(record, longest);
  read_counters(record, longest);
  take_peaks(record, longest);
  read_twins(record);
}

/// Without a calibration, ceilings are what counters call 100 %.
void Facts::take_peaks(const ResultRecord& record, std::int64_t longest) {
  if (!has_counters || !std::isnan(memory_ceiling)) return;
  const auto launch = std::ranges::find(record.launches, longest, &LaunchRecord::order);
  const double duration =
      launch != record.launches.end() && !std::isnan(launch->duration) ? launch->duration : time;
  const Values values(record.counters, EvidenceSource::kCounter);
  const auto of = [&](std::string_view name) { return values.of_launch(name, longest); };
  const double read = of("dram__bytes_read.sum"), written = of("dram__bytes_write.sum");
  const double bytes =
      std::isnan(add_known(read, written))
          ? add_known(of("dram__bytes_op_read.sum"), of("dram__bytes_op_write.sum"))
          : add_known(read, written);
  if (dram_share > 0) memory_ceiling = bytes / duration / dram_share;
  if (cache_share > 0) cache.ceiling = of("lts__t_bytes.sum") / duration / cache_share;
  is_peak = !std::isnan(memory_ceiling);
}

void Facts::read_launches(const ResultRecord& record) {
  if (record.kernel_launches >= 0) launches = static_cast<double>(record.kernel_launches);
  if (record.registers >= 0) registers = static_cast<double>(record.registers);
  if (record.local_bytes >= 0) local_bytes = static_cast<double>(record.local_bytes);
  occupancy = record.occupancy;
  for (const LaunchRecord& launch : record.launches)
    kernel_time = std::isnan(kernel_time) ? launch.duration : kernel_time + launch.duration;
}

void Facts::read_statics(const ResultRecord& record, std::int64_t longest) {
  const Values values(record.counters, EvidenceSource::kStatic);
  const double gpu = values.sum("is_gpu");
  is_gpu = std::isnan(gpu) ? record.device_class() == DeviceClass::kGpu : gpu == 1;
  units = values.sum("units");
  clock = values.sum("clock");
  loops = values.sum("loops");
  global_bytes_of_thread = values.sum("global_bytes_of_thread");
  shared_bytes_of_thread = values.sum("shared_bytes_of_thread");
  cache_size = values.sum("shared_cache");
  array_bytes = add_known(values.sum("input_bytes"), values.sum("output_bytes"));
  blocks = values.of_launch("blocks", longest);
  threads = values.of_launch("threads", longest);
  waves = values.of_launch("waves", longest);
  if (std::isnan(occupancy)) occupancy = values.of_launch("occupancy", longest);
  struct Limit {
    std::string_view name, text;
  };
  double fewest = values.of_launch("blocks_by_threads", longest);
  for (const Limit& limit :
       {Limit{"blocks_by_registers", "registers"}, Limit{"blocks_by_shared", "shared memory"}})
    if (const double by = values.of_launch(limit.name, longest); by < fewest) {
      fewest = by;
      occupancy_limit = limit.text;
    }
  constexpr double kFullBlocks = 32;
  if (occupancy_limit.empty() && fewest > kFullBlocks && occupancy < 1)
    occupancy_limit = "block size";
  for (std::size_t k = 0; k < std::size(kKinds); ++k) {
    mix_[k] = or_zero(values.sum(std::string(kKindPrefix) + std::string(kKinds[k])));
    all_instructions_ += mix_[k];
  }
}

void Facts::read_counters(const ResultRecord& record, std::int64_t longest) {
  const Values values(record.counters, EvidenceSource::kCounter);
  executed = values.sum("smsp__inst_executed.sum");
  has_counters = !std::isnan(executed);
  if (!has_counters) return;
  read_traffic(values, *this);
  read_operations(values, *this);
  read_longest_launch(values, longest, *this);
}

void Facts::read_twins(const ResultRecord& record) {
  const Values values(record.counters, EvidenceSource::kTwin);
  const double as_is = values.sum("as_is");
  half_occupancy = values.sum("half_occupancy") / as_is;
  half_grid = values.sum("half_grid") / as_is;
  no_arithmetic = values.sum("no_arithmetic") / as_is;
  no_loads = values.sum("no_loads") / as_is;
}

}  // namespace kernelbatch::explain
