#include "core/device/device_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/annotation.hpp"
#include "core/device/backend.hpp"

namespace kernelbatch {
namespace {

bool is_auto(std::string_view selector) { return selector == "auto" || selector.empty(); }

/// Null if no backend has selectors of this form.
const Backend* find_backend(std::string_view selector) {
  for (const Backend* each : backends())
    if (each->is_selector(selector)) return each;
  return nullptr;
}

/// Accepted forms of every backend; first those of the one that is always available.
std::vector<std::string> forms(std::string_view Backend::*form) {
  std::vector<std::string> all;
  for (const Backend* each : backends()) all.emplace_back(each->*form);
  std::ranges::reverse(all);
  return all;
}

const Backend& backend_of_selector(std::string_view selector) {
  if (const Backend* const found = find_backend(selector)) return *found;
  throw SpecError(fmt::format("unknown device '{}': expected auto, {}", selector,
                              join(forms(&Backend::selector_forms), ", ")));
}

const Backend& backend_of_target(std::string_view target) {
  for (const Backend* each : backends())
    if (each->is_target(target)) return *each;
  throw SpecError(fmt::format("unknown target '{}': expected {}", target,
                              join(forms(&Backend::target_form), " or ")));
}

const Backend& backend_of(Device& device) { return *device.properties().backend; }

/// The first usable device.
DeviceChoice choose_any() {
  DeviceChoice choice;
  std::vector<std::string> reasons;
  for (const Backend* each : backends()) {
    choice = each->choose(each->name);
    if (!choice.selector.empty()) break;
    reasons.push_back(choice.note);
  }
  if (!reasons.empty())
    choice.note =
        fmt::format("no usable GPU ({}); running on the {}", join(reasons, "; "), choice.selector);
  return choice;
}

}  // namespace

DeviceList list_devices() {
  DeviceList list;
  for (const Backend* each : backends()) each->list(list);
  return list;
}

bool is_device_selector(std::string_view text) {
  return is_auto(text) || find_backend(text) != nullptr;
}

DeviceChoice choose_device(std::string_view selector) {
  if (is_auto(selector)) return choose_any();
  DeviceChoice choice = backend_of_selector(selector).choose(selector);
  if (choice.selector.empty())
    throw DeviceError(fmt::format("device '{}' cannot be used: {}", selector, choice.note));
  return choice;
}

std::unique_ptr<Device> open_device(const DeviceChoice& choice) {
  const Backend& backend = backend_of_selector(choice.selector);
  if (choice.units == 0) return backend.open(choice.selector);
  if (backend.open_part == nullptr)
    throw UnsupportedError(
        fmt::format("limits.sms: device '{}' has no SMs that can be limited", choice.selector));
  return backend.open_part(choice.selector, choice.units);
}

std::unique_ptr<Device> open_checked_device(const DeviceChoice& choice, const CheckKinds& kinds) {
  const Backend& backend = backend_of_selector(choice.selector);
  if (backend.open_checked == nullptr)
    throw UnsupportedError(
        fmt::format("device '{}' has no checks of its own for what kernels do", choice.selector));
  return backend.open_checked(choice.selector, kinds);
}

std::vector<std::string> granted_devices() {
  std::vector<std::string> granted;
  for (const Backend* each : backends())
    std::ranges::move(each->granted(), std::back_inserter(granted));
  return granted;
}

std::unique_ptr<Compiler> make_compiler(std::string_view target) {
  return backend_of_target(target).make_compiler(target);
}

DeviceProperties properties_of(const DeviceChoice& choice) {
  return backend_of_selector(choice.selector).properties(choice.selector);
}

DeviceProperties properties_of_target(std::string_view target, int compute_units) {
  return backend_of_target(target).target_properties(target, compute_units);
}

std::unique_ptr<Device> open_compile_only(const DeviceProperties& properties) {
  return make_compile_only_device(properties, properties.backend->make_compiler(properties.target),
                                  properties.backend->make_inspector());
}

std::unique_ptr<Gate> make_gate(Device& device) { return backend_of(device).make_gate(device); }

std::unique_ptr<Telemetry> open_telemetry(const DeviceProperties& properties) {
  return properties.backend->open_telemetry(properties);
}

LaunchList record_launches(Device& device, const std::vector<Stream*>& streams,
                           const std::function<void()>& work) {
  return backend_of(device).record_launches(device, streams, work);
}

void start_profiler(Device& device) { backend_of(device).start_profiler(); }
void stop_profiler(Device& device) { backend_of(device).stop_profiler(); }

std::vector<Finding> describe_tools() {
  std::vector<Finding> findings;
  for (const Backend* each : backends())
    std::ranges::move(each->describe_tools(), std::back_inserter(findings));
  return findings;
}

AnnotatedRange::AnnotatedRange(const std::string& name) {
  for (const Backend* each : backends()) each->push_range(name.c_str());
}
AnnotatedRange::~AnnotatedRange() {
  for (const Backend* each : backends()) each->pop_range();
}

}  // namespace kernelbatch
