// CaseEtaEstimator: estimates how long timing the variants of a case will take.
#pragma once

#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>

namespace kernelbatch {

/// Remaining time of a worker for the variants of its case, in seconds.
struct CaseEta {
  double seconds = 0;  ///< until the last variant has ended
  /// Total time for timing them, past and future, without evidence: each further process that times
  /// them needs it again.
  double timing_s = 0;
  double evidence_s = 0;  ///< last duration of one variant's evidence; 0 = none is gathered
  static constexpr auto kMembers =
      std::tuple{&CaseEta::seconds, &CaseEta::timing_s, &CaseEta::evidence_s};
};

/// Receives events and reports the remaining time, at most a few times per second. All times in
/// seconds; `now` never decreases.
class CaseEtaEstimator {
 public:
  /// `evidence_s`: expected duration of one variant's evidence, 0 if none is gathered.
  CaseEtaEstimator(std::function<void(CaseEta)> send, double evidence_s)
      : send_(std::move(send)), evidence_s_(evidence_s) {}

  /// `ready` variants are timed now, and `waiting` after them.
  void begin(std::size_t ready, std::size_t waiting, double now);
  /// True if a report is due: asking timers for their remaining time costs a sort.
  bool is_due(double now) const;
  /// `known` of the ready variants need `left_s` more, together.
  void on_timing(double left_s, std::size_t known, double now);
  /// Their timing has ended.
  void on_timed(double now);
  /// One of them has ended, after gathering evidence for `evidence_s`.
  void on_end(double evidence_s, double now);

 private:
  void send(double left_s, double group_s, double now);

  std::function<void(CaseEta)> send_;
  double evidence_s_;
  std::size_t ready_ = 0, waiting_ = 0, ended_ = 0;
  double begin_ = 0, timed_ = 0, spent_on_evidence_ = 0;
  double timing_s_ = 0;  ///< of the variants before these
  double group_s_ = 0;   ///< of these, without evidence
  double told_ = -1;
};

}  // namespace kernelbatch
