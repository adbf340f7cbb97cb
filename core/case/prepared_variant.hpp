// PreparedVariant: one variant of one case, from its preparation to its result.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/case/checked_calls.hpp"
#include "core/case/memory_budget.hpp"
#include "core/case/reference_outputs.hpp"
#include "core/case/thread_times.hpp"
#include "core/case/variant_outputs.hpp"
#include "core/device/access_checks.hpp"
#include "core/device/annotation.hpp"
#include "core/job/spec.hpp"
#include "core/measure/timer.hpp"
#include "core/result/record.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// What a variant is run with.
struct RunSetting {
  std::vector<OutputArray> outputs;  ///< with the tolerances that hold
  const Params& params;
  const MeasureSpec& measure;
  SharedArrays& shared;                 ///< of the case
  KeptArrays kept = KeptArrays::kNone;  ///< which outputs the result is to have
  int repeat = 1;                       ///< verified calls before anything is timed
  bool must_be_deterministic = false;
  CheckKernels* checks = nullptr;       ///< null: calls are not looked at, as for a profiler
  const NamedArrays* inputs = nullptr;  ///< of the case, for their names
  std::vector<HostArrayLog::Memory> problem = {};  ///< memory of the problem's arrays
  std::string vacuous = {};  ///< what wrong answer its tolerances would let pass; empty: none
  std::string known = {};    ///< why an answer known in advance would pass; empty: none would
  const OutputArrays* want = nullptr;  ///< null: this run makes the reference
  bool is_timed = true;
  double drop_above = 0;       ///< s; a first sample above it ends the timing; 0: none does
  bool lists_launches = true;  ///< in one more run, after all timing
  bool is_explained = true;    ///< by counters and twins, as `measure` says
  /// Wall time of the case so far, its part of one variant.
  std::function<double()> spent_s;
  MemoryBudget::Setting memory = {};
  std::function<void(Phase phase)> on_phase;
};

/// A second set of inputs with what comes out of it.
struct SecondInputs {
  const Problem& problem;
  std::vector<OutputArray> outputs;  ///< with the tolerances that hold
  const OutputArrays& want;
  const NamedArrays& inputs;
  /// Memory of inputs whose elements may change places.
  const std::vector<const std::byte*>& drawn;
  const std::vector<HostArrayLog::Memory>& problem_memory;
  std::int64_t seed = 0;
};

/// The harness behind Run, and its steps in this order: prepare(), verify(); where that says so,
/// timer() for as long as it wants samples, then finish(). Each throws what the variant throws, and
/// fills the record: status, errors, times, kernels, launches. `device` is null for a reference,
/// which works in plain host memory and is timed by verify().
class PreparedVariant final : public Run {
 public:
  PreparedVariant(const VariantDeclaration& variant, Device* device, RunSetting setting,
                  ResultRecord record);
  ~PreparedVariant() override;

  void prepare(const Problem& problem);
  /// Calls the work as often as `repeat` says and compares what came out. Returns whether it is to
  /// be timed in turns.
  bool verify();
  /// After verify(): calls it on other inputs, which then take turns with the first ones. Where
  /// that cannot be done, a note says why.
  void add_second_set(const SecondInputs& second);
  /// Made by the first call.
  VariantTimer& timer(TimingTools& tools);
  void finish();
  /// Another variant's turn comes: nothing of what this one has computed is left on the device.
  void leave_turn();

  const VariantDeclaration& variant() const noexcept { return variant_; }
  ResultRecord& record() noexcept { return record_; }
  Phase phase() const noexcept { return phase_; }
  /// What explains its time has crashed the device, which is of no use any more. The result is
  /// right all the same.
  bool has_lost_device() const noexcept { return has_lost_device_; }
  /// What gathering its evidence took.
  double evidence_s() const noexcept { return evidence_s_; }
  /// Outputs that the result is to have, and those of a reference: in host memory, of the first
  /// call, or of the one that was wrong.
  OutputArrays take_outputs();

  const Params& params() const override { return setting_.params; }
  Device& device() override;
  Stream& stream(int number) override;
  Array to_device(const Array& host) override;
  Array scratch(DType dtype, const Shape& shape) override;
  Array output(std::string_view name) override;

 private:
  struct RangeEnd;
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
  MemoryBudget budget_;
  VariantOutputs outputs_;
  std::optional<AnnotatedRange> range_;
  // Last, so that they go first: they use what is above.
  std::unique_ptr<PreparedMemory> memory_;
  Work work_;
  std::unique_ptr<CheckedCalls> calls_;
  std::unique_ptr<CallChecks> bare_calls_;
  std::unique_ptr<VariantTimer> timer_;
};

}  // namespace kernelbatch
