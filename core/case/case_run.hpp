// CaseRun: one case in a worker.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/case/case_loader.hpp"
#include "core/case/message.hpp"
#include "core/case/prepared_variant.hpp"
#include "core/case/process_state.hpp"
#include "core/case/reference_memo.hpp"
#include "core/case/requested_case.hpp"
#include "core/case/second_set.hpp"
#include "core/measure/outlook.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Where a case runs and whom it tells.
struct CasePlace {
  Device& device;
  TimingTools& tools;
  CheckKernels& checks;
  /// The case's problem once more, with other random inputs.
  std::function<LoadedProblem(std::uint64_t shift)> load_again;
  ReferenceMemo& references;
  std::string cpu;    ///< what references ran on, as results say it
  double evidence_s;  ///< that evidence of one variant is expected to take; 0 = none is gathered
  std::function<void(Reply reply)> say;
  std::function<void(const std::string& variant, Phase phase)> on_phase;
};

/// The reference first: without it nothing can be verified, and so nothing is timed. Then every
/// variant is prepared, runs once and is verified alone; those that are right are kept and timed
/// together, in turns where the job asks for that. Results are said as soon as they are final.
class CaseRun {
 public:
  CaseRun(CasePlace place, const RequestedCase& wanted, const WorkloadInfo& info,
          const LoadedProblem& loaded);
  ~CaseRun();
  CaseRun(const CaseRun&) = delete;
  CaseRun& operator=(const CaseRun&) = delete;

  /// Throws SpecError for a job that does not fit its workload, RunError where a reference fails
  /// that is no result itself, StoreError.
  void run();
  /// The device, or what variants left of this process, is in doubt: it must not run anything else.
  /// Then the case may not be done, which was said.
  bool is_sick() const noexcept { return is_sick_; }
  /// The case is done, and the next one needs a fresh process.
  bool must_renew() const noexcept { return must_renew_; }

 private:
  const VariantDeclaration* declared(const std::string& name) const;
  void run_reference();
  bool take_cached_reference();
  /// `of`: the problem that it is to compute, this case's or the one with other inputs.
  std::unique_ptr<PreparedVariant> make(const VariantDeclaration& variant, const Problem& of);
  std::vector<OutputArray> outputs_of(const std::string& variant, const Problem& problem) const;
  /// Makes other inputs and runs the reference on them, where variants are to be timed on both.
  void make_second();
  /// Fills ready_, until no variant waits or there is no memory for one more.
  void prepare_waiting();
  void prepare_next();
  /// Times what is in ready_ and says its results.
  void time_ready();
  void finish(std::unique_ptr<PreparedVariant> prepared, const std::exception_ptr& failure);
  /// Runs a step of a variant; what it throws goes to its record. Returns whether it threw nothing.
  bool attempt(PreparedVariant& prepared, const std::function<void()>& step);
  ResultRecord begin_record(const VariantDeclaration& variant) const;
  void send_result(ResultRecord record, const OutputArrays& got);
  bool is_wanted(const std::string& variant) const;
  /// Bytes of the device that the variants may use together; 0 = any.
  double memory_limit() const;
  Residue look_around();
  /// Looks at what the variant before left of this process. False where its work must not have
  /// another turn, nor anything else here: its result was said.
  bool pass_turn();
  /// Nothing is looked at between calls: a profiler or the device's own checks watch.
  bool is_bare() const { return request_.is_profile || !request_.sanitize.empty(); }
  void tell_findings();

  MeasuringClock::time_point begin_ = MeasuringClock::now();
  CasePlace place_;
  TimingOutlook outlook_;
  const RequestedCase& wanted_;
  const CaseRequest& request_;
  const VerifySpec& verify_;
  const WorkloadInfo& info_;
  const Problem& problem_;
  const NamedArrays& inputs_;
  bool is_reference_retryable_ = false;              ///< it failed, and a resumed run tries again
  const std::vector<HostArrayLog::Memory>& memory_;  ///< of the problem's arrays
  std::string reference_key_;
  double device_bytes_ = 0;
  Params params_;
  double memory_used_ = 0;  ///< of limits.memory, by all that is alive
  SharedArrays shared_;
  std::deque<std::string> waiting_;
  std::vector<std::unique_ptr<PreparedVariant>> ready_;  ///< verified, to be timed
  OutputArrays want_;
  SecondSet second_;
  ProcessState first_, last_;  ///< before the first variant; before the one that runs
  std::string running_;        ///< whose work ran last, until what it left was looked at
  double reference_s_ = 0;
  bool lacks_memory_ = false, is_sick_ = false, must_renew_ = false;
};

}  // namespace kernelbatch
