#include "core/report/history/series_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.hpp"
#include "core/report/judged_report.hpp"

namespace kernelbatch::history {

SharedByAll::SharedByAll(const std::vector<const HistorySeries*>& series) {
  if (series.size() < 2) return;
  for (const auto& value : series.front()->params)
    if (std::ranges::all_of(series, [&](const HistorySeries* each) {
          return std::ranges::find(each->params, value) != each->params.end();
        }))
      params_.push_back(value);
  device_ = series.front()->device;
  if (std::ranges::any_of(series,
                          [&](const HistorySeries* each) { return each->device != device_; }))
    device_.clear();
}

std::string SharedByAll::title() const {
  std::vector<std::string> parts;
  if (!params_.empty()) parts.push_back(to_text(params_));
  if (!device_.empty()) parts.push_back(device_);
  return join(parts, " on ");
}

std::string SharedByAll::others(const HistorySeries& series) const {
  NamedValues others;
  for (const auto& value : series.params)
    if (std::ranges::find(params_, value) == params_.end()) others.push_back(value);
  std::string text = to_text(others);
  if (series.ordinal > 0)
    text += fmt::format("{}({})", text.empty() ? "" : " ", series.ordinal + 1);
  return text;
}

std::string SharedByAll::device(const HistorySeries& series) const {
  return device_.empty() ? series.device : "";
}

std::string whole_name(const HistorySeries& series) {
  std::vector<std::string> words{series.workload, series.variant};
  if (!series.params.empty()) words.push_back(to_text(series.params));
  if (series.ordinal > 0) words.push_back(fmt::format("({})", series.ordinal + 1));
  words.push_back("on " + series.device);
  return join(words, " ");
}

std::string short_commit(const std::string& commit) {
  constexpr std::size_t kLetters = 7;
  return commit.substr(0, kLetters);
}

std::string causes_text(const std::vector<ChangeCause>& causes) {
  std::vector<std::string> parts;
  for (const ChangeCause& cause : causes)
    parts.push_back(fmt::format("{} {} → {}", cause.name, cause.before, cause.after));
  return join(parts, ", ");
}

std::string change_in_words(const History& history, const AnalysedSeries& analysed,
                            const ExplainedChange& change) {
  const HistoryPoint& first = analysed.timed[change.point.index];
  std::string text =
      fmt::format("{} since {}", change_text(1 + change.point.change), day_text(first.start_ns));
  if (const std::string commit = history.commit_of(first); !commit.empty())
    text += ", commit " + short_commit(commit);
  if (!change.causes.empty()) text += ": " + causes_text(change.causes);
  return visible_line(text);
}

std::string_view failure_word(Status status) noexcept {
  switch (status) {
    case Status::kVerificationFailed:
      return "wrong";
    case Status::kOutOfMemory:
      return "out of memory";
    case Status::kTimedOut:
      return "timed out";
    case Status::kCompileFailed:
      return "not compiled";
    default:
      return to_text(status);
  }
}

std::string failures_text(const std::vector<HistoryPoint>& failures) {
  if (failures.empty()) return "";
  std::map<Status, std::size_t> counts;
  for (const HistoryPoint& point : failures) ++counts[point.status];
  std::vector<std::string> parts;
  for (const auto& [status, count] : counts)
    parts.push_back(fmt::format("{} {}", count, failure_word(status)));
  return fmt::format("{}, last {}", join(parts), day_text(failures.back().start_ns));
}

}  // namespace kernelbatch::history
