// The available devices of all backends, and opening one of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/access_checks.hpp"
#include "core/device/device.hpp"
#include "core/device/gate.hpp"
#include "core/device/launch_log.hpp"
#include "core/device/telemetry.hpp"

namespace kernelbatch {

/// The devices of this process, and the reason if some are missing.
struct DeviceList {
  std::vector<DeviceProperties> devices;  ///< GPUs and slices first, the host last
  /// MIG slices of this node that CUDA does not show to this process, since it shows at most one;
  /// their UUIDs select them if they are granted.
  std::vector<DeviceProperties> hidden;
  /// Empty if GPUs can be used; else one sentence: no driver, driver too old, no device, the CUDA
  /// Toolkit's stub of libcuda, no permission.
  std::string cuda_reason;
  std::string cuda_driver;  ///< "13.0 (580.65.06)"; empty without a driver
  std::string unknown;      ///< why identities (e.g. slices' GPUs) may be missing, or empty
  std::string nvrtc;        ///< "13.0 from /usr/local/cuda/lib64/libnvrtc.so.13", or why not
};

DeviceList list_devices();

/// The device that a job or a command line selects.
struct DeviceChoice {
  std::string selector = {};  ///< "host", "cuda:1", "MIG-…"
  bool is_gpu = false;        ///< as DeviceProperties::is_gpu
  std::string note = {};      ///< why `auto` fell back to the host; empty otherwise
  int units = 0;              ///< compute units to use; 0: all
};

/// True if a text has one of the forms that choose_device() accepts.
bool is_device_selector(std::string_view text);

/// Resolves `auto | host | cuda | cuda:N | GPU-… | MIG-…` without creating a context. Throws
/// SpecError for a text of another form, DeviceError for a device that does not exist. UUIDs may be
/// abbreviated to a unique prefix; a slice can also be named MIG-GPU-<uuid of its GPU>/<gpu
/// instance>/<compute instance>.
DeviceChoice choose_device(std::string_view selector);

/// UUIDs of all GPUs and slices that this process may use; choose_device() accepts each of them.
/// CUDA_VISIBLE_DEVICES may grant several slices, of which CUDA shows one to a process.
std::vector<std::string> granted_devices();

/// Opens a resolved choice. Throws DeviceError, and UnsupportedError if the device cannot be
/// limited to `units`. A process can open only one slice.
std::unique_ptr<Device> open_device(const DeviceChoice& choice);

/// The same with access_checks() for these kinds. Throws UnsupportedError if this kind of device
/// has no checks of its own.
std::unique_ptr<Device> open_checked_device(const DeviceChoice& choice, const CheckKinds& kinds);

/// A compiler without a device: "sm_90" for NVRTC, "host" for the host. Throws DeviceError if
/// the compiler is not available.
std::unique_ptr<Compiler> make_compiler(std::string_view target);

/// Properties of a resolved choice, without opening it.
DeviceProperties properties_of(const DeviceChoice& choice);

/// Properties of "host", or of "sm_90" and the like for the largest GPU of that architecture;
/// `compute_units` overrides its number. Throws SpecError for another target.
DeviceProperties properties_of_target(std::string_view target, int compute_units = 0);

/// A device that compiles for these properties and runs nothing. Needs no GPU and no driver. Throws
/// DeviceError if the compiler is not available.
std::unique_ptr<Device> open_compile_only(const DeviceProperties& properties);

/// A gate for the device's streams. Throws RunError if the device refuses its kernels.
std::unique_ptr<Gate> make_gate(Device& device);

/// Never null and never throws: absence() reports what cannot be read.
std::unique_ptr<Telemetry> open_telemetry(const DeviceProperties& properties);

/// Runs `work`, which queues on the device's streams, once and lists its launches, including those
/// of libraries if the source can see them. `streams` are those of the work, beginning with the one
/// that it starts on. Exceptions of the work propagate; any other failure is reported in `reason`.
/// Recording is always disabled at the end.
LaunchList record_launches(Device& device, const std::vector<Stream*>& streams,
                           const std::function<void()>& work);
inline LaunchList record_launches(Device& device, Stream& stream,
                                  const std::function<void()>& work) {
  return record_launches(device, std::vector<Stream*>{&stream}, work);
}

/// Start and stop of capture for profilers that wait for it (nsys -c cudaProfilerApi, ncu
/// --profile-from-start off). No effect without a profiler.
void start_profiler(Device& device);
void stop_profiler(Device& device);

}  // namespace kernelbatch
