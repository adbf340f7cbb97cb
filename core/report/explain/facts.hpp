// Facts: the evidence of a result in plain quantities per call.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "core/result/record.hpp"

namespace kernelbatch::explain {

/// Operations of a call, and the ceiling in operations per second. NaN if unknown.
struct Rate {
  double done = kMissing, ceiling = kMissing;
  /// Seconds that the call takes at the ceiling.
  double time() const noexcept { return done / ceiling; }
};

/// Sums over all launches of a call; ratios and shares (0 to 1) of the launch that takes longest.
/// NaN if unknown.
struct Facts {
  explicit Facts(const ResultRecord& record, const DeviceCalibration* calibration);

  bool is_gpu = false, has_counters = false;
  double time = kMissing;         ///< s, ranked
  double host_time = kMissing;    ///< s to queue it
  double hot_share = kMissing;    ///< time of calls back to back over that of cold ones
  double kernel_time = kMissing;  ///< s, of all kernels, as listed
  double empty_launch = kMissing;
  double launches = kMissing;

  // Memory: bytes that must move, those that did (counters), their ceiling.
  double declared_bytes = kMissing, dram_bytes = kMissing, array_bytes = kMissing;
  double memory_ceiling = kMissing;
  bool is_peak = false;  ///< the ceilings are data-sheet values: no calibration
  double cache_size = kMissing;
  Rate cache;  ///< bytes through the cache shared by all units
  double dram_share = kMissing, cache_share = kMissing;
  double sectors_per_request = kMissing;  ///< of global loads and stores; 4 if four bytes coalesce

  // Shared and local memory, atomics.
  double shared_share =
      kMissing;  ///< share of the wavefronts that an SM can process in its active cycles
  double conflict_share = kMissing;  ///< share of the wavefronts that conflicts add
  double local_share = kMissing;     ///< of the sectors of global and local memory
  double atomic_share = kMissing;    ///< of the requests of global memory

  // Computing.
  Rate float32, float64, float16, tensor;
  double executed = kMissing;  ///< instructions of warps
  double issue_share = kMissing, sm_share = kMissing, tensor_share = kMissing;
  double active_threads = kMissing;  ///< of the 32 of a warp

  // How the device is filled.
  double clock = kMissing;  ///< Hz, the fastest
  double units = kMissing, blocks = kMissing, threads = kMissing, waves = kMissing;
  double occupancy = kMissing;           ///< theoretical, from registers and shared memory
  double achieved_occupancy = kMissing;  ///< as counted
  std::string occupancy_limit;           ///< "registers", "shared memory", "block size"; or empty
  double busy_share = kMissing;          ///< active cycles of the mean SM over those of the busiest
  double elapsed_share = kMissing;       ///< active cycles of the mean SM over the launch's

  // The compiled kernel.
  double registers = kMissing, local_bytes = kMissing;

  /// Warps waiting per issued instruction, by cause.
  struct Stall {
    std::string_view name;
    double warps = 0;
  };
  std::array<Stall, 3> stalls{};  ///< the three largest; unused ones have no name

  // Twins: their time over that of the call measured with them.
  double half_occupancy = kMissing, half_grid = kMissing, no_arithmetic = kMissing,
         no_loads = kMissing;

  /// Weighted instruction count of a kind ("float32", "shared", ...); 0 if there are none.
  double instructions(std::string_view kind) const;
  bool has_instructions() const noexcept { return all_instructions_ > 0; }
  double loops = kMissing;  ///< of all kernels; in a kernel without loops a thread executes no more
                            ///< than its instructions
  double global_bytes_of_thread = kMissing, shared_bytes_of_thread = kMissing;
  double all_instructions() const noexcept { return all_instructions_; }

  /// Resident warps over the maximum, for the actual number of blocks.
  double filled() const noexcept;
  /// Bytes through memory: counted if available, else declared.
  double bytes() const noexcept;
  double memory_time() const noexcept { return bytes() / memory_ceiling; }

 private:
  void read_launches(const ResultRecord& record);
  void read_counters(const ResultRecord& record, std::int64_t longest);
  void take_peaks(const ResultRecord& record, std::int64_t longest);
  void read_statics(const ResultRecord& record, std::int64_t longest);
  void read_twins(const ResultRecord& record);

  std::array<double, 32> mix_{};
  double all_instructions_ = 0;
};

/// A quantity as shown in tables and JSON.
struct Quantity {
  std::string_view name, unit;  ///< unit "": a share or a ratio
  double (*of)(const Facts& facts);
};
/// In display order. NaN values are not shown.
std::span<const Quantity> quantities() noexcept;

/// Kinds of instructions, as named in the evidence after "instructions_".
std::span<const std::string_view> instruction_kinds() noexcept;

}  // namespace kernelbatch::explain
