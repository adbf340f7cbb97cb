// PreparedVariant: one variant of one case, from its preparation to its result.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/case/memory_budget.hpp"
#include "core/case/reference_outputs.hpp"
#include "core/case/thread_times.hpp"
#include "core/case/variant/checked_calls.hpp"
#include "core/case/variant/variant_outputs.hpp"
#include "core/device/access_checks.hpp"
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
  CheckKernels* checks = nullptr;       ///< null: calls are not checked, as for a profiler
  const NamedArrays* inputs = nullptr;  ///< of the case, for their names
  std::vector<HostArrayLog::Memory> problem = {};  ///< memory of the problem's arrays
  std::string vacuous = {};  ///< a wrong answer within its tolerances; empty: none
  std::string known = {};    ///< why an answer known in advance would pass; empty: it would not
  const OutputArrays* want = nullptr;  ///< null: this run computes the reference
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
  const OutputArrays& want;
  const NamedArrays& inputs;
  /// Memory of inputs whose elements may be permuted.
  const std::vector<const std::byte*>& drawn;
  const std::vector<HostArrayLog::Memory>& problem_memory;
  std::int64_t seed = 0;
};

/// The harness behind Run, and its steps in this order: prepare(), verify(); if that returns true,
/// timer() while it wants samples; then finish(). Each propagates the variant's exceptions and
/// fills the record: status, errors, times, kernels, launches. `device` is null for a reference,
/// which uses plain host memory and is timed by verify().
class PreparedVariant final : public Run {
 public:
  PreparedVariant(const VariantDeclaration& variant, Device* device, RunSetting setting,
                  ResultRecord record);
  ~PreparedVariant() override;

  void prepare(const Problem& problem);
  /// Calls the work `repeat` times and compares the outputs. Returns true if it is to be timed.
  bool verify();
  /// After verify(): calls the work on the other inputs, which later alternate with the first ones.
  /// If that is impossible, adds a note with the reason.
  void add_second_set(const SecondInputs& second);
  /// Created by the first call.
  VariantTimer& timer(TimingTools& tools);
  void finish();
  /// Before another variant's turn: removes this variant's outputs from the device.
  void leave_turn();

  const VariantDeclaration& variant() const noexcept { return variant_; }
  ResultRecord& record() noexcept { return record_; }
  Phase phase() const noexcept { return phase_; }
  /// Gathering evidence crashed the device, which cannot be used any more. The result is correct.
  bool has_lost_device() const noexcept { return has_lost_device_; }
  /// Duration of gathering its evidence.
  double evidence_s() const noexcept { return evidence_s_; }
  /// Outputs to be stored, and those of a reference: in host memory, of the first call, or of the
  /// one that was wrong.
  OutputArrays take_outputs();

  const Params& params() const override { return setting_.params; }
  Device& device() override;
  Stream& stream(int number) override;
  Array to_device(const Array& host) override;
  Array scratch(DType dtype, const Shape& shape) override;
  Array output(std::string_view name) override;

 private:
  /// Closes this variant's profiler ranges before another variant's begin, since ranges nest.
  struct RangeEnd {
    explicit RangeEnd(PreparedVariant& of) : variant(of) {}
    ~RangeEnd() { variant.range_.reset(); }
    RangeEnd(const RangeEnd&) = delete;
    RangeEnd& operator=(const RangeEnd&) = delete;
    PreparedVariant& variant;
  };
  void enter(Phase phase);
  void call();
  void verify_on_cpu();
  bool verify_on_device();
  void first_call();
  void describe(const Array& array, const std::string& name, ArrayUse use);
  void describe_upload(const Array& host, const Array& copied);
  void make_checks();
  void prepare_second(const SecondInputs& second);
  Array second_on_device(const SecondInputs& second, const Array& host);
  void look_for_answer();
  void check_use_of_inputs();
  bool distinguishes_sets();
  void suspect(const std::string& reason);
  void drop(Timing timing);
  void measure_energy();
  double bytes_through_memory() const;
  double output_bytes() const;
  std::vector<Stream*> streams() const;
  void record_checks();
  void record_kernels();
  void list_launches();
  void gather_evidence();
  void read_counters_and_twins();
  void wait_for_streams();

  const VariantDeclaration& variant_;
  Device* device_;
  RunSetting setting_;
  ResultRecord record_;
  Phase phase_ = Phase::kNone;
  std::vector<std::unique_ptr<Stream>> streams_;
  ReferenceOutputs reference_;
  ThreadTimes threads_before_;  ///< before the preparation
  std::string busy_threads_, prepared_answer_;
  TimingTools* tools_ = nullptr;
  std::vector<ProgramLog::Entry> kernels_;  ///< of the first call
  bool has_lost_device_ = false;
  double evidence_s_ = 0;
  double slowest_set_s_ = 0;  ///< largest median of the cold samples of one set of inputs
  MemoryBudget budget_;
  VariantOutputs outputs_;
  std::optional<AnnotatedRange> range_;
  // Declared last, destroyed first: they use members above.
  std::unique_ptr<PreparedMemory> memory_;
  Work work_;
  std::unique_ptr<CheckedCalls> calls_;
  std::unique_ptr<CallChecks> bare_calls_;
  std::unique_ptr<VariantTimer> timer_;
};

}  // namespace kernelbatch
