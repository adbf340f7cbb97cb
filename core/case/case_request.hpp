// What the supervisor asks of a worker, as plain data and as JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/value.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// One case, with the variants that are still to be run.
struct CaseRequest {
  std::string case_id, plugin, device;
  NamedValues params;
  std::vector<InputSpec> inputs;
  std::optional<InlineSpec> kernels;  ///< instead of a plugin
  std::vector<std::string> variants;
  std::string reference = "reference";          ///< empty: outputs are stored unverified
  std::optional<ReferenceFile> reference_file;  ///< instead, and then `reference` is empty
  ToleranceSpec tolerance;
  std::vector<std::pair<std::string, ToleranceSpec>> output_tolerances;
  int repeat = 1;
  MeasureSpec measure;
  std::string memory_limit = "80%";
  KeptArrays arrays = KeptArrays::kAll;
  std::string job_folder;    ///< relative input files are looked up here first
  std::string spill_folder;  ///< where outputs to be stored are written for the supervisor
  int attempt = 1;
  bool calibrates = false;  ///< first the device, whose ceilings are not known yet
  bool is_profile = false;  ///< few bare runs, for a profiler that watches
};

std::string to_json(const CaseRequest& request);
/// Throws RunError for other text.
CaseRequest case_request_from_json(std::string_view text);

/// An output that a worker wrote to a file for the supervisor to store. The file has no name, so
/// that nobody can remove or replace it; the open descriptor travels beside the JSON.
struct SpilledOutput {
  std::string output;
  std::int64_t stride = 1;
  FileDescriptor file{};
};

/// What a worker says. One of these per frame.
struct WorkerMessage {
  /// described, footprints, opened, phase, calibrated, result, renew (the rest of the case needs a
  /// fresh worker), case_done, failed; of a compile worker: phase, built, case_done, failed
  std::string event;
  std::string variant, phase;
  std::string text;    ///< a description, a record (a case's with the calibration alone) or an
                       ///< environment as JSON; a failure's message
  int exit_code = 0;   ///< of a failure
  std::string status;  ///< of a failure: what its results are recorded as
  bool is_retryable = false;  ///< of a failure: the surroundings' fault
  std::vector<SpilledOutput> outputs;
  /// The worker ends after this message: its device, or what the process has become, is in doubt.
  bool is_sick = false;
};

std::string to_json(const WorkerMessage& message);
WorkerMessage worker_message_from_json(std::string_view text);

}  // namespace kernelbatch
