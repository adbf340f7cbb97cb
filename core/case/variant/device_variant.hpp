// Variants that run on a device.
#pragma once

#include <memory>
#include <vector>

#include "core/case/variant/device_run.hpp"
#include "core/case/variant/prepared_variant.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// Steps of all variants on a device.
class DeviceVariant : public PreparedVariant {
 public:
  DeviceVariant(const VariantDeclaration& variant, Device& device, RunSetting setting,
                ResultRecord record);

 protected:
  void call() { work_(&run_.first()); }
  /// Calls the preparation, and waits for what it queued.
  void make_work(const Problem& problem);
  void note_staging();
  /// The first call, which compiles the kernels and loads them, and the comparison of its outputs.
  /// Returns true if they are correct.
  bool verify_first_call();

  Device& device_;
  DeviceRun run_;
  Work work_;
  std::vector<ProgramLog::Entry> kernels_;  ///< of the first call

 private:
  void first_call();
};

/// For a profiler, a debugger, or under the device's own checks: nothing is checked between calls.
class BareVariant final : public DeviceVariant {
 public:
  using DeviceVariant::DeviceVariant;

  void prepare(const Problem& problem) override;
  bool verify() override;
  VariantTimer& timer(TimingTools& tools) override;
  void finish() override;
  OutputArrays take_outputs() override;

 private:
  std::unique_ptr<CallChecks> calls_;
  std::unique_ptr<VariantTimer> timer_;
};

/// Each call begins with its outputs' initial contents, and nothing else is done.
class RestoredOutputs final : public CallChecks {
 public:
  explicit RestoredOutputs(std::vector<GuardedOutput*> outputs) : outputs_(std::move(outputs)) {}
  void prepare(Stream& stream) override {
    for (GuardedOutput* output : outputs_) output->restore(stream);
  }

 private:
  std::vector<GuardedOutput*> outputs_;
};

}  // namespace kernelbatch
