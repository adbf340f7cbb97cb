#include "core/run/run_summary.hpp"

#include <algorithm>
#include <utility>

namespace kernelbatch {

bool is_failure(Status status) noexcept {
  return status != Status::kOk && status != Status::kSkipped && status != Status::kDropped;
}

void leave_out_details(ResultRecord& record) {
  // Assigning an empty list would keep the memory.
  std::exchange(record.samples, {});
  std::exchange(record.launches, {});
  std::exchange(record.kernels, {});
  for (OutputRecord& output : record.outputs) {
    std::exchange(output.help, {});
    std::exchange(output.xxh3, {});
  }
}

void RunSummary::add(ResultRecord record, bool is_try) {
  ++of_status[static_cast<std::size_t>(record.status)];
  if (is_try) ++of_tries[static_cast<std::size_t>(record.status)];
  ++total;
  if (record.status == Status::kOk &&
      std::ranges::none_of(record.outputs,
                           [](const OutputRecord& output) { return output.mode == "none"; }))
    ++verified;
  if (results.size() >= listed &&
      (!is_failure(record.status) || results.size() >= listed + listed / 20))
    return;
  leave_out_details(record);
  results.push_back(std::move(record));
}

ExitCode RunSummary::exit_code() const noexcept {
  if (was_interrupted) return ExitCode::kResumable;
  if (!problems.empty()) return ExitCode::kStoreFailed;
  ExitCode code = ExitCode::kOk;
  for (std::size_t k = 0; k < of_status.size(); ++k) {
    const auto status = static_cast<Status>(k);
    if (of_status[k] == 0) continue;
    if (status == Status::kVerificationFailed || status == Status::kSuspect ||
        status == Status::kUnsafe)
      return ExitCode::kVerificationFailed;
    if (is_failure(status) && (of_status[k] > of_tries[k] || searches_without_result > 0))
      code = ExitCode::kCaseFailed;
  }
  return code;
}

}  // namespace kernelbatch
