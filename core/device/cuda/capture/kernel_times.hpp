// KernelTimes: the program's own times of captured kernels, as CUPTI records them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/device/cuda/capture/loaded_cuda.hpp"

namespace kernelbatch::capture {

/// Times of a captured launch and of the next launches of the same kernel. Nothing is recorded
/// before the first captured launch.
class KernelTimes {
 public:
  explicit KernelTimes(const LoadedCuda& cuda) : cuda_(cuda) {}

  /// Before a captured launch.
  void begin(const std::string& kernel, std::uint32_t correlation);
  /// The record that the times belong to, after the launch; empty if there is none.
  void set_folder(const std::string& kernel, const std::filesystem::path& folder);
  /// Another launch of a kernel that matches.
  void add(const std::string& kernel, std::uint32_t correlation);
  /// Collects the times, and writes them as times.json into the records.
  void write();

  /// Reads a buffer of CUPTI's records.
  void read(std::uint8_t* buffer, std::size_t bytes);

 private:
  struct Watched {
    std::filesystem::path folder = {};
    std::vector<std::uint32_t> launches = {};
    std::map<std::uint32_t, std::uint64_t> times_ns = {};  ///< by correlation
    bool is_written = false;
  };
  const LoadedCuda& cuda_;
  std::mutex mutex_;
  bool is_on_ = false;
  std::map<std::string, Watched> watched_;
};

}  // namespace kernelbatch::capture
