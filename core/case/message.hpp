// Messages between supervisor and worker: one alternative for each message, one writer, one reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/choice.hpp"
#include "core/base/file.hpp"
#include "core/base/value.hpp"
#include "core/case/compile_run.hpp"
#include "core/job/spec.hpp"
#include "core/measure/case_eta.hpp"
#include "core/result/record.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// \name Requests: from the supervisor to a worker. The worker's answer is given in each comment;
/// it can always be Failed.
/// @{

/// Asks for a plugin's declarations. → Described
struct DescribeRequest {
  std::string plugin;  ///< path
  static constexpr auto kMembers = std::tuple{&DescribeRequest::plugin};
};

/// Asks for the bytes that cases of a plugin need. → CaseFootprints
struct FootprintsRequest {
  std::string plugin;
  std::vector<NamedValues> cases;
  static constexpr auto kMembers =
      std::tuple{&FootprintsRequest::plugin, &FootprintsRequest::cases};
};

/// Asks to open the device. → Opened
struct OpenRequest {
  std::string device;
  static constexpr auto kMembers = std::tuple{&OpenRequest::device};
};

/// The job of later requests, as written by the user: the worker parses it like the supervisor. No
/// answer.
struct UseJob {
  std::string path, source;
  Overrides overrides;
  static constexpr auto kMembers = std::tuple{&UseJob::path, &UseJob::source, &UseJob::overrides};
};

/// Runs some variants of a case. → PhaseChange, Opened, CaseEta, Calibrated, Result…, then CaseDone
/// or Renew
struct CaseRequest {
  std::string case_id = {};
  std::string plugin = {};     ///< path; empty for kernels in the job
  std::uint64_t workload = 0;  ///< index into JobSpec::workloads
  std::string device = {};     ///< selector
  NamedValues params = {};
  std::vector<std::string> variants = {};  ///< variants without a result
  std::string reference = "reference";     ///< empty: no variant is the reference
  std::string spill_folder = {};           ///< folder for outputs that the supervisor stores
  std::int64_t attempt = 1;
  bool calibrates = false;  ///< calibrate the device first: its ceilings are unknown
  bool is_profile = false;  ///< few bare runs, for a profiler
  /// Checks under which each variant runs once, on a device that has them; empty: variants are
  /// timed.
  std::string sanitize = {};
  /// Variants for which no evidence is gathered, because doing so ended a worker.
  std::vector<std::string> unexplained = {};
  bool is_single_call = false;  ///< one bare call of each variant, without a time: for a debugger
  bool is_repeat = false;       ///< only times: another process does the rest
  /// s; if the first sample is longer, timing ends (Status::kDropped). 0: no limit.
  double drop_above = 0;
  double evidence_s = 0;  ///< last duration of one variant's evidence in this run; 0 = unknown
  static constexpr auto kMembers =
      std::tuple{&CaseRequest::case_id,     &CaseRequest::plugin,         &CaseRequest::workload,
                 &CaseRequest::device,      &CaseRequest::params,         &CaseRequest::variants,
                 &CaseRequest::reference,   &CaseRequest::spill_folder,   &CaseRequest::attempt,
                 &CaseRequest::calibrates,  &CaseRequest::is_profile,     &CaseRequest::sanitize,
                 &CaseRequest::unexplained, &CaseRequest::is_single_call, &CaseRequest::is_repeat,
                 &CaseRequest::drop_above,  &CaseRequest::evidence_s};
};

/// Compiles the kernels that variants of a case launch, for `request.device`, a compile target. →
/// PhaseChange and Compiled for each variant, then CaseDone
struct CompileRequest {
  CaseRequest request;
  /// The target's properties if a worker has opened it; without a selector: unknown.
  DeviceProperties target = {};
  static constexpr auto kMembers = std::tuple{&CompileRequest::request, &CompileRequest::target};
};

/// Compiles a part of the harness's own kernels. → CaseDone
struct CompileHarnessRequest {
  std::string device;       ///< as in CompileRequest
  DeviceProperties target;  ///< as in CompileRequest
  std::uint64_t part = 0;   ///< of harness_parts()
  static constexpr auto kMembers = std::tuple{
      &CompileHarnessRequest::device, &CompileHarnessRequest::target, &CompileHarnessRequest::part};
};

/// The answer to a PhaseChange that begins a turn. No answer.
struct GoOn {
  static constexpr auto kMembers = std::tuple{};
};
/// @}

using Request = std::variant<DescribeRequest, FootprintsRequest, OpenRequest, UseJob, CaseRequest,
                             CompileRequest, CompileHarnessRequest, GoOn>;

/// An output that a worker wrote to a file for the supervisor to store. The file has no name, so
/// that it cannot be removed or replaced; its open descriptor is attached to the message.
struct SpilledOutput {
  std::string output;
  std::int64_t stride = 1;
  FileDescriptor file{};
  static constexpr auto kMembers = std::tuple{&SpilledOutput::output, &SpilledOutput::stride};
};

/// \name Replies: from a worker to the supervisor.
/// @{

struct Described {
  WorkloadInfo info;  ///< without functions: they live in the worker
  static constexpr auto kMembers = std::tuple{&Described::info};
};

struct CaseFootprints {
  std::vector<double> bytes;  ///< one for each case; 0 = unknown
  static constexpr auto kMembers = std::tuple{&CaseFootprints::bytes};
};

/// Sent twice for a GPU: before and after its context is created.
struct Opened {
  DeviceProperties device;  ///< without its backend
  bool is_open = true;      ///< false: only its properties are known
  static constexpr auto kMembers = std::tuple{&Opened::device, &Opened::is_open};
};

/// The worker's next phase.
struct PhaseChange {
  std::string variant;  ///< empty: the whole case
  Phase phase = Phase::kNone;
  /// Another variant's turn begins: the worker waits for GoOn.
  bool is_turn = false;
  static constexpr auto kMembers =
      std::tuple{&PhaseChange::variant, &PhaseChange::phase, &PhaseChange::is_turn};
};

struct Calibrated {
  DeviceCalibration calibration;
  static constexpr auto kMembers = std::tuple{&Calibrated::calibration};
};

/// A variant's result.
struct Result {
  ResultRecord record;
  std::vector<SpilledOutput> outputs;
  bool must_restart_worker = false;  ///< the worker ends after this message
  NamedValues environment = {};
  static constexpr auto kMembers = std::tuple{&Result::record, &Result::outputs,
                                              &Result::must_restart_worker, &Result::environment};
};

/// A fault of a running kernel, reported before it can crash the worker.
struct Found {
  ResultRecord record;  ///< of the variant, with this one finding
  static constexpr auto kMembers = std::tuple{&Found::record};
};

struct Compiled {
  std::string variant;
  CompileOutcome outcome;
  static constexpr auto kMembers = std::tuple{&Compiled::variant, &Compiled::outcome};
};

/// The rest of the case needs a fresh worker.
struct Renew {
  static constexpr auto kMembers = std::tuple{};
};

struct CaseDone {
  bool must_restart_worker = false;
  static constexpr auto kMembers = std::tuple{&CaseDone::must_restart_worker};
};

/// Cause of a failure, for the supervisor.
enum class FailureCause : std::uint8_t {
  kCase,      ///< this request
  kBadSpec,   ///< the request is invalid
  kNoDevice,  ///< there is no device: affects all requests
};
template <>
struct Names<FailureCause> {
  static constexpr Named<FailureCause> rows[] = {{FailureCause::kCase, "case"},
                                                 {FailureCause::kBadSpec, "bad_spec"},
                                                 {FailureCause::kNoDevice, "no_device"}};
};

/// The whole request failed.
struct Failed {
  FailureCause cause = FailureCause::kCase;
  Status status = Status::kFailed;  ///< status of its results
  Phase phase = Phase::kNone;
  std::string reason;
  bool is_retryable = false;  ///< the environment failed
  bool must_restart_worker = false;
  static constexpr auto kMembers =
      std::tuple{&Failed::cause,  &Failed::status,       &Failed::phase,
                 &Failed::reason, &Failed::is_retryable, &Failed::must_restart_worker};
};
/// @}

using Reply = std::variant<Described, CaseFootprints, Opened, PhaseChange, CaseEta, Calibrated,
                           Found, Result, Compiled, Renew, CaseDone, Failed>;

/// The bytes of one frame. Samples are arrays of numbers; the rest of a record is the JSON text
/// used in shards, so that its fields are described once.
std::string to_frame(const Request& request);
std::string to_frame(const Reply& reply);

/// Throw RunError for bytes that are not such a message. Outputs are without their files.
Request request_from_frame(std::string_view frame);
Reply reply_from_frame(std::string_view frame);

}  // namespace kernelbatch
