#include "core/result/schema.hpp"

#include <array>
#include <cmath>

#include "core/result/cell.hpp"

namespace kernelbatch::schema {
namespace {

using R = ResultRecord;
using O = OutputRecord;

/// The output described by the columns of /cases: one that was compared without numeric error
/// values, else the one with the most mismatches, and among equals the largest error. /checks has
/// all outputs.
const OutputRecord& worst_output(const ResultRecord& record) {
  static const OutputRecord none;
  const OutputRecord* worst = nullptr;
  const auto is_no_number = [](const OutputRecord& output) {
    return output.mismatches >= 0 && std::isnan(output.max_abs_err);
  };
  const auto is_worse = [&](const OutputRecord& a, const OutputRecord& b) {
    if (is_no_number(a) != is_no_number(b)) return is_no_number(a);
    if (a.mismatches != b.mismatches) return a.mismatches > b.mismatches;
    return a.max_rel_err > b.max_rel_err ||
           (std::isnan(b.max_rel_err) && !std::isnan(a.max_rel_err));
  };
  for (const OutputRecord& output : record.outputs)
    if (worst == nullptr || is_worse(output, *worst)) worst = &output;
  return worst == nullptr ? none : *worst;
}

template <auto Member>
constexpr Column<R> worst(std::string_view name, std::string_view units,
                          std::string_view long_name) {
  Column<R> result{column<Member>(name, units, long_name).info, nullptr, nullptr};
  result.get = [](const R& record) -> Value { return to_cell(worst_output(record).*Member); };
  return result;
}

constexpr Column<R> kSuspectReason = [] {
  Column<R> result{column<&R::reason>("suspect_reason", "",
                                      "why the measurement is invalid; empty unless suspect")
                       .info,
                   nullptr, nullptr};
  result.get = [](const R& record) -> Value {
    return record.status == Status::kSuspect ? record.reason : std::string();
  };
  return result;
}();

template <Summary R::*Part>
constexpr std::array<Column<R>, 10> summary(std::array<std::string_view, 10> names) {
  return {
      column<Part, &Summary::median>(names[0], "s", "median of the samples"),
      column<Part, &Summary::iqr>(names[1], "s", "interquartile range"),
      column<Part, &Summary::mad>(names[2], "s", "median absolute deviation"),
      column<Part, &Summary::min>(names[3], "s", "fastest sample"),
      column<Part, &Summary::max>(names[4], "s", "slowest sample"),
      column<Part, &Summary::mean>(names[5], "s", "mean of the samples"),
      column<Part, &Summary::ci95_low>(names[6], "s", "lower end of the median's 95 % interval"),
      column<Part, &Summary::ci95_high>(names[7], "s", "upper end of the median's 95 % interval"),
      column<Part, &Summary::samples>(names[8], "1", "samples that count"),
      column<Part, &Summary::dropped>(names[9], "1", "samples that were dropped")};
}

/// "cold_median", …: a macro, because a string_view cannot own a text joined at compile time.
#define KERNELBATCH_SUMMARY(prefix)                                                                \
  summary<&R::prefix>({#prefix "_median", #prefix "_iqr", #prefix "_mad", #prefix "_min",          \
                       #prefix "_max", #prefix "_mean", #prefix "_ci95_low", #prefix "_ci95_high", \
                       #prefix "_samples", #prefix "_dropped"})

template <class Record, std::size_t... Sizes>
constexpr auto concatenate(const std::array<Column<Record>, Sizes>&... parts) {
  std::array<Column<Record>, (Sizes + ...)> all{};
  std::size_t at = 0;
  const auto add = [&](const auto& part) {
    for (const Column<Record>& column : part) all[at++] = column;
  };
  (add(parts), ...);
  return all;
}

constexpr std::array kIdentity{
    column<&R::case_id>("case_id", "", "identity of the case within its job"),
    column<&R::workload>("workload", "", "name of the workload"),
    column<&R::workload_version>("workload_version", "", "version of the workload"),
    column<&R::variant>("variant", "", "name of the variant"),
    column<&R::kind>("kind", "", "style of the variant's kernels"),
    column<&R::device>("device", "", "device that ran it"),
    column<&R::status>("status", "", "outcome of the result"),
    column<&R::phase>("phase", "", "phase in which it failed; empty if it did not"),
    column<&R::reason>("reason", "", "why it failed or was skipped; empty on success"),
    column<&R::detail>("detail", "", "last lines of the worker or of the compiler's log"),
    column<&R::printed>("printed", "", "text printed by its first call, up to 4 KiB"),
    column<&R::fault>("fault", "", "fault of the outputs, in two or three words"),
    column<&R::retryable>("retryable", "", "environment failure: --resume retries it"),
    column<&R::run>("run", "1", "order of the runs: larger for later runs; -1 in older files"),
    column<&R::attempt>("attempt", "1", "number of this attempt, from 1"),
    column<&R::plan_index>("plan_index", "1", "index of the case in its job's plan; -1 = unknown"),
    column<&R::variant_index>("variant_index", "1", "index of the variant in its case"),
    column<&R::start_ns>("start_time", kTimeUnits, "start; -1 if unknown"),
    column<&R::end_ns>("end_time", kTimeUnits, "end; -1 if unknown"),
};

constexpr std::array kMeasured{
    column<&R::made_of>("made_of", "", "digests of input files, headers and settings, as JSON"),
    column<&R::kernel_hash>("kernel_hash", "", "digest of the texts and options of its kernels"),
    column<&R::tuned>("tuned_params", "", "searched parameters"),
    column<&R::stop_reason>("stop_reason", "", "why sampling stopped"),
    column<&R::notes>("notes", "", "limits of the measurement; empty if there are none"),
    column<&R::compile_time>("compile_time", "s", "time to compile the kernels"),
    column<&R::load_time>("load_time", "s", "time to load the compiled kernels"),
    column<&R::first_launch_time>("first_launch_time", "s", "time of the first launch"),
    column<&R::h2d_time>("h2d_time", "s", "time to copy the inputs to the device"),
    column<&R::d2h_time>("d2h_time", "s", "time to copy the outputs to the host"),
    column<&R::bytes_read>("bytes_read", "byte", "bytes that one run must read"),
    column<&R::bytes_written>("bytes_written", "byte", "bytes that one run must write"),
    column<&R::least_bytes>("least_bytes", "byte",
                            "bytes that must pass through the device's memory in one cold run"),
    column<&R::flops>("flops", "1", "floating-point operations of one run"),
    derived<&R::ranked_time>("ranked_time", "s", "the ranked median; missing unless ok"),
    derived<&R::bandwidth>("bandwidth", "byte s-1", "bytes read and written per ranked time"),
    derived<&R::flop_rate>("flop_rate", "s-1", "floating-point operations per ranked time"),
    column<&R::ceiling>("ceiling", "byte s-1", "bandwidth that share_of_ceiling refers to"),
    derived<&R::share_of_ceiling>("share_of_ceiling", "1", "bandwidth as a share of the ceiling"),
    column<&R::speedup>("speedup", "1", "ranked time of the baseline over this one's"),
    column<&R::speedup_low>("speedup_low", "1", "lower end of the speed-up's 95 % interval"),
    column<&R::speedup_high>("speedup_high", "1", "upper end of the speed-up's 95 % interval"),
    column<&R::verified>("verified", "", "every output was compared and is correct"),
    column<&R::deterministic>("deterministic", "", "all checked calls gave the same bits"),
    column<&R::checked_calls>("checked_calls", "1",
                              "calls with checked outputs, including timed calls"),
    column<&R::processes>("processes", "1",
                          "worker processes that timed it, each its part of the samples; -1 if "
                          "unknown"),
    column<&R::input_sets>("input_sets", "1", "sets of inputs used by the calls"),
    column<&R::input_seed>("input_seed", "1", "seed of the second set; -1 if there is none"),
    column<&R::digest>("digest", "", "digests of inputs and outputs on the device, by set"),
    column<&R::check_time>("check_time", "s",
                           "time to prepare and check one call, outside of its interval"),
    kSuspectReason,
    column<&R::sanitized>("sanitized", "", "checks of a sanitizer; empty if none ran"),
    worst<&O::mode>("mode", "", "mode of the worst output's comparison"),
    worst<&O::tolerance>("tolerance", "", "tolerance of the worst output"),
    worst<&O::max_abs_err>("max_abs_err", "1", "largest absolute error of the worst output"),
    worst<&O::max_rel_err>("max_rel_err", "1", "largest relative error of the worst output"),
    worst<&O::max_ulp>("max_ulp", "1", "largest error of the worst output in units in last place"),
    worst<&O::rms_err>("rms_err", "1", "root mean square error of the worst output"),
    worst<&O::mismatches>("mismatches", "1",
                          "elements of the worst output beyond tolerance; -1 if not compared"),
    worst<&O::first_mismatch>("first_mismatch", "", "first element beyond tolerance"),
    column<&R::registers>("registers", "1", "registers per thread; -1 if unknown"),
    column<&R::shared_bytes>("shared_bytes", "byte", "shared memory per block; -1 if unknown"),
    column<&R::local_bytes>("local_bytes", "byte", "local memory per thread; -1 if unknown"),
    column<&R::occupancy>("occupancy", "1", "resident warps as a share of the most possible"),
    column<&R::kernel_launches>("kernel_launches", "1", "launches of one run; -1 if unknown"),
    column<&R::power_mean>("power_mean", "W", "mean power while sampling"),
    column<&R::energy>("energy", "J",
                       "energy of one call, from the energy phase; missing if it did not run"),
    column<&R::energy_idle_power>("energy_idle_power", "W",
                                  "power of the idle device before and after the energy phase"),
    column<&R::temperature>("temperature", "degC", "temperature at the end"),
    column<&R::sm_clock_mean>("sm_clock_mean", "Hz", "mean clock of the multiprocessors"),
    column<&R::throttled>("throttled", "1", "samples taken while throttled; -1 if unknown"),
};

constexpr auto kResultColumns =
    concatenate(kIdentity, KERNELBATCH_SUMMARY(cold), KERNELBATCH_SUMMARY(hot),
                KERNELBATCH_SUMMARY(host), kMeasured);
#undef KERNELBATCH_SUMMARY

constexpr std::array kPlaceColumns{
    column<&Place::sample_start>("sample_start", "1", "first row in /samples"),
    column<&Place::sample_count>("sample_count", "1", "rows in /samples"),
    column<&Place::launch_start>("launch_start", "1", "first row in /launches"),
    column<&Place::launch_count>("launch_count", "1", "rows in /launches"),
    column<&Place::kernel_start>("kernel_start", "1", "first row in /kernels"),
    column<&Place::kernel_count>("kernel_count", "1", "rows in /kernels"),
    column<&Place::check_start>("check_start", "1", "first row in /checks"),
    column<&Place::check_count>("check_count", "1", "rows in /checks"),
    column<&Place::finding_start>("finding_start", "1", "first row in /findings"),
    column<&Place::finding_count>("finding_count", "1", "rows in /findings"),
    column<&Place::counter_start>("counter_start", "1", "first row in /counters"),
    column<&Place::counter_count>("counter_count", "1", "rows in /counters"),
    column<&Place::environment>("environment", "1", "row in /environments; -1 if unknown"),
    column<&Place::job>("job", "1", "row in /jobs; -1 if unknown"),
};

constexpr std::array kParentColumns{column<&Parent::row>("case", "1", "row in /cases")};

constexpr std::array kSampleColumns{
    coded<&Sample::kind>("kind", "cold hot host", "timed work and cache state"),
    column<&Sample::repetition>("repetition", "1", "number of the sample within its kind"),
    column<&Sample::time>("time", "s", "duration of one run"),
    column<&Sample::sm_clock>("sm_clock", "Hz", "clock of the multiprocessors"),
    column<&Sample::wall_ns>("wall", kTimeUnits, "time of the sample; -1 if unknown"),
    column<&Sample::process>("process", "1", "process that took the sample, from 0"),
};

using L = LaunchRecord;
constexpr std::array kLaunchColumns{
    column<&L::kernel>("kernel", "", "name of the kernel"),
    column<&L::order>("order", "1", "position within the recorded run"),
    column<&L::grid, 0>("grid_x", "1", "blocks along x"),
    column<&L::grid, 1>("grid_y", "1", "blocks along y"),
    column<&L::grid, 2>("grid_z", "1", "blocks along z"),
    column<&L::block, 0>("block_x", "1", "threads of a block along x"),
    column<&L::block, 1>("block_y", "1", "threads of a block along y"),
    column<&L::block, 2>("block_z", "1", "threads of a block along z"),
    column<&L::shared_dynamic>("shared_dynamic", "byte", "dynamic shared memory per block"),
    column<&L::registers>("registers", "1", "registers per thread; -1 if unknown"),
    column<&L::local_bytes>("local_bytes", "byte", "local memory per thread; -1 if unknown"),
    column<&L::duration>("duration", "s", "time on the device"),
    column<&L::stream>("stream", "1", "stream it was launched on"),
};

using K = KernelRecord;
constexpr std::array kKernelColumns{
    column<&K::name>("name", "", "name of the kernel"),
    column<&K::source_hash>("source_hash", "", "XXH3 of the source"),
    column<&K::target>("target", "", "architecture it was compiled for"),
    column<&K::options>("options", "", "options of the compiler"),
    column<&K::registers>("registers", "1", "registers per thread; -1 if unknown"),
    column<&K::shared_static>("shared_static", "byte", "static shared memory; -1 if unknown"),
    column<&K::local_bytes>("local_bytes", "byte", "local memory per thread; -1 if unknown"),
    column<&K::max_threads>("max_threads", "1", "maximum threads per block; -1 if unknown"),
};

constexpr std::array kCheckColumns{
    column<&O::name>("output", "", "name of the output"),
    column<&O::dtype>("dtype", "", "element type on the device"),
    column<&O::shape>("shape", "", "extents, separated by commas"),
    column<&O::dimensions>("dimensions", "", "names of the axes, separated by commas"),
    column<&O::units>("output_units", "", "units of the elements"),
    column<&O::help>("help", "", "description of the output"),
    column<&O::mode>("mode", "", "mode of the comparison with the reference"),
    column<&O::tolerance>("tolerance", "", "tolerance of the comparison"),
    column<&O::max_abs_err>("max_abs_err", "1", "largest absolute error"),
    column<&O::max_rel_err>("max_rel_err", "1", "largest relative error"),
    column<&O::max_ulp>("max_ulp", "1", "largest error in units in the last place"),
    column<&O::rms_err>("rms_err", "1", "root mean square error"),
    column<&O::mismatches>("mismatches", "1", "elements beyond tolerance; -1 if not compared"),
    column<&O::first_mismatch>("first_mismatch", "", "first element beyond tolerance"),
    column<&O::xxh3>("xxh3", "", "XXH3 of the elements as on the device, in C order"),
    column<&O::minimum>("minimum", "1", "smallest finite element of an array not stored whole"),
    column<&O::maximum>("maximum", "1", "largest finite element of an array not stored whole"),
    column<&O::mean>("mean", "1", "mean of the finite elements of an array not stored whole"),
    column<&O::nonfinite>("nonfinite", "1", "elements that are NaN or infinite; -1 if unknown"),
    column<&O::stride>("stride", "1", "stride of the stored elements; 0: none; -1: unknown"),
};

using F = FindingRecord;
constexpr std::array kFindingColumns{
    column<&F::tool>("tool", "", "source: the host device's checks, or a tool's name"),
    column<&F::check>("check", "", "memory, race, init or sync"),
    column<&F::harmless>("harmless", "", "no result depends on it"),
    column<&F::kernel>("kernel", "", "name of the kernel"),
    column<&F::place>("place", "", "file, line and column in the kernel's text"),
    column<&F::text>("text", "", "that line"),
    column<&F::thread>("thread", "", "thread that did it first: (x,y,z)"),
    column<&F::block>("block", "", "its block"),
    column<&F::other_place>("other_place", "", "place of the other access; empty if there is none"),
    column<&F::other_thread>("other_thread", "", "thread of the other access"),
    column<&F::other_block>("other_block", "", "its block"),
    column<&F::what>("what", "", "action of the thread"),
    column<&F::array>("array", "", "array that was accessed; empty if unknown"),
    column<&F::element>("element", "1", "element of the array; -1 if unknown"),
    column<&F::count>("count", "1", "number of occurrences"),
    column<&F::blocks>("blocks", "1", "number of blocks"),
    column<&F::call>("call", "1", "launch in which it first occurred; -1 if unknown"),
};

using E = CounterRecord;
constexpr std::array kCounterColumns{
    column<&E::kernel>("kernel", "", "name of the kernel; empty: of the whole call"),
    column<&E::launch>("launch", "1", "order of the launch; -1: of the whole call"),
    column<&E::source>("source", "", "source: counter, static, twin or replay"),
    column<&E::name>("name", "", "name of the quantity"),
    column<&E::value>("value", "1", "value, in the unit of the next column"),
    column<&E::unit>("unit", "", "unit of the value"),
};

using D = DeviceCalibration;
constexpr std::array kCalibrationColumns{
    column<&D::device>("name", "", "the device"),
    column<&D::empty_launch>("empty_launch", "s", "time of a launch that does nothing"),
    column<&D::copy_bandwidth>("copy_bandwidth", "byte s-1", "bytes read and written by a copy"),
    column<&D::read_bandwidth>("read_bandwidth", "byte s-1", "bytes read by a sum"),
    column<&D::noise_floor>("noise_floor", "1",
                            "relative difference that 95 % of repeated medians stay below"),
    column<&D::launch_jitter>("launch_jitter", "s",
                              "the same of empty launches, as a time; missing in older files"),
    column<&D::cache_bandwidth>("cache_bandwidth", "byte s-1",
                                "bytes read from the cache shared by all units"),
    column<&D::float32_rate>("float32_rate", "s-1", "float32 operations of fused multiply-adds"),
    column<&D::float64_rate>("float64_rate", "s-1", "float64 operations of fused multiply-adds"),
    column<&D::float16_rate>("float16_rate", "s-1", "float16 operations of fused multiply-adds"),
    column<&D::tensor_rate>("tensor_rate", "s-1",
                            "operations of the matrix units, float16 to float32"),
};

constexpr std::array kJobColumns{
    column<&JobRecord::name>("name", "", "name of the job"),
    column<&JobRecord::spec_written>("spec_written", "", "the job file as written"),
    column<&JobRecord::spec_resolved>("spec_resolved", "", "the job with all defaults"),
    column<&JobRecord::sha>("sha256", "", "SHA-256 of the job as written"),
};

}  // namespace

Columns<ResultRecord> results() { return kResultColumns; }
Columns<Place> places() { return kPlaceColumns; }
Columns<Parent> parents() { return kParentColumns; }
Columns<Sample> samples() { return kSampleColumns; }
Columns<LaunchRecord> launches() { return kLaunchColumns; }
Columns<KernelRecord> kernels() { return kKernelColumns; }
Columns<OutputRecord> checks() { return kCheckColumns; }
Columns<FindingRecord> findings() { return kFindingColumns; }
Columns<CounterRecord> counters() { return kCounterColumns; }
Columns<DeviceCalibration> calibrations() { return kCalibrationColumns; }
Columns<JobRecord> jobs() { return kJobColumns; }

}  // namespace kernelbatch::schema
