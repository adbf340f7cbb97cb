// Ordered runs of one job on one kind of device, to find the newest.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/report/history/history.hpp"

namespace kernelbatch::history {

/// A job (number of its text) and a GPU's name (empty for the host).
struct RunSequence {
  std::int64_t job = -1;
  std::string device;
  auto operator<=>(const RunSequence&) const = default;
};

/// A file and its copies, which end with the same result.
struct SequenceRun {
  HistoryPoint last;
  std::set<std::size_t> files;
};

class RunSequences {
 public:
  /// Uses all results below the folders, including those that the history's filter excludes: an old
  /// run must not become the newest because the newest lacks the requested series. The history must
  /// outlive this object. Runs that start more than ten minutes after `now_ns`, by a clock that is
  /// ahead, are left out unless the list of commits orders them. Throws SpecError if such a file
  /// was written last, since it may be the newest run.
  RunSequences(const History& history, std::int64_t now_ns);

  RunSequence sequence_of(const HistoryPoint& point) const;
  /// Runs in order; at least one.
  const std::vector<SequenceRun>& runs_of(const RunSequence& sequence) const {
    return runs_.at(sequence);
  }
  /// True if its run has no place in the order.
  bool is_left_out(const HistoryPoint& point) const;
  /// A sentence for each run that is left out.
  const std::vector<std::string>& notes() const noexcept { return notes_; }
  bool is_newest(const HistoryPoint& point) const;
  /// True for the newest run and for runs of the same commit: a job may run in parts with different
  /// parameters.
  bool is_current(const HistoryPoint& point) const;
  bool is_same_run(const HistoryPoint& a, const HistoryPoint& b) const;

 private:
  std::size_t place_of(const HistoryPoint& point) const;
  void leave_out_future(const RunSequence& sequence, std::map<std::size_t, HistoryPoint>& files,
                        std::int64_t now_ns);

  const History& history_;
  std::map<RunSequence, std::vector<SequenceRun>> runs_;
  std::map<std::pair<RunSequence, std::size_t>, std::size_t> places_;  ///< of a sequence's files
  std::vector<std::string> notes_;
};

}  // namespace kernelbatch::history
