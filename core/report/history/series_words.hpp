// Names of series in tables: shared parts are in the title.
#pragma once

#include <string>
#include <vector>

#include "core/report/history/history.hpp"

namespace kernelbatch::history {

class SharedByAll {
 public:
  explicit SharedByAll(const std::vector<const HistorySeries*>& series);

  /// "n=1000 device=NVIDIA H100"; empty if nothing is shared or there is only one series.
  std::string title() const;
  /// Parameters of a series that not all series share.
  std::string others(const HistorySeries& series) const;
  /// The device; empty if all series share it.
  std::string device(const HistorySeries& series) const;

 private:
  NamedValues params_;
  std::string device_;
};

/// "saxpy raw n=1000 on NVIDIA H100": the whole name.
std::string whole_name(const HistorySeries& series);

/// The first letters of a commit.
std::string short_commit(const std::string& commit);

/// "driver 580.1 → 580.2, kernel text 0a1b2c3d → 4e5f6071".
std::string causes_text(const std::vector<ChangeCause>& causes);

/// "+3.2 % since 2026-10-03, commit abc1234: driver 580.1 → 580.2".
std::string change_in_words(const History& history, const AnalysedSeries& analysed,
                            const ExplainedChange& change);

/// "3 wrong, last 2026-11-02"; empty if nothing failed.
std::string failures_text(const std::vector<HistoryPoint>& failures);

/// A failure in one or two words.
std::string_view failure_word(Status status) noexcept;

}  // namespace kernelbatch::history
