#include "core/device/counters.hpp"

#include <fmt/format.h>

#include "core/device/backend.hpp"

namespace kernelbatch {

CounterList read_counters(Device& device, const std::vector<Stream*>& streams,
                          const CounterRequest& request) {
  const Backend& backend = *device.properties().backend;
  if (backend.read_counters != nullptr) return backend.read_counters(device, streams, request);
  CounterList list;
  list.reason = fmt::format("the {} device has no hardware counters", backend.name);
  return list;
}

}  // namespace kernelbatch
