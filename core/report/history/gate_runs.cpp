#include "core/report/history/gate_runs.hpp"

#include "core/report/history/point_order.hpp"

namespace kernelbatch::history {

RunSequences::RunSequences(const History& history) : history_(history) {
  std::map<RunSequence, std::map<std::size_t, HistoryPoint>> last_of_files;
  for (const HistoryPoint& point : history.latest) {
    HistoryPoint& last =
        last_of_files[sequence_of(point)].try_emplace(point.file, point).first->second;
    if (last.start_ns < point.start_ns) last = point;
  }
  for (const auto& [sequence, files] : last_of_files) {
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

std::size_t RunSequences::place_of(const HistoryPoint& point) const {
  return places_.at({sequence_of(point), point.file});
}

bool RunSequences::is_newest(const HistoryPoint& point) const {
  return place_of(point) + 1 == runs_of(sequence_of(point)).size();
}

bool RunSequences::is_current(const HistoryPoint& point) const {
  if (is_newest(point)) return true;
  const std::string commit = history_.commit_of(point);
  return !commit.empty() && commit == history_.commit_of(runs_of(sequence_of(point)).back().last);
}

bool RunSequences::is_same_run(const HistoryPoint& a, const HistoryPoint& b) const {
  return sequence_of(a) == sequence_of(b) && place_of(a) == place_of(b);
}

}  // namespace kernelbatch::history
