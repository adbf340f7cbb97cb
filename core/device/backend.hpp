// A backend: one kind of device. Interface for the rest of core/device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/access_checks.hpp"
#include "core/device/compile_only.hpp"
#include "core/device/counters.hpp"
#include "core/device/device_list.hpp"
#include "core/device/tools.hpp"

namespace kernelbatch {

/// One constant for each backend. A new one needs its folder, its sources in CMakeLists.txt and its
/// line in backend.cpp. Members with a default are optional. Private to core/device; other code
/// uses DeviceProperties.
struct Backend {
  std::string_view name;  ///< "cuda"; selects the first of its devices, too

  // Its devices, each named by a selector.
  std::string_view selector_forms;  ///< for messages: "cuda, cuda:N"
  bool (*is_selector)(std::string_view text);
  /// Adds its devices, and the reason if some are missing. Never throws for lack of a device.
  void (*list)(DeviceList& list);
  /// Resolves a selector to one device. If no device can be used, the choice has no selector and
  /// its note is the reason. Throws DeviceError for a device that is not usable.
  DeviceChoice (*choose)(std::string_view selector);
  std::vector<std::string> (*granted)() = [] { return std::vector<std::string>(); };
  /// Properties of a chosen device, without opening it.
  DeviceProperties (*properties)(const std::string& selector);
  std::unique_ptr<Device> (*open)(const std::string& selector);
  /// The same, limited to this number of compute units, or the next one that the device can
  /// separate; null if the backend cannot limit its devices.
  std::unique_ptr<Device> (*open_part)(const std::string& selector, int units) = nullptr;
  /// The same with access_checks(); null if the backend has no checks of its own.
  std::unique_ptr<Device> (*open_checked)(const std::string& selector,
                                          const CheckKinds& kinds) = nullptr;

  // Compiling for a target without a device.
  std::string_view target_form;  ///< for messages: "sm_NN"
  bool (*is_target)(std::string_view text);
  /// `compute_units` = 0 selects those of the target's largest device.
  DeviceProperties (*target_properties)(std::string_view target, int compute_units);
  std::unique_ptr<Compiler> (*make_compiler)(std::string_view target);
  /// Loads compiled code for inspection, not for launching.
  LoadForInspection (*make_inspector)();

  // Monitoring of a running device.
  std::unique_ptr<Gate> (*make_gate)(Device& device) = [](Device&) {
    return std::make_unique<Gate>();
  };
  std::unique_ptr<Telemetry> (*open_telemetry)(const DeviceProperties& properties);
  LaunchList (*record_launches)(Device& device, const std::vector<Stream*>& streams,
                                const std::function<void()>& work);
  /// Null if its devices have no counters.
  CounterList (*read_counters)(Device& device, const std::vector<Stream*>& streams,
                               const CounterRequest& request) = nullptr;
  void (*start_profiler)() = [] {};
  void (*stop_profiler)() = [] {};
  void (*push_range)(const char* name) = [](const char*) {};
  void (*pop_range)() = [] {};

  std::vector<Finding> (*describe_tools)();
};

/// All backends. `auto` takes the first with a usable device; the last one always has one.
std::span<const Backend* const> backends() noexcept;

}  // namespace kernelbatch
