// Records of captured launches, as the injected library writes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/device/capture.hpp"
#include "core/device/device.hpp"

namespace kernelbatch::app {

/// An allocation of the program, or a variable. Files are in the record's folder.
struct RecordedMemory {
  std::uint64_t address = 0, bytes = 0;
  std::string before, after;  ///< `after` is empty if the launch did not change it
  std::string variable = {};  ///< name of a variable of the module, which is no allocation

  bool contains(std::uint64_t place) const noexcept {
    return variable.empty() && place >= address && place < address + bytes;
  }
};

struct RecordedParameter {
  std::size_t offset = 0, size = 0;
};

struct LaunchRecord {
  std::filesystem::path folder;
  std::string kernel, name;  ///< mangled, demangled
  std::string device, reason;
  LaunchShape shape = {};
  std::vector<RecordedParameter> parameters = {};
  std::string bytes = {};  ///< the parameter buffer
  std::string image = {};  ///< file; empty if the image was not found
  std::string ptx = {};    ///< text with the kernel, for the same architecture or an older one
  MachineCodeUse code_use = {};
  std::uint64_t images_of_name = 0;
  std::vector<RecordedMemory> memory = {};
  std::vector<std::uint64_t> pointers = {};
  int carveout = -1;                      ///< percent of L1; -1: the driver chooses
  std::vector<unsigned> attributes = {};  ///< of the launch, which a job has no keys for
  /// In the program, by CUPTI: captured launches of this kernel and shape with a flushed L2 cache,
  /// those after copies of their memory, and later launches.
  std::vector<double> cold_s = {}, warm_s = {}, later_s = {};
};

struct SeenKernelRecord {
  std::string name;
  std::uint64_t launches = 0, in_graphs = 0;
};

/// Complete records in the folder, in the order of capture. Throws RunError for a damaged one.
std::vector<LaunchRecord> read_launches(const std::filesystem::path& folder);

/// Kernels that the program's processes launched, most launches first.
std::vector<SeenKernelRecord> read_seen(const std::filesystem::path& folder);

}  // namespace kernelbatch::app
