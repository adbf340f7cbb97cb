// CaseRun: one case in a worker.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "core/plugin/workload.hpp"
#include "core/run/case_loader.hpp"
#include "core/run/case_request.hpp"
#include "core/run/process_state.hpp"
#include "core/run/rounds.hpp"
#include "core/run/run_context.hpp"

namespace kernelbatch {

/// Where a case runs and whom it tells.
struct CasePlace {
  Device& device;
  TimingTools& tools;
  std::string cpu;  ///< what references ran on, as results say it
  std::function<void(WorkerMessage message)> say;
  std::function<void(const std::string& variant, const std::string& phase)> on_phase;
};

/// The reference first: without it nothing can be verified, and so nothing is timed. Then every
/// variant runs once and is verified alone; those that are right are timed together, in turns where
/// the job asks for that. Results are said as soon as they are final.
class CaseRun {
 public:
  CaseRun(CasePlace place, const CaseRequest& request, const WorkloadInfo& info,
          const LoadedProblem& loaded);

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
  bool run_next();
  /// False where it has to wait for memory that the held variants occupy.
  bool run_variant(const VariantDeclaration& variant);
  void run_function(const VariantDeclaration& variant, const RunSetting& setting,
                    ResultRecord& record, OutputArrays& got);
  Timing time(const std::string& variant, const std::function<void()>& work,
              std::vector<Stream*> streams);
  ResultRecord begin_record(const VariantDeclaration& variant) const;
  void send_result(ResultRecord record, const OutputArrays& got);
  bool is_wanted(const std::string& variant) const;
  Residue look_around();
  void take_over_from_last();

  CasePlace place_;
  const CaseRequest& request_;
  const WorkloadInfo& info_;
  const Problem& problem_;
  std::string reference_key_;
  double device_bytes_ = 0;
  Params params_;
  Rounds rounds_;
  std::deque<std::string> waiting_;
  OutputArrays want_;
  std::string phase_;
  ProcessState first_, last_;  ///< before the first variant; before the one that runs
  std::string running_;        ///< whose work ran last, until what it left was looked at
  double memory_used_ = 0, reference_s_ = 0;
  bool lacks_memory_ = false, is_sick_ = false, must_renew_ = false;
};

/// Whether kernels of that kind work in pieces on arrays that do not fit on the device.
bool may_stream(VariantKind kind) noexcept;

/// Bytes that `limits.memory`, a share or a size, allows on a device.
double memory_limit_bytes(const std::string& text, const DeviceProperties& device);

/// Sets status, phase and reason from what a variant or its preparation threw.
void record_failure(const std::exception& error, const std::string& phase, ResultRecord& record);

}  // namespace kernelbatch
