// The CUDA backend of a build without the CUDA Toolkit: reports why it cannot be used.
#include "core/base/error.hpp"
#include "core/device/capture.hpp"
#include "core/device/cuda/cuda_backend.hpp"
#include "core/device/cuda/selector.hpp"
#include "core/device/cuda/target.hpp"

namespace kernelbatch::cuda {
namespace {

constexpr const char* kReason = "this kernelbatch was built without the CUDA Toolkit";

/// Replaces any function of a backend.
template <class Result, class... Arguments>
Result refuse(Arguments...) {
  throw DeviceError(kReason);
}

void say_why(DeviceList& list) {
  list.cuda_reason = kReason;
  list.nvrtc = "not built in";
}

std::vector<Finding> describe_tools() {
  return {{"driver", false, kReason}, counter_permission("/proc/driver/nvidia/params")};
}

}  // namespace

constexpr Backend kBackend{
    .name = kName,
    .selector_forms = kSelectorForms,
    .is_selector = is_selector,
    .list = say_why,
    .choose = [](std::string_view) { return DeviceChoice{.note = kReason}; },
    .properties = refuse,
    .open = refuse,
    .target_form = kTargetForm,
    .is_target = is_target,
    .target_properties = refuse,
    .make_compiler = refuse,
    .make_inspector = refuse,
    .open_telemetry = refuse,
    .record_launches = refuse,
    .describe_tools = describe_tools,
};

}  // namespace kernelbatch::cuda

namespace kernelbatch {

MachineCodeUse machine_code_use(std::string_view, std::string_view) { return {}; }

Variables capture_variables(const CaptureRequest&) {
  throw EnvironmentError(std::string("capture is not available: ") + cuda::kReason);
}

}  // namespace kernelbatch
