// Common parts of variants with tuning parameters.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/workload/params.hpp"
#include "core/workload/run.hpp"

namespace kernelbatch::workloads {

/// Value of an integer tuning parameter that a job has not set: the variant's own choice.
inline constexpr std::int64_t kUnset = 0;

/// A tuning parameter from 1 to `most`, unset by default.
inline ParameterDeclaration tunable(const char* name, double most, const char* help) {
  return tuning_parameter(integer_parameter(name, kUnset, kUnset, most, help));
}

/// True if the job has set one of these parameters.
inline bool is_tuned(const Run& run, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (run.params().integer(name) != kUnset) return true;
  return false;
}

/// The value set by the job, else `otherwise`.
inline std::int64_t tuned(const Run& run, std::string_view name, std::int64_t otherwise) {
  const std::int64_t value = run.params().integer(name);
  return value == kUnset ? otherwise : value;
}

/// Throws UnsupportedError for tuning parameters without a possible kernel.
inline void require_tuning(bool is_met, const std::string& otherwise) {
  if (!is_met) throw UnsupportedError("no such configuration: " + otherwise);
}

/// "block = 96"
inline std::string setting(std::string_view name, std::int64_t value) {
  return std::string(name) + " = " + std::to_string(value);
}

/// Options that define a macro for each of these values.
inline std::vector<std::string> macros(
    std::initializer_list<std::pair<const char*, std::int64_t>> values) {
  std::vector<std::string> options;
  for (const auto& [name, value] : values)
    options.push_back(std::string("-D") + name + "=" + std::to_string(value));
  return options;
}

}  // namespace kernelbatch::workloads
