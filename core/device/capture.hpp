// Capture of kernels in another program: variables with which that program loads the library that
// records its launches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/process.hpp"

namespace kernelbatch {

struct CaptureRequest {
  std::filesystem::path folder;  ///< of the records; it exists
  std::string kernel = {};       ///< regular expression; empty: every kernel
  std::uint64_t nth = 1;         ///< first captured launch among those that match, from 1
  std::uint64_t count = 1;
  std::uint64_t limit = 0;   ///< bytes of memory in one record
  bool is_distinct = false;  ///< each kernel and shape once
  bool has_range = false;    ///< only between cudaProfilerStart and cudaProfilerStop
  bool has_graphs = false;   ///< add copies to graphs, to capture their kernels
  bool is_deep = false;      ///< follow pointers in memory
};

/// How a kernel's machine code uses memory.
struct MachineCodeUse {
  std::vector<unsigned> access_bytes = {};  ///< of loads and stores in global memory, ascending
  bool has_textures = false;                ///< or surfaces
};

/// The use by one kernel (a mangled name); empty if the cubin has no such kernel.
MachineCodeUse machine_code_use(std::string_view cubin, std::string_view kernel);

/// Writes the settings into the folder and returns the variables. Throws EnvironmentError if the
/// library is missing.
Variables capture_variables(const CaptureRequest& request);

}  // namespace kernelbatch
