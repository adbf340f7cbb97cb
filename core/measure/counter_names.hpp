// The hardware counters that explain a kernel's time.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// One counter. A sum is over the whole device; "%" is of the device's sustained peak.
struct CounterName {
  std::string_view names;  ///< as CounterRequest takes them: "dram__bytes_read.sum|…"
  std::string_view label;  ///< for tables: "dram read"
  std::string_view unit;   ///< "byte", "%", "instruction"; empty for a plain ratio
  std::string_view says;   ///< description, without a full stop
};

/// In order of importance; counters that need many passes for one number come last. A GH100 (H100,
/// H200) reads all of them in 17 passes.
std::span<const CounterName> counter_names() noexcept;

/// All of them, in the form of CounterRequest::names.
std::vector<std::string> counters_to_ask();

/// The row of a value's name; null if there is none.
const CounterName* find_counter(std::string_view name) noexcept;

}  // namespace kernelbatch
