// TimingOutlook: how long timing the variants of a case goes on.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace kernelbatch {

/// What evidence of a variant takes on a GPU by default: counters and twins.
constexpr double kUsualEvidenceSeconds = 0.6;

/// Told what happens, it says how long this goes on, at most some times a second. All times in
/// seconds; `now` never goes back.
class TimingOutlook {
 public:
  /// `left_s`: until the last variant has ended. `timing_s`: what all of them take without their
  /// evidence, so far and from now on; a process that times them again takes as long.
  using Say = std::function<void(double left_s, double timing_s)>;

  /// `evidence_s`: what evidence of one variant took last, 0 where none is gathered. It is kept
  /// there for the next case.
  TimingOutlook(Say say, double& evidence_s) : say_(std::move(say)), evidence_s_(evidence_s) {}

  /// So many variants are timed now, and so many after them.
  void begin(std::size_t ready, std::size_t waiting, double now);
  /// `known` of those that are ready have so long left, together.
  void on_timing(double left_s, std::size_t known, double now);
  /// Their timing has ended.
  void on_timed(double now);
  /// One of them has ended; of the time since the one before, this was for evidence.
  void on_end(double evidence_s, double now);

 private:
  void tell(double left_s, double group_s, double now);

  Say say_;
  double& evidence_s_;
  std::size_t ready_ = 0, waiting_ = 0, ended_ = 0;
  double begin_ = 0, timed_ = 0, spent_on_evidence_ = 0;
  double timing_s_ = 0;  ///< of the variants before these
  double group_s_ = 0;   ///< of these, without evidence
  double told_ = -1;
};

}  // namespace kernelbatch
