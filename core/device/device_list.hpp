// Which devices there are, and opening one, whichever backend it is of.
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

/// The devices of this process, and why there are no more of them.
struct DeviceList {
  std::vector<DeviceProperties> devices;  ///< GPUs and slices first, the host last
  /// MIG slices of this node that CUDA does not show to this process, which sees one of them at
  /// most; their UUIDs select them where they are granted.
  std::vector<DeviceProperties> hidden;
  /// Empty where GPUs can be used; else one sentence: no driver, driver too old, no device, the
  /// CUDA Toolkit's stub of libcuda, no permission.
  std::string cuda_reason;
  std::string cuda_driver;  ///< "13.0 (580.65.06)"; empty without a driver
  std::string unknown;      ///< why identities may be missing, as of slices' GPUs; else empty
  std::string nvrtc;        ///< "13.0 from /usr/local/cuda/lib64/libnvrtc.so.13", or why not
};

DeviceList list_devices();

/// What a job or a command line asks for.
struct DeviceChoice {
  std::string selector = {};  ///< "host", "cuda:1", "MIG-…"
  bool is_gpu = false;        ///< as DeviceProperties::is_gpu
  std::string note = {};      ///< why `auto` fell back to the host; empty otherwise
};

/// Whether a text has one of the forms that choose_device() takes.
bool is_device_selector(std::string_view text);

/// Resolves `auto | host | cuda | cuda:N | GPU-… | MIG-…` without creating a context. Throws
/// SpecError for a text of another form, DeviceError for a device that is not there. UUIDs may be
/// cut short where one device alone begins so; a slice is also named MIG-GPU-<uuid of its GPU>/<gpu
/// instance>/<compute instance>.
DeviceChoice choose_device(std::string_view selector);

/// UUIDs of all GPUs and slices that this process may use, each of which choose_device() takes:
/// CUDA_VISIBLE_DEVICES may grant several slices, of which CUDA shows one to a process.
std::vector<std::string> granted_devices();

/// Opens a resolved choice. Throws DeviceError. A process can open one slice and no other.
std::unique_ptr<Device> open_device(const DeviceChoice& choice);

/// The same, with access_checks() that look for these. Throws UnsupportedError where a device of
/// this kind has no checks of its own.
std::unique_ptr<Device> open_checked_device(const DeviceChoice& choice, const CheckKinds& kinds);

/// A compiler without a device: "sm_90" for NVRTC, "host" for the host. Throws DeviceError if
/// the compiler is not available.
std::unique_ptr<Compiler> make_compiler(std::string_view target);

/// Properties of a resolved choice, without opening it.
DeviceProperties properties_of(const DeviceChoice& choice);

/// Properties of "host" or of "sm_90" and the like, as the largest GPU of that architecture has
/// them, or with another number of compute units. Throws SpecError for another target.
DeviceProperties properties_of_target(std::string_view target, int compute_units = 0);

/// A device that compiles for these properties and runs nothing. Needs no GPU and no driver. Throws
/// DeviceError if the compiler is not available.
std::unique_ptr<Device> open_compile_only(const DeviceProperties& properties);

/// A gate for the device's streams. Throws RunError where the device refuses its kernels.
std::unique_ptr<Gate> make_gate(Device& device);

/// Never null and never throws: what cannot be read is said by absence().
std::unique_ptr<Telemetry> open_telemetry(const DeviceProperties& properties);

/// Runs `work`, which queues on the device's streams, once and lists the launches that it makes,
/// those of libraries included where the source can see them. `streams` are those of the work, the
/// one that it begins on first. What the work itself throws passes; anything else that fails is a
/// reason, not an error. Nothing stays switched on.
LaunchList record_launches(Device& device, const std::vector<Stream*>& streams,
                           const std::function<void()>& work);
inline LaunchList record_launches(Device& device, Stream& stream,
                                  const std::function<void()>& work) {
  return record_launches(device, std::vector<Stream*>{&stream}, work);
}

/// Between these, profilers that wait for it (nsys -c cudaProfilerApi, ncu --profile-from-start
/// off) look. Nothing happens where there is none.
void start_profiler(Device& device);
void stop_profiler(Device& device);

}  // namespace kernelbatch
