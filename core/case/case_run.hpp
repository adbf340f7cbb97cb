// CaseRun: one case in a worker.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/case/case_loader.hpp"
#include "core/case/guard/process_state.hpp"
#include "core/case/message.hpp"
#include "core/case/reference_memo.hpp"
#include "core/case/requested_case.hpp"
#include "core/case/second_set.hpp"
#include "core/case/variant/prepared_variant.hpp"
#include "core/measure/case_eta.hpp"
#include "core/verify/known_answers.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Environment of a case, and receivers of its messages.
struct CasePlace {
  Device& device;
  TimingTools& tools;
  CheckKernels& checks;
  /// Loads the case's problem again, with other random inputs.
  std::function<LoadedProblem(std::uint64_t shift)> load_again;
  ReferenceMemo& references;
  std::string cpu;    ///< CPU of references, as text for results
  double evidence_s;  ///< expected duration of one variant's evidence; 0 = none is gathered
  std::function<void(Reply reply)> send;
  std::function<void(const std::string& variant, Phase phase)> on_phase;
};

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
  bool must_renew() const noexcept { return must_renew_; }

 private:
  const VariantDeclaration* declared(const std::string& name) const;
  void run_reference();
  bool take_cached_reference();
  /// `of`: the problem to compute, this case's or the one with other inputs.
  std::unique_ptr<PreparedVariant> make(const VariantDeclaration& variant, const Problem& of);
  std::vector<OutputArray> outputs_of(const std::string& variant, const Problem& problem) const;
  /// Creates a second set of inputs and runs the reference on it, if variants are to be timed on
  /// both.
  void make_second();
  SecondSet draw_second(const VariantDeclaration& reference);
  /// Compares the answers to both sets with each variant's tolerance. False if one accepts the
  /// answer to the first set for the second.
  bool compare_answers();
  /// Fills ready_, until no variant waits or there is no memory for one more.
  void prepare_waiting();
  void prepare_next();
  /// Times the variants in ready_ and sends their results.
  void time_ready();
  void finish(std::unique_ptr<PreparedVariant> prepared, const std::exception_ptr& failure);
  /// Runs a step of a variant; exceptions are stored in its record. Returns true if there was none.
  bool attempt(PreparedVariant& prepared, const std::function<void()>& step);
  ResultRecord begin_record(const VariantDeclaration& variant) const;
  void send_result(ResultRecord record, const OutputArrays& got);
  bool is_wanted(const std::string& variant) const;
  /// Bytes of the device that all variants together may use; 0 = no limit.
  double memory_limit() const;
  ProcessDelta process_changes();
  /// Checks what the previous variant did to this process. Returns false if neither its work nor
  /// anything else may run here any more; its result has been sent.
  bool pass_turn();
  /// Nothing is checked between calls: a profiler, a debugger or the device's own checks are
  /// active.
  bool is_bare() const {
    return request_.is_profile || request_.is_single_call || !request_.sanitize.empty();
  }
  void send_findings();

  MeasuringClock::time_point begin_ = MeasuringClock::now();
  CasePlace place_;
  CaseEtaEstimator eta_;
  const RequestedCase& wanted_;
  const CaseRequest& request_;
  const VerifySpec& verify_;
  const WorkloadInfo& info_;
  const Problem& problem_;
  const NamedArrays& inputs_;
  bool is_reference_retryable_ = false;              ///< it failed and is retried by a resumed run
  const std::vector<HostArrayLog::Memory>& memory_;  ///< of the problem's arrays
  std::string reference_key_;
  double device_bytes_ = 0;
  Params params_;
  double memory_used_ = 0;  ///< of limits.memory, by all live variants
  SharedArrays shared_;
  std::deque<std::string> waiting_;
  std::vector<std::unique_ptr<PreparedVariant>> ready_;  ///< verified, to be timed
  OutputArrays want_;
  SecondSet second_;
  std::map<std::string, KnownAnswers> known_;  ///< of each variant, for second_
  ProcessState first_, last_;                  ///< before the first variant; before the current one
  std::string running_;  ///< last variant that ran, until its process state is checked
  double reference_s_ = 0;
  bool lacks_memory_ = false, must_restart_worker_ = false, must_renew_ = false;
};

}  // namespace kernelbatch
