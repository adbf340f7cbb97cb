// CompileRun: a Run on a device that compiles and runs nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/kernel/program/program.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

class CompileRun final : public Run {
 public:
  CompileRun(Device& device, const Params& params, const std::vector<OutputArray>& outputs);
  ~CompileRun() override;

  const Params& params() const override { return params_; }
  Device& device() override { return device_; }
  Stream& stream(int number) override;
  Array to_device(const Array& host) override;
  Array scratch(DType dtype, const Shape& shape) override;
  Array output(std::string_view name) override;

 private:
  Device& device_;
  const Params& params_;
  const std::vector<OutputArray>& outputs_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::map<std::string, Array, std::less<>> arrays_;
};

/// Outcome of one variant.
struct CompileOutcome {
  std::vector<ProgramLog::Build> builds;  ///< kernels that this process had not seen before
  bool is_skipped = false;  ///< the variant cannot run on this device, or has no kernels
  std::string reason;       ///< of a skip or a failure; empty otherwise
};

/// Compiles the kernels that a variant launches. References and variants of host-side libraries are
/// skipped: they compile nothing. Exceptions of the variant are caught.
CompileOutcome compile_variant(const VariantDeclaration& variant, const Problem& problem,
                               const Params& params, Device& device);

/// Functions that compile all kernels which the harness itself launches in a job with these
/// settings, independently of each other.
std::vector<std::function<void(Device&)>> harness_parts(const MeasureSpec& measure);

/// Properties of a compile target: "host", "cuda:0" (a GPU of this machine), "sm_90", or "sm_90:66"
/// with another number of SMs. Throws SpecError, DeviceError.
DeviceProperties compile_target(const std::string& target);
/// The same if another process has opened the device; `opened` without a selector: none has. Reads
/// no driver for an opened one.
DeviceProperties compile_target(const std::string& target, DeviceProperties opened);

}  // namespace kernelbatch
