// CheckedVariant: a variant on a device, each of whose calls is checked.
#pragma once

#include <memory>
#include <string>

#include "core/case/guard/thread_times.hpp"
#include "core/case/variant/checked_calls.hpp"
#include "core/case/variant/device_variant.hpp"

namespace kernelbatch {

class CheckedVariant final : public DeviceVariant {
 public:
  CheckedVariant(const VariantDeclaration& variant, Device& device, CheckKernels& checks,
                 RunSetting setting, ResultRecord record);

  void prepare(const Problem& problem) override;
  bool verify() override;
  void add_second_set(const SecondInputs& second) override;
  VariantTimer& timer(TimingTools& tools) override;
  void finish() override;
  void leave_turn() override;
  OutputArrays take_outputs() override;

 private:
  /// Adds to the reason of a wrong first call what a check of the inputs or one more call shows.
  void explain_failure();
  /// True if a few elements of the last call were wrong, and another call gives others.
  bool is_sporadic();
  void make_calls();
  void record_checks();

  // The second set of inputs, and answers known without reading them: checked_second_set.cpp.
  void look_for_answer();
  void prepare_second(const SecondInputs& second);
  void check_use_of_inputs();
  bool distinguishes_sets();

  // Steps after the samples: checked_timing.cpp.
  bool finish_checks();
  void make_untimed_calls();
  void look_for_stored_answers(const Timing& timing);
  void measure_energy();
  void list_launches();
  void explain();

  CheckKernels& checks_;
  ThreadTimes threads_before_;  ///< before the preparation
  std::string busy_threads_, prepared_answer_;
  TimingTools* tools_ = nullptr;  ///< from timer() on
  double slowest_set_s_ = 0;      ///< largest median of the cold samples of one set of inputs
  PreparedMemory memory_;
  // Declared last, destroyed first: they use members above.
  std::unique_ptr<CheckedCalls> calls_;  ///< from verify() on
  std::unique_ptr<VariantTimer> timer_;  ///< from timer() on
};

}  // namespace kernelbatch
