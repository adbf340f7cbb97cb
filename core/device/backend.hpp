// A backend: one kind of device, as the rest of core/device asks for it.
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
/// line in backend.cpp. What has a default may be left out. Private to core/device: elsewhere
/// DeviceProperties say what a device can do.
struct Backend {
  std::string_view name;  ///< "cuda"; selects the first of its devices, too

  // Its devices, each named by a selector.
  std::string_view selector_forms;  ///< for messages: "cuda, cuda:N"
  bool (*is_selector)(std::string_view text);
  /// Adds its devices, and why there are no more of them. Never throws for lack of a device.
  void (*list)(DeviceList& list);
  /// The one device of a selector. Where no device can be used, the choice has no selector, and its
  /// note is the reason. Throws DeviceError for a device that is not among those that can be used.
  DeviceChoice (*choose)(std::string_view selector);
  std::vector<std::string> (*granted)() = [] { return std::vector<std::string>(); };
  /// Of a device that was chosen, without opening it.
  DeviceProperties (*properties)(const std::string& selector);
  std::unique_ptr<Device> (*open)(const std::string& selector);
  /// The same, with access_checks(); null where the backend has none of its own.
  std::unique_ptr<Device> (*open_checked)(const std::string& selector,
                                          const CheckKinds& kinds) = nullptr;

  // Compiling where there is no device, for a target.
  std::string_view target_form;  ///< for messages: "sm_NN"
  bool (*is_target)(std::string_view text);
  /// `compute_units` of 0 stands for those of the largest device of the target.
  DeviceProperties (*target_properties)(std::string_view target, int compute_units);
  std::unique_ptr<Compiler> (*make_compiler)(std::string_view target);
  /// Loads what its compiler made, to be looked into and not launched.
  LoadForInspection (*make_inspector)();

  // Watching a device at work.
  std::unique_ptr<Gate> (*make_gate)(Device& device) = [](Device&) {
    return std::make_unique<Gate>();
  };
  std::unique_ptr<Telemetry> (*open_telemetry)(const DeviceProperties& properties);
  LaunchList (*record_launches)(Device& device, const std::vector<Stream*>& streams,
                                const std::function<void()>& work);
  /// Null where its devices have no counters.
  CounterList (*read_counters)(Device& device, const std::vector<Stream*>& streams,
                               const CounterRequest& request) = nullptr;
  void (*start_profiler)() = [] {};
  void (*stop_profiler)() = [] {};
  void (*push_range)(const char* name) = [](const char*) {};
  void (*pop_range)() = [] {};

  std::vector<Finding> (*describe_tools)();
};

/// All of them. `auto` takes the first that has a device which can be used; the last always has.
std::span<const Backend* const> backends() noexcept;

}  // namespace kernelbatch
