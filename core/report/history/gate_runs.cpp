#include "core/report/history/gate_runs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/error.hpp"
#include "core/report/history/point_order.hpp"

namespace kernelbatch::history {
namespace {

constexpr std::int64_t kClockDifference = 600'000'000'000;  // ns

std::filesystem::file_time_type written_at(const std::filesystem::path& file) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file, error);
  return error ? std::filesystem::file_time_type::max() : time;
}

}  // namespace

RunSequences::RunSequences(const History& history, std::int64_t now_ns) : history_(history) {
  std::map<RunSequence, std::map<std::size_t, HistoryPoint>> last_of_files;
  for (const HistoryPoint& point : history.latest) {
    HistoryPoint& last =
        last_of_files[sequence_of(point)].try_emplace(point.file, point).first->second;
    if (last.start_ns < point.start_ns) last = point;
  }
  for (auto& [sequence, files] : last_of_files) {
    leave_out_future(sequence, files, now_ns);
    std::map<std::int64_t, SequenceRun> by_time;
    for (const auto& [file, last] : files)
      by_time.try_emplace(last.start_ns, SequenceRun{last, {}}).first->second.files.insert(file);
    std::vector<const SequenceRun*> runs;
    std::vector<Moment> moments;
    for (const auto& [time, run] : by_time) {
      runs.push_back(&run);
      moments.push_back({time, history.ranks.at(run.last.environment)});
    }
    for (const std::size_t k : order_of_moments(moments)) {
      for (const std::size_t file : runs[k]->files)
        places_[{sequence, file}] = runs_[sequence].size();
      runs_[sequence].push_back(*runs[k]);
    }
  }
}

RunSequence RunSequences::sequence_of(const HistoryPoint& point) const {
  return {point.job, history_.environment_text(point.environment, "gpu_name")};
}

void RunSequences::leave_out_future(const RunSequence& sequence,
                                    std::map<std::size_t, HistoryPoint>& files,
                                    std::int64_t now_ns) {
  const auto is_future = [&](const HistoryPoint& last) {
    return last.start_ns > now_ns + kClockDifference && history_.ranks.at(last.environment) < 0;
  };
  auto last_write = std::filesystem::file_time_type::min();
  for (const auto& [file, last] : files)
    if (!is_future(last)) last_write = std::max(last_write, written_at(history_.files[file]));
  std::erase_if(files, [&](const auto& each) {
    const auto& [file, last] = each;
    if (!is_future(last)) return false;
    const std::string what = fmt::format("'{}' starts in the future ({})",
                                         history_.files[file].string(), minute_text(last.start_ns));
    if (written_at(history_.files[file]) >= last_write)
      throw SpecError(
          fmt::format("{}, by a clock that is ahead, and may be the newest run of '{}': give the "
                      "order of the commits with --commits, or remove the file",
                      what, history_.text(sequence.job)));
    notes_.push_back(what + ": this run is left out, because its clock was ahead");
    return true;
  });
}

bool RunSequences::is_left_out(const HistoryPoint& point) const {
  return !places_.contains({sequence_of(point), point.file});
}

std::size_t RunSequences::place_of(const HistoryPoint& point) const {
  return places_.at({sequence_of(point), point.file});
}

bool RunSequences::is_newest(const HistoryPoint& point) const {
  if (is_left_out(point)) return false;
  return place_of(point) + 1 == runs_of(sequence_of(point)).size();
}

bool RunSequences::is_current(const HistoryPoint& point) const {
  if (is_left_out(point)) return false;
  if (is_newest(point)) return true;
  const std::string commit = history_.commit_of(point);
  return !commit.empty() && commit == history_.commit_of(runs_of(sequence_of(point)).back().last);
}

bool RunSequences::is_same_run(const HistoryPoint& a, const HistoryPoint& b) const {
  return sequence_of(a) == sequence_of(b) && place_of(a) == place_of(b);
}

}  // namespace kernelbatch::history
