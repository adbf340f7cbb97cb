// The hardware counters that say what a kernel's time is due to.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// One counter. A sum is over the whole device; "%" is of the most that the device could sustain.
struct CounterName {
  std::string_view names;  ///< as CounterRequest takes them: "dram__bytes_read.sum|…"
  std::string_view label;  ///< for tables: "dram read"
  std::string_view unit;   ///< "byte", "%", "instruction"; empty for a plain ratio
  std::string_view says;   ///< what it counts, without a stop
};

/// In order of importance: what takes many passes for one number comes last. A GH100 (H100, H200)
/// reads all of them in 17 passes.
std::span<const CounterName> counter_names() noexcept;

/// What CounterRequest::names takes, of all of them.
std::vector<std::string> counters_to_ask();

/// The row that a value's name is of; null where it is of none.
const CounterName* find_counter(std::string_view name) noexcept;

}  // namespace kernelbatch
