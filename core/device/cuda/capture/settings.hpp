// Settings of the injected library, which the command `capture` passes in a file.
#pragma once

#include <cstdint>
#include <string>

namespace kernelbatch::capture {

/// Environment variable with the path of the settings file.
inline constexpr const char* kSettingsVariable = "KERNELBATCH_CAPTURE";

struct Settings {
  std::string folder = {};   ///< of the records
  std::string kernel = {};   ///< regular expression; empty: every kernel
  std::string cupti = {};    ///< path of CUPTI's library; empty: search by name
  std::uint64_t nth = 1;     ///< first captured launch among those that match, from 1
  std::uint64_t count = 1;   ///< number of captured launches
  std::uint64_t limit = 0;   ///< bytes of memory in one record
  bool is_distinct = false;  ///< each kernel and shape once
  bool has_range = false;    ///< only between cuProfilerStart and cuProfilerStop
  bool has_graphs = false;   ///< add copies to graphs, to capture their kernels
  bool is_deep = false;      ///< follow pointers in memory
};

std::string to_json(const Settings& settings);
/// Throws std::runtime_error for a text that to_json() did not write.
Settings settings_of(const std::string& json);

}  // namespace kernelbatch::capture
