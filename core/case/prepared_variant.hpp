// PreparedVariant: one variant of one case, from its preparation to its result.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/device/annotation.hpp"
#include "core/job/spec.hpp"
#include "core/measure/timer.hpp"
#include "core/result/record.hpp"
#include "core/verify/guarded_output.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Host arrays of a case's outputs, by name.
using OutputArrays = std::map<std::string, Array>;

/// What a variant is run with.
struct RunSetting {
  std::vector<OutputArray> outputs;  ///< with the tolerances that hold
  const Params& params;
  const MeasureSpec& measure;
  int repeat = 1;                      ///< 2 = compare two runs bit for bit
  const OutputArrays* want = nullptr;  ///< null: this run makes the reference
  bool is_timed = true;
  bool lists_launches = true;  ///< in one more run, after all timing
  double memory_limit = 0;     ///< bytes on the device; 0 = none
  /// Whether the variant's kernels can work in pieces on arrays that the limit keeps off the
  /// device.
  bool may_stream = false;
  double case_bytes = 0;          ///< that all of the case's arrays have at least; 0 = unknown
  double* memory_used = nullptr;  ///< what all variants that are alive use of it
  std::function<void(Phase phase)> on_phase;
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
  /// Calls the work once and compares what came out. Returns whether it is to be timed in turns.
  bool verify();
  /// Made by the first call.
  VariantTimer& timer(TimingTools& tools);
  void finish();

  const VariantDeclaration& variant() const noexcept { return variant_; }
  ResultRecord& record() noexcept { return record_; }
  Phase phase() const noexcept { return phase_; }
  /// Outputs of the verified call, in host memory.
  OutputArrays take_outputs() { return std::move(got_); }

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
  OutputArrays read_outputs();
  bool guards_are_whole();
  /// Compares what has a reference; returns whether all of that is right.
  bool compare();
  void record_kernels();
  void list_launches();
  void count_memory(double bytes);
  /// Whether an array of so many bytes has to stay in host memory; counts the buffers for it if so.
  bool stays_on_host(std::size_t bytes);
  void wait_for_streams();

  const VariantDeclaration& variant_;
  Device* device_;
  RunSetting setting_;
  ResultRecord record_;
  Phase phase_ = Phase::kNone;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::map<std::string, std::unique_ptr<GuardedOutput>, std::less<>> guarded_;
  std::set<std::string, std::less<>> overrun_;  ///< outputs whose guard bands have changed
  std::map<std::string, Array, std::less<>> host_outputs_;
  OutputArrays got_;
  double own_memory_ = 0, counted_ = 0, staged_ = 0;
  double* memory_used_;
  std::optional<AnnotatedRange> range_;
  // Last, so that they go first: they use what is above.
  Work work_;
  std::unique_ptr<VariantTimer> timer_;
};

}  // namespace kernelbatch
