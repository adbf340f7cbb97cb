#include "core/report/history/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/report/history/gate_runs.hpp"
#include "core/report/history/point_order.hpp"
#include "core/report/history/series_words.hpp"
#include "core/report/host_times.hpp"

namespace kernelbatch {
namespace {

/// A series that is also missing in the baseline's last runs is not reported as gone.
constexpr std::size_t kRunsBeforeGone = 3;

class HistoryJudge {
 public:
  HistoryJudge(const History& history, const GateOptions& options)
      : history_(history), options_(options), sequences_(history, options.now_ns) {}

  GateResult judge() {
    require_baseline();
    result_.notes = sequences_.notes();
    for (const HistorySeries& series : history_.series) judge_series(series);
    const std::int64_t compared =
        std::ssize(result_.rows) - result_.count(Verdict::kNew) - result_.count(Verdict::kGone);
    if (compared == 0)
      throw SpecError(fmt::format(
          "nothing can be judged: of {} series {} are not in the baseline and {} not in the "
          "newest run, '{}'",
          result_.rows.size(), result_.count(Verdict::kNew), result_.count(Verdict::kGone),
          history_.files[newest_file()].string()));
    std::ranges::stable_sort(result_.rows, [](const GateRow& a, const GateRow& b) {
      const JudgedRow &of_a = a.judgement, &of_b = b.judgement;
      if (of_a.verdict != of_b.verdict) return of_a.verdict < of_b.verdict;
      const auto known = [](double ratio) { return std::isnan(ratio) ? 0 : ratio; };
      return known(of_a.ratio) > known(of_b.ratio);
    });
    return std::move(result_);
  }

 private:
  bool is_baseline(const HistoryPoint& point) const {
    if (options_.baseline.empty()) return true;
    return history_.environment_text(point.environment, "branch") == options_.baseline ||
           history::is_same_commit(history_.commit_of(point), options_.baseline);
  }

  /// Index of the point's newest run among the result's runs, which it is added to if it is the
  /// first of its sequence.
  std::size_t run_of(const HistoryPoint& point) {
    const history::RunSequence sequence = sequences_.sequence_of(point);
    const auto [found, is_new] = listed_.try_emplace(sequence, result_.runs.size());
    if (is_new) {
      const HistoryPoint& newest = sequences_.runs_of(sequence).back().last;
      result_.runs.push_back({newest.file, newest.start_ns, history_.text(newest.job),
                              sequence.device, history_.commit_of(newest),
                              history_.environment_text(newest.environment, "branch")});
    }
    return found->second;
  }

  std::size_t newest_file() const {
    return std::ranges::max_element(history_.latest, {}, &HistoryPoint::start_ns)->file;
  }

  void require_baseline() const {
    std::set<std::string> branches;
    for (const HistorySeries& series : history_.series)
      for (const HistoryPoint& point : series.points) {
        if (!sequences_.is_left_out(point) && !sequences_.is_newest(point) && is_baseline(point))
          return;
        branches.insert(history_.environment_text(point.environment, "branch"));
      }
    branches.erase("");
    const std::vector<std::string> names(branches.begin(), branches.end());
    if (options_.baseline.empty())
      throw SpecError(fmt::format("there is only one run, '{}': nothing to compare it with",
                                  history_.files[newest_file()].string()));
    throw SpecError(fmt::format(
        "no run other than the newest is of the branch or commit '{}'{}", options_.baseline,
        names.empty() ? ": no result has a branch" : suggestion(options_.baseline, names)));
  }

  /// Last point that belongs to the newest run; null if there is none.
  const HistoryPoint* newest_of(const HistorySeries& series) const {
    const auto found =
        std::find_if(series.points.rbegin(), series.points.rend(),
                     [&](const HistoryPoint& p) { return sequences_.is_current(p); });
    return found == series.points.rend() ? nullptr : &*found;
  }

  bool is_right(const HistoryPoint& point) const { return point.is_timed() && point.is_verified(); }

  /// Baseline points to compare `now` with, in order.
  std::vector<HistoryPoint> baseline_of(const HistorySeries& series,
                                        const HistoryPoint& now) const {
    std::vector<HistoryPoint> before;
    for (const HistoryPoint& point : series.points) {
      if (&point == &now && options_.baseline.empty()) break;
      if (sequences_.is_left_out(point)) continue;
      if (!sequences_.is_same_run(point, now) && is_baseline(point) && is_right(point))
        before.push_back(point);
    }
    return before;
  }

  void add(const HistorySeries& series, const HistoryPoint& last, GateRow row) {
    row.series = &series;
    row.run = run_of(last);
    ++result_.counts[static_cast<std::size_t>(row.judgement.verdict)];
    result_.rows.push_back(std::move(row));
  }

  void judge_series(const HistorySeries& series) {
    const HistoryPoint* now = newest_of(series);
    if (now == nullptr) return look_for_gone(series);
    const std::vector<HistoryPoint> before = baseline_of(series, *now);
    GateRow row;
    if (before.empty()) {
      row.judgement.verdict = Verdict::kNew;
      row.judgement.now = now->median;
      if (!now->is_timed()) row.judgement.note = now_in_words(*now);
    } else if (now->status == Status::kSkipped) {
      row.judgement.verdict = Verdict::kGone;
      row.judgement.note = now_in_words(*now);
    } else if (!now->is_timed()) {
      row.judgement.verdict = Verdict::kWrong;
      row.judgement.note = now_in_words(*now);
    } else {
      row = judge_time(before, *now);
      if (!are_judged(class_of_device(series.device), options_.has_host_times)) {
        leave_undecided(row.judgement);
        ++result_.not_compared;
      }
      add_verification(row, *now);
    }
    add(series, *now, std::move(row));
  }

  std::string now_in_words(const HistoryPoint& now) const {
    if (now.status == Status::kOk) return "not timed";
    std::string text(history::failure_word(now.status));
    if (now.reason >= 0) text += ": " + history_.text(now.reason);
    return visible_line(text);
  }

  GateRow judge_time(const std::vector<HistoryPoint>& before, const HistoryPoint& now) const {
    GateRow row;
    std::vector<SeriesPoint> values;
    std::vector<HistoryPoint> points;
    for (const HistoryPoint& point : before) {
      if (point.kind != now.kind) continue;
      values.push_back({point.median, point.low, point.high});
      points.push_back(point);
    }
    if (!values.empty()) {
      const Segment last = segments_of(values, find_change_points(values)).back();
      const auto segment = std::span(values).subspan(last.begin, last.end - last.begin);
      row.baseline_runs = segment.size();
      row.judgement = judge_run(segment, {now.median, now.low, now.high}, options_.gap);
      if (row.judgement.verdict == Verdict::kSlower || row.judgement.verdict == Verdict::kFaster)
        row.judgement.note = history::causes_text(causes_between(
            history_, std::span(points).subspan(last.begin, segment.size()), std::span(&now, 1)));
    } else {
      row.judgement.note = fmt::format("{} times now, others in the baseline", name_of(now.kind));
    }
    row.judgement.now = now.median;
    return row;
  }

  static void add_verification(GateRow& row, const HistoryPoint& now) {
    if (!now.is_verified() && row.judgement.verdict != Verdict::kSlower) {
      row.judgement.verdict = Verdict::kUnsure;
      row.judgement.note = "the newest run was not verified";
    }
    row.is_one_set = now.verification == Verification::kOneSet;
    if (row.is_one_set) row.judgement.note = join_nonempty({row.judgement.note, "one set"});
  }

  void look_for_gone(const HistorySeries& series) {
    const auto last = std::find_if(series.points.rbegin(), series.points.rend(), [&](auto& point) {
      return !sequences_.is_left_out(point) && is_baseline(point) && is_right(point);
    });
    if (last == series.points.rend()) return;
    const auto& runs = sequences_.runs_of(sequences_.sequence_of(*last));
    std::size_t looked_at = 0;
    bool is_recent = false;
    for (auto run = runs.rbegin() + 1; run != runs.rend() && looked_at < kRunsBeforeGone; ++run) {
      if (!is_baseline(run->last)) continue;
      ++looked_at;
      is_recent = is_recent || run->files.contains(last->file);
    }
    if (!is_recent) return;
    GateRow row;
    row.judgement.verdict = Verdict::kGone;
    row.judgement.before = last->median;
    row.judgement.note = "last on " + day_text(last->start_ns);
    add(series, *last, std::move(row));
  }

  const History& history_;
  const GateOptions& options_;
  history::RunSequences sequences_;
  std::map<history::RunSequence, std::size_t> listed_;
  GateResult result_;
};

}  // namespace

GateResult judge_history(const History& history, const GateOptions& options) {
  return HistoryJudge(history, options).judge();
}

}  // namespace kernelbatch
