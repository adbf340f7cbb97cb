// TimingOutlook: how long timing the variants of a case goes on.
#pragma once

#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>

namespace kernelbatch {

/// How long a worker goes on with the variants of its case, in seconds.
struct TimeLeft {
  double seconds = 0;  ///< until the last one has ended
  /// What timing them takes in all, so far and from now on, without the evidence: each further
  /// process that times them does this again.
  double timing_s = 0;
  double evidence_s = 0;  ///< what evidence of one variant took last; 0 = none is gathered
  static constexpr auto kMembers =
      std::tuple{&TimeLeft::seconds, &TimeLeft::timing_s, &TimeLeft::evidence_s};
};

/// Told what happens, it says how long this goes on, at most some times a second. All times in
/// seconds; `now` never goes back.
class TimingOutlook {
 public:
  /// `evidence_s`: what evidence of one variant is expected to take, 0 where none is gathered.
  TimingOutlook(std::function<void(TimeLeft)> say, double evidence_s)
      : say_(std::move(say)), evidence_s_(evidence_s) {}

  /// So many variants are timed now, and so many after them.
  void begin(std::size_t ready, std::size_t waiting, double now);
  /// Whether it would say anything now: asking timers what they have left costs a sort.
  bool is_due(double now) const;
  /// `known` of those that are ready have so long left, together.
  void on_timing(double left_s, std::size_t known, double now);
  /// Their timing has ended.
  void on_timed(double now);
  /// One of them has ended; of the time since the one before, this was for evidence.
  void on_end(double evidence_s, double now);

 private:
  void tell(double left_s, double group_s, double now);

  std::function<void(TimeLeft)> say_;
  double evidence_s_;
  std::size_t ready_ = 0, waiting_ = 0, ended_ = 0;
  double begin_ = 0, timed_ = 0, spent_on_evidence_ = 0;
  double timing_s_ = 0;  ///< of the variants before these
  double group_s_ = 0;   ///< of these, without evidence
  double told_ = -1;
};

}  // namespace kernelbatch
