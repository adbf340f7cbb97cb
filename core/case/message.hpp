// What supervisor and worker say to each other: one alternative for each message, one writer, one
// reader.
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
#include "core/measure/outlook.hpp"
#include "core/result/record.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// \name Requests: from the supervisor to a worker. The worker answers each as its comment says, or
/// with Failed.
/// @{

/// What does a plugin declare? → Described
struct DescribeRequest {
  std::string plugin;  ///< path
  static constexpr auto kMembers = std::tuple{&DescribeRequest::plugin};
};

/// How many bytes do cases of a plugin need? → CaseFootprints
struct FootprintsRequest {
  std::string plugin;
  std::vector<NamedValues> cases;
  static constexpr auto kMembers =
      std::tuple{&FootprintsRequest::plugin, &FootprintsRequest::cases};
};

/// Can the device be opened? → Opened
struct OpenRequest {
  std::string device;
  static constexpr auto kMembers = std::tuple{&OpenRequest::device};
};

/// The job that later requests are about, as it was written: the worker reads it as the supervisor
/// did. No answer.
struct UseJob {
  std::string path, source;
  Overrides overrides;
  static constexpr auto kMembers = std::tuple{&UseJob::path, &UseJob::source, &UseJob::overrides};
};

/// Run some variants of a case. → PhaseChange, TimeLeft, Calibrated, Result…, then CaseDone or
/// Renew
struct CaseRequest {
  std::string case_id = {};
  std::string plugin = {};     ///< path; empty for kernels in the job
  std::uint64_t workload = 0;  ///< index into JobSpec::workloads
  std::string device = {};     ///< selector
  NamedValues params = {};
  std::vector<std::string> variants = {};  ///< those that have no result yet
  std::string reference = "reference";     ///< empty: no variant is the reference
  std::string spill_folder = {};           ///< where outputs are written for the supervisor
  std::int64_t attempt = 1;
  bool calibrates = false;  ///< first the device, whose ceilings are not known yet
  bool is_profile = false;  ///< few bare runs, for a profiler that watches
  /// Checks under which each variant runs once, on a device that has them; empty: all is timed.
  std::string sanitize = {};
  /// Variants whose times are not to be explained: that has ended a worker.
  std::vector<std::string> unexplained = {};
  bool is_repeat = false;  ///< only times: another process has done the rest
  /// s; a first sample above it ends the timing (Status::kDropped). 0: none does.
  double drop_above = 0;
  double evidence_s = 0;  ///< what evidence of one variant took last in this run; 0 = unknown
  static constexpr auto kMembers =
      std::tuple{&CaseRequest::case_id,     &CaseRequest::plugin,       &CaseRequest::workload,
                 &CaseRequest::device,      &CaseRequest::params,       &CaseRequest::variants,
                 &CaseRequest::reference,   &CaseRequest::spill_folder, &CaseRequest::attempt,
                 &CaseRequest::calibrates,  &CaseRequest::is_profile,   &CaseRequest::sanitize,
                 &CaseRequest::unexplained, &CaseRequest::is_repeat,    &CaseRequest::drop_above,
                 &CaseRequest::evidence_s};
};

/// Compile what variants of a case launch, for `request.device`, a compile target. → for each
/// variant PhaseChange and Compiled, then CaseDone
struct CompileRequest {
  CaseRequest request;
  static constexpr auto kMembers = std::tuple{&CompileRequest::request};
};

/// The answer to a PhaseChange that begins a turn. No answer.
struct GoOn {
  static constexpr auto kMembers = std::tuple{};
};
/// @}

using Request = std::variant<DescribeRequest, FootprintsRequest, OpenRequest, UseJob, CaseRequest,
                             CompileRequest, GoOn>;

/// An output that a worker wrote to a file for the supervisor to store. The file has no name, so
/// that nobody can remove or replace it; the open descriptor travels beside the message.
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

struct Opened {
  static constexpr auto kMembers = std::tuple{};
};

/// What the worker does next.
struct PhaseChange {
  std::string variant;  ///< empty: something of the whole case
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
  bool is_sick = false;  ///< the worker ends after this message
  static constexpr auto kMembers = std::tuple{&Result::record, &Result::outputs, &Result::is_sick};
};

/// A fault of a kernel that runs now, told before what it does may end the worker.
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
  NamedValues environment;  ///< empty after a CompileRequest
  bool is_sick = false;
  static constexpr auto kMembers = std::tuple{&CaseDone::environment, &CaseDone::is_sick};
};

/// What the supervisor is to make of a failure.
enum class FailureCause : std::uint8_t {
  kCase,      ///< the request's own
  kBadSpec,   ///< what was asked for is not valid
  kNoDevice,  ///< there is no device: everybody's
};
template <>
struct Names<FailureCause> {
  static constexpr Named<FailureCause> rows[] = {{FailureCause::kCase, "case"},
                                                 {FailureCause::kBadSpec, "bad_spec"},
                                                 {FailureCause::kNoDevice, "no_device"}};
};

/// The request as a whole failed.
struct Failed {
  FailureCause cause = FailureCause::kCase;
  Status status = Status::kFailed;  ///< what its results are recorded as
  Phase phase = Phase::kNone;
  std::string reason;
  bool is_retryable = false;  ///< the surroundings failed
  bool is_sick = false;
  static constexpr auto kMembers =
      std::tuple{&Failed::cause,  &Failed::status,       &Failed::phase,
                 &Failed::reason, &Failed::is_retryable, &Failed::is_sick};
};
/// @}

using Reply = std::variant<Described, CaseFootprints, Opened, PhaseChange, TimeLeft, Calibrated,
                           Found, Result, Compiled, Renew, CaseDone, Failed>;

/// The bytes of one frame. Samples are arrays of numbers; the rest of a record is the JSON text
/// that shards hold, so that its fields are described once.
std::string to_frame(const Request& request);
std::string to_frame(const Reply& reply);

/// Throw RunError for bytes that are no such message. Outputs come without their files.
Request request_from_frame(std::string_view frame);
Reply reply_from_frame(std::string_view frame);

}  // namespace kernelbatch
