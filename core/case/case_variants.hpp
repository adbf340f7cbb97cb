// CaseVariants: the variants of one case, as declared, requested and prepared.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/case/case_loader.hpp"
#include "core/case/message.hpp"
#include "core/case/reference_memo.hpp"
#include "core/case/requested_case.hpp"
#include "core/case/second_set.hpp"
#include "core/case/variant/prepared_variant.hpp"
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

/// The reference's outputs, for the case's inputs and for other sets.
struct CaseAnswers {
  HiddenOutputs want = {};
  SecondSet second = {};
  std::vector<SecondSet> further = {};             ///< of verify.input_sets above 2
  std::map<std::string, KnownAnswers> known = {};  ///< of each variant, for `second`
};

class CaseVariants {
 public:
  /// All arguments must outlive this object; `answers` may change.
  CaseVariants(const CasePlace& place, const RequestedCase& wanted, const WorkloadInfo& info,
               const LoadedProblem& loaded, const CaseAnswers& answers);
  CaseVariants(const CaseVariants&) = delete;
  CaseVariants& operator=(const CaseVariants&) = delete;

  /// Null if the workload has none of that name.
  const VariantDeclaration* declared(const std::string& name) const;
  bool is_wanted(const std::string& name) const;
  /// Nothing is checked between calls: a profiler, a debugger or the device's own checks are
  /// active.
  bool are_bare() const noexcept;
  /// Outputs with the tolerances that apply.
  std::vector<OutputArray> outputs_of(const std::string& variant, const Problem& problem) const;
  ResultRecord begin_record(const VariantDeclaration& variant) const;
  /// `of`: the problem to compute, this case's or one with other inputs; `want`: its expected
  /// outputs, null if the variant computes them as the reference.
  std::unique_ptr<PreparedVariant> make(const VariantDeclaration& variant, const LoadedProblem& of,
                                        const HiddenOutputs* want);

  /// Frees device memory that variants share, so that one of them fits. Returns false if there was
  /// none.
  bool drop_shared_copies() { return shared_.drop_device_copies(); }
  /// Wall time since the case began.
  double seconds() const { return seconds_since(begin_); }

 private:
  /// Bytes of the device that all variants together may use; 0 = no limit.
  double memory_limit() const;
  RunSetting setting_of(const VariantDeclaration& variant, const LoadedProblem& of,
                        const HiddenOutputs* want);

  MeasuringClock::time_point begin_ = MeasuringClock::now();
  const CasePlace& place_;
  const RequestedCase& wanted_;
  const CaseRequest& request_;
  const WorkloadInfo& info_;
  const LoadedProblem& loaded_;
  const CaseAnswers& answers_;
  Params params_;
  double memory_used_ = 0;  ///< of limits.memory, by all live variants
  SharedArrays shared_;
};

}  // namespace kernelbatch
