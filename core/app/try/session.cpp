#include "core/app/try/session.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/app/command.hpp"
#include "core/app/try/sizes.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/job/parse.hpp"

namespace kernelbatch::app {

TrySession::TrySession(Setting setting)
    : setting_(std::move(setting)),
      judge_({.worker_command = worker_command(),
              .device = setting_.device.selector,
              .device_name = setting_.device.name + ' ' + setting_.device.uuid,
              .interrupt = setting_.interrupt,
              .keeps_spare = setting_.keeps_spare}) {}

TryAnswer TrySession::answer(const TryOptions& options) {
  const ScratchFolder scratch;
  const auto at_extent = [&](std::int64_t extent, bool is_timed) {
    TryOptions sized = with_extent(options, extent, scratch.path());
    sized.is_timed = is_timed;
    const TryJob job = make_try_job(sized);
    JobSpec spec = parse_job(job.yaml, scratch.path() / "try.yaml");
    // A reference that is not one of the files only serves verification.
    for (const std::string& name : job.variants)
      spec.workloads.front().variants.push_back({.text = name, .place = {}});
    return answer_of(judge_.run(spec), job, sized);
  };
  try {
    const std::vector<std::int64_t> extents = extents_of(options);
    TryAnswer answer = at_extent(0, options.is_timed);
    answer.extents = extents;
    if (answer.exit_code != ExitCode::kOk) return answer;
    for (const std::int64_t extent : extents) {
      TryAnswer other = at_extent(extent, false);
      if (other.exit_code == ExitCode::kOk) continue;
      for (ResultRecord& record : other.results)
        if (record.status != Status::kOk)
          record.reason = fmt::format("with {} rows: {}", extent, record.reason);
      other.extents = extents;
      return other;
    }
    return answer;
  } catch (const Error& error) {
    if (error.exit_code() == ExitCode::kNoDevice || error.exit_code() == ExitCode::kResumable)
      throw;
    return failed_answer(error);
  }
}

}  // namespace kernelbatch::app
