// TryAnswer: the verdict of `try` and `serve` about one kernel or a pair, as text and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/try/try_job.hpp"
#include "core/base/error.hpp"
#include "core/report/judged_json.hpp"
#include "core/report/verdict.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch::app {

struct TryDevice {
  std::string selector, name, kind, uuid;  ///< kind: gpu, mig or host
  bool is_gpu = false;
  std::string note;  ///< why `auto` chose the host

  /// Throws SpecError, DeviceError.
  static TryDevice choose(const std::string& text);
  bool is_timed(bool has_host_times) const noexcept;
};

struct TryAnswer {
  /// RIGHT, WRONG, SUSPECT, UNSAFE or FAILED of the last file; if all files are right and timed,
  /// FASTER, SLOWER, SAME or UNSURE.
  std::string verdict = "FAILED";
  ExitCode exit_code = ExitCode::kOk;
  std::vector<ResultRecord> results = {};  ///< in the order of the files
  Judgement judgement{};                   ///< if they are timed and right
  double noise = kMissing;                 ///< relative, of the device
  std::vector<std::int64_t> extents = {};  ///< further sizes
  bool is_timed = false;
  std::string error = {};  ///< why nothing ran
};

/// The verdict on the results of a job.
TryAnswer answer_of(const ResultFile& file, const TryJob& job, const TryOptions& options);
/// The verdict if nothing ran.
TryAnswer failed_answer(const std::exception& error);

std::string to_text(const TryAnswer& answer);
/// The object described in `jobs/guide/judge.md`.
JudgedJson to_json(const TryAnswer& answer, const TryDevice& device);

}  // namespace kernelbatch::app
