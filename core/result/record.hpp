// RunRecord: what a result file holds, as plain data. Filled by `run`, read by `report`.
//
// Missing values: NaN for reals, -1 for integers, empty for text. Times in seconds unless the name
// says otherwise; time points in nanoseconds since 1970-01-01T00:00:00Z.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/array/dtype.hpp"
#include "core/base/choice.hpp"
#include "core/base/value.hpp"

namespace kernelbatch {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// How a case × variant ended.
enum class Status : std::uint8_t {
  kOk,                  ///< ran, and verified or declared unverified
  kVerificationFailed,  ///< ran, and its output is wrong: it has no ranked time
  kCrashed,
  kTimedOut,
  kOutOfMemory,
  kCompileFailed,
  kUnsupported,  ///< tried, and the device refused it
  kSkipped,      ///< not tried, with a reason
  kFailed,       ///< an error that left the worker healthy (an exception of the variant)
  kSuspect,      ///< ran, and its output is right, but its time or its check cannot be believed
  kUnsafe,       ///< a sanitizer found a fault in its kernels
  kDropped,      ///< of a search: right, and too slow to be timed any longer
};
inline constexpr std::size_t kStatusCount = 12;
template <>
struct Names<Status> {
  static constexpr Named<Status> rows[kStatusCount] = {
      {Status::kOk, "ok"},
      {Status::kVerificationFailed, "verification_failed"},
      {Status::kCrashed, "crashed"},
      {Status::kTimedOut, "timed_out"},
      {Status::kOutOfMemory, "out_of_memory"},
      {Status::kCompileFailed, "compile_failed"},
      {Status::kUnsupported, "unsupported"},
      {Status::kSkipped, "skipped"},
      {Status::kFailed, "failed"},
      {Status::kSuspect, "suspect"},
      {Status::kUnsafe, "unsafe"},
      {Status::kDropped, "dropped"}};
};
/// "ok", "verification_failed", "crashed", … as stored.
constexpr std::string_view to_text(Status status) noexcept { return name_of(status); }

/// What a worker is doing. Of a result: what it was doing when it failed.
enum class Phase : std::uint8_t {
  kNone,       ///< all went well
  kLoad,       ///< the plugin
  kCalibrate,  ///< the device, before the first case
  kInputs,     ///< making the case's inputs
  kLaunch,     ///< preparing the variant: copies to the device, kernels, the first call
  kCompile,
  kRun,
  kVerify,
  kMeasure,
  kRecord,   ///< listing kernels and launches
  kExplain,  ///< gathering what says why its time is what it is: the result is there already
  kWrite,    ///< storing the result
  kUnknown,  ///< a file of another version says something else
};
template <>
struct Names<Phase> {
  static constexpr Named<Phase> rows[] = {
      {Phase::kNone, ""},          {Phase::kLoad, "load"},       {Phase::kCalibrate, "calibrate"},
      {Phase::kInputs, "inputs"},  {Phase::kLaunch, "launch"},   {Phase::kCompile, "compile"},
      {Phase::kRun, "run"},        {Phase::kVerify, "verify"},   {Phase::kMeasure, "measure"},
      {Phase::kRecord, "record"},  {Phase::kExplain, "explain"}, {Phase::kWrite, "write"},
      {Phase::kUnknown, "unknown"}};
};

/// What a sample timed, and with which caches.
enum class SampleKind : std::uint8_t {
  kCold,  ///< one call after the caches were flushed
  kHot,   ///< calls back to back
  kHost,  ///< the host's time to queue one call
};
template <>
struct Names<SampleKind> {
  static constexpr Named<SampleKind> rows[] = {
      {SampleKind::kCold, "cold"}, {SampleKind::kHot, "hot"}, {SampleKind::kHost, "host"}};
};

/// Order statistics of a set of samples, in seconds.
struct Summary {
  double median = kMissing, iqr = kMissing, mad = kMissing, min = kMissing, max = kMissing,
         mean = kMissing, ci95_low = kMissing, ci95_high = kMissing;
  std::int64_t samples = 0, dropped = 0;
};

struct Sample {
  SampleKind kind = SampleKind::kCold;
  std::int64_t repetition = 0;
  double time = kMissing;      ///< s
  double sm_clock = kMissing;  ///< Hz
  std::int64_t wall_ns = -1;   ///< when it was taken
  std::int64_t process = 0;    ///< of those that timed the variant, from 0
};

/// One kernel launch of a variant's recorded run.
struct LaunchRecord {
  std::string kernel;
  std::int64_t order = 0;
  std::int64_t grid[3] = {1, 1, 1};
  std::int64_t block[3] = {1, 1, 1};
  std::int64_t shared_dynamic = 0, registers = -1, local_bytes = -1, stream = 0;
  double duration = kMissing;
};

/// One compiled kernel.
struct KernelRecord {
  std::string name, source_hash, target, options;
  std::int64_t registers = -1, shared_static = -1, local_bytes = -1, max_threads = -1;
};

/// A fault of a kernel that a sanitizer found, with the threads of its first time.
struct FindingRecord {
  std::string tool;   ///< "host", or the compute-sanitizer's "memcheck", "racecheck", …
  std::string check;  ///< memory, race, init or sync
  /// No result depends on it: two threads write the same value.
  bool harmless = false;
  std::string kernel;
  std::string place, text;    ///< "source:14:9" and that line
  std::string thread, block;  ///< "(3,0,0)"
  /// Of the other access of a race, or of who is missing at a barrier; empty where there is none.
  std::string other_place, other_thread, other_block;
  std::string what;  ///< what the thread does, in words
  std::string array;
  std::int64_t element = -1;  ///< of the array; -1 = unknown
  std::int64_t count = 0, blocks = 0;
  std::int64_t call = -1;  ///< launch in which it was seen first, from 1; -1 = unknown
};

/// How a quantity of a variant's evidence was found.
enum class EvidenceSource : std::uint8_t {
  kCounter,  ///< the device's hardware counters
  kStatic,   ///< the compiled kernel and its launch
  kTwin,     ///< a timed call of a kernel that differs in one thing
  kReplay,   ///< accesses of some blocks that the host ran again
};
template <>
struct Names<EvidenceSource> {
  static constexpr Named<EvidenceSource> rows[] = {{EvidenceSource::kCounter, "counter"},
                                                   {EvidenceSource::kStatic, "static"},
                                                   {EvidenceSource::kTwin, "twin"},
                                                   {EvidenceSource::kReplay, "replay"}};
};

/// One quantity that says why a variant takes the time it takes.
struct CounterRecord {
  std::string kernel;        ///< empty: of the whole call
  std::int64_t launch = -1;  ///< LaunchRecord::order; -1: of the whole call
  EvidenceSource source = EvidenceSource::kCounter;
  std::string name;  ///< of a counter, as the device's maker has it: dram__bytes_read.sum
  double value = kMissing;
  std::string unit;  ///< UDUNITS, short form
};

/// The whole finding in words: several lines.
std::string to_text(const FindingRecord& finding);

/// The outcome of comparing one output with the reference.
struct OutputRecord {
  std::string name;
  DType dtype = DType::kFloat64;
  std::vector<std::int64_t> shape;
  std::vector<std::string> dimensions;  ///< one name per axis; empty = d0, d1, …
  std::string units;                    ///< UDUNITS, "1" where dimensionless
  std::string help;
  std::string mode;  ///< exact, ulp, allclose, reduction, none, or reference (the yardstick itself)
  std::string tolerance;  ///< "rtol=1e-06 atol=0"
  double max_abs_err = kMissing, max_rel_err = kMissing, max_ulp = kMissing, rms_err = kMissing;
  std::int64_t mismatches = -1;
  std::string first_mismatch;  ///< "[3, 7]: got 1.5, expected 2.5 (4 ulp)"
  std::string xxh3;            ///< hash of the elements in C order, as on the device
  /// Over the finite elements; of complex numbers their moduli. Of arrays that were not kept whole.
  double minimum = kMissing, maximum = kMissing, mean = kMissing;
  std::int64_t nonfinite = -1;  ///< elements that are NaN or infinite
  std::int64_t stride = -1;     ///< 0: not stored; 1: whole; k: every k-th element; -1: unknown
};

/// Relative: where the calibrated noise is above it, times say little, and nothing is the same.
inline constexpr double kQuietNoise = 0.05;

struct DeviceCalibration {
  std::string device;
  double empty_launch = kMissing;    ///< s
  double copy_bandwidth = kMissing;  ///< byte/s, read and written bytes counted
  double read_bandwidth = kMissing;  ///< byte/s
  /// What two medians of the same work differ by at most, in 95 %, with nothing changed: relative
  /// of long work, in s of a launch that does nothing.
  double noise_floor = kMissing, launch_jitter = kMissing;
  double cache_bandwidth = kMissing;  ///< byte/s read from the cache that all units share
  /// Floating-point operations per second, a fused multiply-add counting two; of the matrix units
  /// with float16 inputs and float32 sums.
  double float32_rate = kMissing, float64_rate = kMissing, float16_rate = kMissing,
         tensor_rate = kMissing;

  /// Whether its noise is known and at most kQuietNoise.
  bool is_quiet() const noexcept { return noise_floor >= 0 && noise_floor <= kQuietNoise; }
};

/// How far a result was compared with a reference.
enum class Verification : std::uint8_t {
  kNone,    ///< an output has no reference
  kOneSet,  ///< on one set of inputs: answers that are known in advance pass
  kFull,    ///< on two sets, or on an unknown number (older files)
};
inline constexpr std::int64_t kVerificationCount = 3;

/// One case × variant.
struct ResultRecord {
  std::string case_id, workload, workload_version, variant, kind, device;
  Status status = Status::kSkipped;
  Phase phase = Phase::kNone;
  std::string reason;  ///< one line; empty where all went well
  std::string detail;  ///< the child's last lines, a compiler's log
  /// What the first call printed, on the host or by its kernels; of more than 4 KiB the beginning.
  std::string printed;
  std::string fault;  ///< what is wrong with the outputs: "100 wrong", "out of bounds"
  /// Order of the runs that wrote to one output: of a later run it is larger. Nanoseconds since
  /// 1970 when the run began, or one more than that of the run before it, where the clock was set
  /// back. -1 in files of schema 1.
  std::int64_t run = -1;
  std::int64_t attempt = 1;  ///< within the run and those that it resumed
  /// Place of the case among those of its job's plan, and of the variant within the case, from 0;
  /// -1 = unknown. All lists are in this order.
  std::int64_t plan_index = -1, variant_index = -1;
  std::int64_t start_ns = -1, end_ns = -1;
  bool retryable = false;  ///< the surroundings failed: a resumed run tries again
  NamedValues params;
  /// Digest of the texts and options of the kernels that it launched; empty = none or unknown.
  std::string kernel_hash;
  std::string made_of;  ///< digests of input files, headers and settings, as JSON; empty = unknown
  std::string tuned;    ///< names of the parameters that were searched: "block items"

  Summary cold, hot, host;
  std::string stop_reason;
  std::string notes;  ///< what limits the measurement; empty where nothing does
  double compile_time = kMissing, load_time = kMissing, first_launch_time = kMissing,
         h2d_time = kMissing, d2h_time = kMissing;
  double bytes_read = kMissing, bytes_written = kMissing, flops = kMissing;
  /// That must come from or go to the device's memory, whatever the caches hold at the end.
  double least_bytes = kMissing;
  double ceiling = kMissing;  ///< byte/s that share_of_ceiling refers to
  double speedup = kMissing, speedup_low = kMissing, speedup_high = kMissing;
  bool verified = false;
  std::optional<bool> deterministic;
  std::int64_t checked_calls = -1;  ///< calls of the work whose outputs were checked; -1 = unknown
  std::int64_t processes = -1;      ///< that timed it; -1 = unknown, one
  std::int64_t input_sets = -1;     ///< sets of inputs that it was run on; -1 = unknown
  std::int64_t input_seed = -1;     ///< that the second set was made with; -1 where there is none
  std::string digest;               ///< of the inputs' and outputs' memory, by set; empty = unknown
  double check_time = kMissing;     ///< s that preparing and checking one call takes the device
  std::vector<OutputRecord> outputs;

  std::int64_t registers = -1, shared_bytes = -1, local_bytes = -1, kernel_launches = -1;
  double occupancy = kMissing;
  double power_mean = kMissing, energy = kMissing, energy_idle_power = kMissing;
  double temperature = kMissing, sm_clock_mean = kMissing;
  std::int64_t throttled = -1;

  std::vector<Sample> samples;
  std::vector<LaunchRecord> launches;
  std::vector<KernelRecord> kernels;
  std::vector<FindingRecord> findings;
  std::vector<CounterRecord> counters;
  std::string sanitized;  ///< what a sanitizer looked for: "memory race init sync"; empty: nothing

  /// The samples that are ranked: cold ones if there is a cold median, else hot ones, else the
  /// host's.
  SampleKind ranked_kind() const noexcept;
  const Summary& ranked_summary() const noexcept;
  /// The median of these; NaN for everything but Status::kOk.
  double ranked_time() const noexcept;
  /// (bytes_read + bytes_written) / ranked time, byte/s; flops / ranked time, 1/s.
  double bandwidth() const noexcept;
  double flop_rate() const noexcept;
  double share_of_ceiling() const noexcept;
  Verification verification() const noexcept;
};

/// Which of two results of the same case and variant was made later: the later run's, then the
/// later attempt's.
struct ResultOrder {
  std::int64_t run = -1, attempt = 0, start_ns = -1;
  auto operator<=>(const ResultOrder&) const = default;
};

/// Results of schema 1, which do not know their run, stand in the order in which they began.
ResultOrder order_of(const ResultRecord& record) noexcept;

/// Where a job ran: name → value, in the order of the file's columns. Values are text, integers or
/// reals; no name is ever absent in one environment and present in another of the same file.
struct EnvironmentRecord {
  NamedValues values;
};

struct JobRecord {
  std::string name, spec_written, spec_resolved, sha;
};

/// Are they one job, whose results go into one file: by name, or by what it was written as?
bool is_same_job(const JobRecord& a, const JobRecord& b) noexcept;

/// All variants of one case: the content of one shard.
struct CaseRecord {
  std::string case_id;
  std::vector<ResultRecord> results;
  EnvironmentRecord environment;
  JobRecord job;
  std::vector<DeviceCalibration> calibration;
};

/// An output's elements in C order, to be stored under /outputs/<case_id>/<variant>/<output>.
struct OutputData {
  std::string variant;
  std::string output;  ///< names an OutputRecord of that variant's result
  std::span<const std::byte> bytes;
  /// Above 1, `bytes` holds only every stride-th element: the array was too large to keep whole.
  std::int64_t stride = 1;
};

}  // namespace kernelbatch
