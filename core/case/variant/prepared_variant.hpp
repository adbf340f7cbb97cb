// PreparedVariant: one variant of one case, from its preparation to its result.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/case/memory_budget.hpp"
#include "core/case/prepared_memory.hpp"
#include "core/case/variant/variant_outputs.hpp"
#include "core/device/annotation.hpp"
#include "core/job/spec.hpp"
#include "core/measure/timer.hpp"
#include "core/result/record.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Settings of one variant's run.
struct RunSetting {
  std::vector<OutputArray> outputs;  ///< with the tolerances that apply
  const Params& params;
  const MeasureSpec& measure;
  SharedArrays& shared;                 ///< of the case
  KeptArrays kept = KeptArrays::kNone;  ///< outputs to be stored
  int repeat = 1;                       ///< verified calls before anything is timed
  bool must_be_deterministic = false;
  const NamedArrays& inputs;  ///< of the case, for their names
  HostMemory problem = {};    ///< memory of the problem's arrays
  std::string vacuous = {};   ///< a wrong answer within its tolerances; empty: none
  std::string known = {};     ///< why an answer known in advance would pass; empty: it would not
  const HiddenOutputs* want = nullptr;  ///< null: this run computes the reference
  bool is_timed = true;
  double drop_above = 0;       ///< s; timing ends if the first sample is longer; 0: no limit
  bool lists_launches = true;  ///< in one more run, after all timing
  bool is_explained = true;    ///< by counters and twins, according to `measure`
  /// Wall time of the case so far; this variant's part.
  std::function<double()> spent_s;
  MemoryBudget::Setting memory = {};
  std::function<void(Phase phase)> on_phase;
};

/// A second set of inputs with its expected outputs.
struct SecondInputs {
  const Problem& problem;
  std::vector<OutputArray> outputs;  ///< with the tolerances that apply
  const HiddenOutputs& want;
  const NamedArrays& inputs;
  /// Memory of inputs whose elements may be permuted.
  const std::vector<const std::byte*>& drawn;
  const HostMemory& problem_memory;
  std::int64_t seed = 0;
};

/// Its steps in this order: prepare(), verify(); if that returns true, timer() while it wants
/// samples, unless it is only verified; then finish(). Each propagates the variant's exceptions and
/// fills the record: status, errors, times, kernels, launches.
class PreparedVariant {
 public:
  PreparedVariant(const VariantDeclaration& variant, RunSetting setting, ResultRecord record);
  virtual ~PreparedVariant();
  PreparedVariant(const PreparedVariant&) = delete;
  PreparedVariant& operator=(const PreparedVariant&) = delete;

  virtual void prepare(const Problem& problem) = 0;
  /// Calls the work and compares the outputs. Returns true if it is to be timed.
  virtual bool verify() = 0;
  /// After verify(): calls the work on the other inputs, which later alternate with the first ones.
  /// If that is impossible, adds a note with the reason.
  virtual void add_second_set(const SecondInputs&) {}
  /// It was verified on one more set of inputs.
  void add_further_set() {
    ++further_sets_;
    ++record_.input_sets;
  }
  /// Created by the first call.
  virtual VariantTimer& timer(TimingTools& tools) = 0;
  virtual void finish() = 0;
  /// Before another variant's turn: removes this variant's outputs from the device.
  virtual void leave_turn() {}
  /// Outputs to be stored, and those of a reference: in host memory, of the first call, or of the
  /// one that was wrong.
  virtual OutputArrays take_outputs() = 0;

  const VariantDeclaration& variant() const noexcept { return variant_; }
  ResultRecord& record() noexcept { return record_; }
  Phase phase() const noexcept { return phase_; }
  /// Gathering evidence crashed the device, which cannot be used any more. The result is correct.
  bool has_lost_device() const noexcept { return has_lost_device_; }
  /// Duration of gathering its evidence.
  double evidence_s() const noexcept { return evidence_s_; }

 protected:
  /// Closes this variant's profiler ranges before another variant's begin, since ranges nest.
  struct RangeEnd {
    explicit RangeEnd(PreparedVariant& of) : variant(of) {}
    ~RangeEnd() { variant.range_.reset(); }
    RangeEnd(const RangeEnd&) = delete;
    RangeEnd& operator=(const RangeEnd&) = delete;
    PreparedVariant& variant;
  };
  void enter(Phase phase);
  /// Makes the result suspect; the first reason is kept.
  void suspect(const std::string& reason);
  /// Makes the result suspect if a wrong answer would pass.
  void suspect_vacuous();

  const VariantDeclaration& variant_;
  RunSetting setting_;
  ResultRecord record_;
  Phase phase_ = Phase::kNone;
  bool has_lost_device_ = false;
  double evidence_s_ = 0;
  std::int64_t further_sets_ = 0;  ///< beyond two
  MemoryBudget budget_;
  VariantOutputs outputs_;

 private:
  std::optional<AnnotatedRange> range_;
};

/// Runs a step of a variant; exceptions are stored in its record. Returns true if there was none.
bool attempt(PreparedVariant& prepared, const std::function<void()>& step);

}  // namespace kernelbatch
