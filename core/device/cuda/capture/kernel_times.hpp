// KernelTimes: the program's own times of captured kernels, as CUPTI records them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/device/cuda/capture/loaded_cuda.hpp"

namespace kernelbatch::capture {

/// State of the L2 cache before a launch.
enum class CacheUse { kCold, kWarm };

/// Times of a captured launch and of the next launches of the same kernel with the same shape.
/// Nothing is recorded before the first captured launch. The first launches have known states in
/// turns, cold first; later ones have the program's.
class KernelTimes {
 public:
  explicit KernelTimes(const LoadedCuda& cuda) : cuda_(cuda) {}

  /// Before a captured launch. `launch` names its kernel and shape.
  std::optional<CacheUse> begin(const std::string& launch, std::uint32_t correlation);
  /// The record that the times belong to, after the launch; empty if there is none.
  void set_folder(const std::string& launch, const std::filesystem::path& folder);
  /// True from begin() on.
  bool is_on() const noexcept { return is_on_; }
  /// True if a launch of this kernel and shape was captured.
  bool knows(const std::string& launch);
  /// Another launch of a kernel that matches. Returns the state to prepare.
  std::optional<CacheUse> add(const std::string& launch, std::uint32_t correlation);
  /// Collects the times, and writes them as times.json into the records.
  void write();

  /// Reads a buffer of CUPTI's records.
  void read(std::uint8_t* buffer, std::size_t bytes);

 private:
  struct Watched {
    std::filesystem::path folder = {};
    std::vector<std::uint32_t> cold = {}, warm = {}, later = {};  ///< correlations

    std::optional<CacheUse> add(std::uint32_t correlation);
  };
  const LoadedCuda& cuda_;
  std::mutex mutex_;
  std::atomic<bool> is_on_ = false;
  nlohmann::json times_of(const std::vector<std::uint32_t>& launches) const;

  std::map<std::string, Watched> watched_;                     ///< by kernel and shape
  std::unordered_map<std::uint32_t, std::uint64_t> times_ns_;  ///< by correlation; 0: unknown
};

}  // namespace kernelbatch::capture
