// The columns of results.
#include <array>
#include <cmath>

#include "core/result/cell.hpp"
#include "core/result/schema.hpp"

namespace kernelbatch::schema {
namespace {

using R = ResultRecord;

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
    column<&R::workload>("workload", "", "name of the workload")
        .as({.heading = "workload", .place = 0, .in_text = false}),
    column<&R::workload_version>("workload_version", "", "version of the workload"),
    column<&R::variant>("variant", "", "name of the variant")
        .as({.heading = "variant", .member = "variant", .names = "variants", .place = 20}),
    column<&R::kind>("kind", "", "style of the variant's kernels"),
    column<&R::device>("device", "", "device that ran it")
        .as({.heading = "device",
             .member = "device",
             .names = "devices",
             .place = 100,
             .drop = 1,
             .in_export = false}),
    column<&R::status>("status", "", "outcome of the result")
        .as({.heading = "status", .member = "status", .names = "statuses", .place = 30}),
    column<&R::phase>("phase", "", "phase in which it failed; empty if it did not")
        .as({.member = "phase"}),
    column<&R::reason>("reason", "", "why it failed or was skipped; empty on success")
        .as({.member = "reason"}),
    column<&R::detail>("detail", "", "last lines of the worker or of the compiler's log")
        .as({.member = "detail"}),
    column<&R::printed>("printed", "", "text printed by its first call, up to 4 KiB"),
    column<&R::fault>("fault", "", "fault of the outputs, in two or three words")
        .as({.member = "fault"}),
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
    column<&R::stop_reason>("stop_reason", "", "why sampling stopped")
        .as({.member = "stop", .names = "stops", .only_ok = true}),
    column<&R::notes>("notes", "", "limits of the measurement; empty if there are none")
        .as({.member = "notes", .names = "notes"}),
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
    derived<&R::ranked_time>("ranked_time", "s", "the ranked median; missing unless ok")
        .as({.heading = "median", .member = "median", .place = 40, .missing = "-"}),
    derived<&R::bandwidth>("bandwidth", "byte s-1", "bytes read and written per ranked time")
        .as({.heading = "GB/s", .member = "bandwidth", .place = 60, .drop = 4}),
    derived<&R::flop_rate>("flop_rate", "s-1", "floating-point operations per ranked time")
        .as({.member = "flop_rate"}),
    column<&R::ceiling>("ceiling", "byte s-1", "bandwidth that share_of_ceiling refers to"),
    derived<&R::share_of_ceiling>("share_of_ceiling", "1", "bandwidth as a share of the ceiling")
        .as({.heading = "ceiling",
             .member = "share",
             .form = Form::kShare,
             .place = 70,
             .drop = 2,
             .in_export = false,
             .omit_empty = true}),
    column<&R::speedup>("speedup", "1", "ranked time of the baseline over this one's")
        .as({.heading = "speed-up",
             .member = "speedup",
             .form = Form::kRatio,
             .place = 80,
             .drop = 6,
             .only_ok = true}),
    column<&R::speedup_low>("speedup_low", "1", "lower end of the speed-up's 95 % interval")
        .as({.member = "speedup_low", .only_ok = true}),
    column<&R::speedup_high>("speedup_high", "1", "upper end of the speed-up's 95 % interval")
        .as({.member = "speedup_high", .only_ok = true}),
    column<&R::verified>("verified", "", "every output was compared and is correct"),
    column<&R::deterministic>("deterministic", "", "all checked calls gave the same bits"),
    column<&R::checked_calls>("checked_calls", "1",
                              "calls with checked outputs, including timed calls"),
    column<&R::processes>("processes", "1",
                          "worker processes that timed it, each its part of the samples; -1 if "
                          "unknown"),
    column<&R::input_sets>("input_sets", "1", "sets of inputs used by the calls"),
    derived<&R::is_one_set>("one_set", "", "verified on one set of inputs only")
        .as({.member = "one_set"}),
    column<&R::input_seed>("input_seed", "1", "seed of the second set; -1 if there is none"),
    column<&R::digest>("digest", "", "digests of inputs and outputs on the device, by set"),
    column<&R::check_time>("check_time", "s",
                           "time to prepare and check one call, outside of its interval"),
    kSuspectReason,
    column<&R::sanitized>("sanitized", "", "checks of a sanitizer; empty if none ran"),
    worst<&OutputRecord::mode>("mode", "", "mode of the worst output's comparison"),
    worst<&OutputRecord::tolerance>("tolerance", "", "tolerance of the worst output"),
    worst<&OutputRecord::max_abs_err>("max_abs_err", "1",
                                      "largest absolute error of the worst output"),
    worst<&OutputRecord::max_rel_err>("max_rel_err", "1",
                                      "largest relative error of the worst output"),
    worst<&OutputRecord::max_ulp>("max_ulp", "1",
                                  "largest error of the worst output in units in last place"),
    worst<&OutputRecord::rms_err>("rms_err", "1", "root mean square error of the worst output"),
    worst<&OutputRecord::mismatches>(
        "mismatches", "1", "elements of the worst output beyond tolerance; -1 if not compared"),
    worst<&OutputRecord::first_mismatch>("first_mismatch", "", "first element beyond tolerance"),
    column<&R::registers>("registers", "1", "registers per thread; -1 if unknown"),
    column<&R::shared_bytes>("shared_bytes", "byte", "shared memory per block; -1 if unknown"),
    column<&R::local_bytes>("local_bytes", "byte", "local memory per thread; -1 if unknown"),
    column<&R::occupancy>("occupancy", "1", "resident warps as a share of the most possible"),
    column<&R::kernel_launches>("kernel_launches", "1", "launches of one run; -1 if unknown")
        .as({.member = "launches"}),
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

}  // namespace

Columns<ResultRecord> results() { return kResultColumns; }

}  // namespace kernelbatch::schema
