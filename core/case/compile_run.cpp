#include "core/case/compile_run.hpp"

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/device/device_list.hpp"
#include "core/measure/calibration.hpp"
#include "core/verify/check_kernels.hpp"

namespace kernelbatch {

CompileRun::CompileRun(Device& device, const Params& params,
                       const std::vector<OutputArray>& outputs)
    : device_(device), params_(params), outputs_(outputs) {}

CompileRun::~CompileRun() = default;

Stream& CompileRun::stream(int number) {
  const auto at = static_cast<std::size_t>(number);
  while (streams_.size() <= at) streams_.push_back(device_.make_stream());
  return *streams_[at];
}

Array CompileRun::to_device(const Array& host) { return kernelbatch::to_device(host, stream(0)); }

Array CompileRun::scratch(DType dtype, const Shape& shape) {
  return Array::on_device(device_, dtype, shape);
}

Array CompileRun::output(std::string_view name) {
  const auto found = arrays_.find(name);
  if (found != arrays_.end()) return found->second;
  const OutputArray& output = output_named(outputs_, name);
  return arrays_.emplace(name, Array::on_device(device_, output.dtype, output.shape)).first->second;
}

CompileOutcome compile_variant(const VariantDeclaration& variant, const Problem& problem,
                               const Params& params, Device& device) {
  CompileOutcome outcome;
  if (!traits_of(variant.kind).compiles_ahead) {
    outcome.is_skipped = true;
    if (variant.kind == VariantKind::kLibrary) outcome.reason = "calls a library of the device";
    return outcome;
  }
  take_program_log(device);
  try {
    const std::vector<OutputArray> outputs = problem.outputs_of(variant.name);
    CompileRun run(device, params, outputs);
    Work work = variant.prepare(problem, run);
    require_work(work);
    // Its kernels are compiled at their launches.
    work(&run.stream(0));
  } catch (const UnsupportedError& error) {
    outcome.is_skipped = true;
    outcome.reason = error.what();
  } catch (const std::exception& error) {
    outcome.reason = error.what();
  } catch (...) {
    outcome.reason = "the variant threw something that is no std::exception";
  }
  outcome.builds = take_program_log(device).builds;
  return outcome;
}

std::vector<std::function<void(Device&)>> harness_parts(const MeasureSpec& measure) {
  std::vector<std::function<void(Device&)>> parts;
  if (measure.times && measure.calibrate) parts = calibration_parts(measure);
  parts.emplace_back(
      [](Device& device) { CheckKernels(device).launch_all(*device.make_stream()); });
  return parts;
}

DeviceProperties compile_target(const std::string& target) {
  if (is_device_selector(target)) return properties_of(choose_device(target));
  const std::size_t colon = target.find(':');
  const int units =
      colon == std::string::npos ? 0 : static_cast<int>(parse_integer(target.substr(colon + 1)));
  return properties_of_target(target.substr(0, colon), units);
}

DeviceProperties compile_target(const std::string& target, DeviceProperties opened) {
  if (opened.selector.empty()) return compile_target(target);
  opened.backend = properties_of_target(opened.is_gpu ? opened.target : opened.selector, 0).backend;
  return opened;
}

}  // namespace kernelbatch
