// CaseRun: one case in a worker.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "core/case/case_variants.hpp"
#include "core/case/guard/process_watch.hpp"
#include "core/measure/case_eta.hpp"

namespace kernelbatch {

/// Runs the reference first: without it nothing can be verified, and so nothing is timed. Then
/// every variant is prepared, called once and verified by itself; correct variants are kept and
/// timed together, interleaved if the job requests that. Results are sent as soon as they are
/// final.
class CaseRun {
 public:
  CaseRun(CasePlace place, const RequestedCase& wanted, const WorkloadInfo& info,
          const LoadedProblem& loaded);
  ~CaseRun();
  CaseRun(const CaseRun&) = delete;
  CaseRun& operator=(const CaseRun&) = delete;

  /// Throws SpecError for a job that does not fit its workload, RunError if a reference that is not
  /// itself a requested result fails, StoreError.
  void run();
  /// The device or the process may be corrupted by a variant: nothing else may run in it. The case
  /// may then be incomplete; that has been reported.
  bool must_restart_worker() const noexcept { return must_restart_worker_; }
  /// The case is done, and the next one needs a fresh process.
  bool must_renew() const noexcept { return process_.must_renew(); }

 private:
  void run_reference();
  /// Creates further sets of inputs and runs the reference on them. Variants are timed on the first
  /// two.
  void make_second();
  SecondSet draw_second(const VariantDeclaration& reference);
  /// Fills ready_, until no variant waits or there is no memory for one more.
  void prepare_waiting();
  void prepare_next();
  /// Verifies a correct variant on the further sets of inputs, prepared for each of them.
  bool is_right_on_further(PreparedVariant& prepared);
  /// Times the variants in ready_ and sends their results.
  void time_ready();
  bool take_turn(const std::string& variant);
  void finish(std::unique_ptr<PreparedVariant> prepared, const std::exception_ptr& failure);
  void finish_reference(std::unique_ptr<PreparedVariant> prepared);
  /// Frees the variant's memory and returns its final record.
  ResultRecord end(std::unique_ptr<PreparedVariant> prepared, OutputArrays& got);
  void send_result(ResultRecord record, const OutputArrays& got);
  void send_findings();
  /// Checks what the previous variant did to this process. Returns false if neither its work nor
  /// anything else may run here any more; its result has been sent.
  bool pass_turn();

  CasePlace place_;
  CaseEtaEstimator eta_;
  const RequestedCase& wanted_;
  const CaseRequest& request_;
  const VerifySpec& verify_;
  const WorkloadInfo& info_;
  const LoadedProblem& loaded_;
  const Problem& problem_;
  CaseAnswers answers_;
  CaseVariants variants_;
  ProcessWatch process_;
  bool is_reference_retryable_ = false;  ///< it failed and is retried by a resumed run
  double reference_s_ = 0;
  /// The reference is a requested variant, which is prepared again and timed with the others.
  bool times_reference_ = false;
  double reference_compile_s_ = 0;
  std::deque<std::string> waiting_;
  std::vector<std::unique_ptr<PreparedVariant>> ready_;  ///< verified, to be timed
  bool lacks_memory_ = false, must_restart_worker_ = false;
};

}  // namespace kernelbatch
