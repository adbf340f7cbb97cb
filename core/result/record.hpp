// Records of a result file as plain data. Written by `run`, read by `report`.
//
// Missing values: NaN for reals, -1 for integers, empty for text. Times are in seconds unless the
// name has another unit; time points in nanoseconds since 1970-01-01T00:00:00Z.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/array/dtype.hpp"
#include "core/base/choice.hpp"
#include "core/base/value.hpp"
#include "core/base/variant_kind.hpp"
#include "core/result/note.hpp"
#include "core/result/status.hpp"

namespace kernelbatch {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

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
  std::int64_t wall_ns = -1;   ///< time of the sample
  std::int64_t process = 0;    ///< process that timed it, from 0
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

/// A kernel fault found by a sanitizer, with the threads of its first occurrence.
struct FindingRecord {
  std::string tool;   ///< "host", or the compute-sanitizer's "memcheck", "racecheck", …
  std::string check;  ///< memory, race, init or sync
  /// True if no result depends on it: two threads write the same value.
  bool harmless = false;
  std::string kernel;
  std::string place, text;    ///< "source:14:9" and that line
  std::string thread, block;  ///< "(3,0,0)"
  /// The other access of a race, or the thread missing at a barrier; empty if there is none.
  std::string other_place, other_thread, other_block;
  std::string what;  ///< what the thread does, in words
  std::string array;
  std::int64_t element = -1;  ///< index in the array; -1 = unknown
  std::int64_t count = 0, blocks = 0;
  std::int64_t call = -1;  ///< launch in which it was seen first, from 1; -1 = unknown
};

/// Source of a quantity of a variant's evidence.
enum class EvidenceSource : std::uint8_t {
  kCounter,  ///< the device's hardware counters
  kStatic,   ///< the compiled kernel and its launch
  kTwin,     ///< a timed call of a kernel with one difference
  kReplay,   ///< accesses of some blocks, replayed on the host
};
template <>
struct Names<EvidenceSource> {
  static constexpr Named<EvidenceSource> rows[] = {{EvidenceSource::kCounter, "counter"},
                                                   {EvidenceSource::kStatic, "static"},
                                                   {EvidenceSource::kTwin, "twin"},
                                                   {EvidenceSource::kReplay, "replay"}};
};

/// One quantity that explains a variant's time.
struct CounterRecord {
  std::string kernel;        ///< empty: of the whole call
  std::int64_t launch = -1;  ///< LaunchRecord::order; -1: of the whole call
  EvidenceSource source = EvidenceSource::kCounter;
  std::string name;  ///< of a counter: the vendor's name, dram__bytes_read.sum
  double value = kMissing;
  std::string unit;  ///< UDUNITS, short form
};

/// The whole finding as text of several lines.
std::string to_text(const FindingRecord& finding);

/// The outcome of comparing one output with the reference.
struct OutputRecord {
  std::string name;
  DType dtype = DType::kFloat64;
  std::vector<std::int64_t> shape;
  std::vector<std::string> dimensions;  ///< one name per axis; empty = d0, d1, …
  std::string units;                    ///< UDUNITS, "1" if dimensionless
  std::string help;
  std::string mode;  ///< exact, ulp, allclose, reduction, none, or reference (the reference itself)
  std::string tolerance;  ///< "rtol=1e-06 atol=0"
  double max_abs_err = kMissing, max_rel_err = kMissing, max_ulp = kMissing, rms_err = kMissing;
  std::int64_t mismatches = -1;
  std::string first_mismatch;  ///< "[3, 7]: got 1.5, expected 2.5 (4 ulp)"
  std::string xxh3;            ///< hash of the elements in C order, as on the device
  /// Over the finite elements, or their moduli if complex. Only for arrays that were not stored
  /// whole.
  double minimum = kMissing, maximum = kMissing, mean = kMissing;
  std::int64_t nonfinite = -1;  ///< number of NaN or infinite elements
  std::int64_t stride = -1;     ///< 0: not stored; 1: whole; k: every k-th element; -1: unknown
};

/// Relative: above this calibrated noise, timings are unreliable and SAME is not reported.
inline constexpr double kQuietNoise = 0.05;

struct DeviceCalibration {
  std::string device;
  double empty_launch = kMissing;    ///< s
  double copy_bandwidth = kMissing;  ///< byte/s, read and written bytes counted
  double read_bandwidth = kMissing;  ///< byte/s
  /// Upper bound, in 95 % of pairs, of the difference of two medians of the same work: relative for
  /// long work, in s for an empty launch.
  double noise_floor = kMissing, launch_jitter = kMissing;
  double cache_bandwidth = kMissing;  ///< byte/s read from the cache shared by all units
  /// Floating-point operations per second, counting a fused multiply-add as two; for the matrix
  /// units with float16 inputs and float32 sums.
  double float32_rate = kMissing, float64_rate = kMissing, float16_rate = kMissing,
         tensor_rate = kMissing;

  /// True if its noise is known and at most kQuietNoise.
  bool is_quiet() const noexcept { return noise_floor >= 0 && noise_floor <= kQuietNoise; }
};

/// Extent of a result's comparison with a reference.
enum class Verification : std::uint8_t {
  kNone,    ///< an output has no reference
  kOneSet,  ///< on one set of inputs: precomputed answers pass
  kFull,    ///< on two sets, or on an unknown number (older files)
};
inline constexpr std::int64_t kVerificationCount = 3;

enum class DeviceClass : std::uint8_t {
  kNone,  ///< it ran on no device
  kHost,  ///< the host device, which simulates kernels: its times are not those of a GPU
  kGpu,
};
/// The kind of a ResultRecord::device.
DeviceClass class_of_device(std::string_view device) noexcept;

/// Result of one case and variant.
struct ResultRecord {
  std::string case_id, workload, workload_version, variant, device;
  std::optional<VariantKind> kind;  ///< empty: unknown to this version
  Status status = Status::kSkipped;
  Phase phase = Phase::kNone;
  std::string reason;  ///< one line; empty on success
  std::string detail;  ///< the child's last lines, a compiler's log
  /// Text printed by the first call, on the host or by its kernels; the first 4 KiB.
  std::string printed;
  std::string fault;  ///< fault of the outputs: "100 wrong", "out of bounds"
  /// Order of the runs that wrote to one output; later runs have larger numbers. Nanoseconds since
  /// 1970 at the start of the run, or one more than the run before if the clock was set back. -1 in
  /// files of schema 1.
  std::int64_t run = -1;
  std::int64_t attempt = 1;  ///< within the run and the runs it resumed
  /// Index of the case in its job's plan, and of the variant in the case, from 0; -1 = unknown. All
  /// lists are in this order.
  std::int64_t plan_index = -1, variant_index = -1;
  std::int64_t start_ns = -1, end_ns = -1;
  bool retryable = false;  ///< environment failure: a resumed run retries it
  NamedValues params;
  /// Digest of the texts and options of the launched kernels; empty = none or unknown.
  std::string kernel_hash;
  std::string made_of;  ///< digests of input files, headers and settings, as JSON; empty = unknown
  std::string tuned;    ///< names of the searched parameters: "block items"

  Summary cold, hot, host;
  std::string stop_reason;
  std::vector<Note> notes;  ///< limits of the measurement
  double compile_time = kMissing, load_time = kMissing, first_launch_time = kMissing,
         h2d_time = kMissing, d2h_time = kMissing;
  double bytes_read = kMissing, bytes_written = kMissing, flops = kMissing;
  /// Bytes that must be transferred from or to the device's memory, whatever the caches contain at
  /// the end.
  double least_bytes = kMissing;
  double ceiling = kMissing;  ///< byte/s that share_of_ceiling refers to
  double speedup = kMissing, speedup_low = kMissing, speedup_high = kMissing;
  bool verified = false;
  std::optional<bool> deterministic;
  std::int64_t checked_calls = -1;  ///< calls with checked outputs; -1 = unknown
  std::int64_t processes = -1;      ///< number of processes that timed it; -1 = unknown, one
  std::int64_t input_sets = -1;     ///< number of input sets; -1 = unknown
  std::int64_t input_seed = -1;     ///< seed of the second set; -1 if there is none
  std::string digest;            ///< of the memory of inputs and outputs, by set; empty = unknown
  double check_time = kMissing;  ///< device time in s for preparing and checking one call
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
  std::string sanitized;  ///< checks of the sanitizer: "memory race init sync"; empty: none

  /// Kind of samples used for ranking: cold ones if there is a cold median, else hot ones, else the
  /// host's.
  SampleKind ranked_kind() const noexcept;
  const Summary& ranked_summary() const noexcept;
  /// Median of these; NaN for all but Status::kOk.
  double ranked_time() const noexcept;
  /// (bytes_read + bytes_written) / ranked time, byte/s; flops / ranked time, 1/s.
  double bandwidth() const noexcept;
  double flop_rate() const noexcept;
  double share_of_ceiling() const noexcept;
  Verification verification() const noexcept;
  /// True if it is correct, but precomputed answers would pass.
  bool is_one_set() const noexcept {
    return status == Status::kOk && verification() == Verification::kOneSet;
  }

  bool is_reference() const noexcept { return kind == VariantKind::kReference; }
  DeviceClass device_class() const noexcept { return class_of_device(device); }
  /// Empty texts and repeated notes are ignored.
  void add_note(NoteKind about, std::string_view text);
};

/// Order of two results of the same case and variant: by run, then by attempt.
struct ResultOrder {
  std::int64_t run = -1, attempt = 0, start_ns = -1;
  auto operator<=>(const ResultOrder&) const = default;
};

/// Results of schema 1, which have no run number, are ordered by their start.
ResultOrder order_of(const ResultRecord& record) noexcept;

/// Environment of a job: name → value, in the order of the file's columns. Values are text,
/// integers or reals; all environments of a file have the same names.
struct EnvironmentRecord {
  NamedValues values;
};

struct JobRecord {
  std::string name, spec_written, spec_resolved, sha;
};

/// True if the two are one job, whose results go into one file: by name, or by its text.
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
  std::string output;  ///< name of an OutputRecord of that variant's result
  std::span<const std::byte> bytes;
  /// Above 1, `bytes` contains only every stride-th element: the array was too large to store
  /// whole.
  std::int64_t stride = 1;
};

}  // namespace kernelbatch
