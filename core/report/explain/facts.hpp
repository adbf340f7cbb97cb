// Facts: what a result's evidence says of one call, in plain quantities.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "core/result/record.hpp"

namespace kernelbatch::explain {

/// Operations per second and what a call did of them. NaN where unknown.
struct Rate {
  double done = kMissing, ceiling = kMissing;
  /// Seconds that the call takes at the ceiling.
  double time() const noexcept { return done / ceiling; }
};

/// Sums over all launches of a call; ratios and shares (0 to 1) of the launch that takes longest.
/// NaN where unknown.
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
  bool is_peak = false;  ///< the ceilings are those of the data sheet: nothing was calibrated
  double cache_size = kMissing;
  Rate cache;  ///< bytes through the cache that all units share
  double dram_share = kMissing, cache_share = kMissing;
  double sectors_per_request =
      kMissing;  ///< of global loads and stores; 4 where four bytes coalesce

  // Shared and local memory, atomics.
  double shared_share = kMissing;  ///< wavefronts of the most that an SM makes in its active cycles
  double conflict_share = kMissing;  ///< of the wavefronts, those that conflicts add
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
  double occupancy = kMissing;           ///< as its registers and shared memory allow
  double achieved_occupancy = kMissing;  ///< as counted
  std::string occupancy_limit;           ///< "registers", "shared memory", "block size"; or empty
  double busy_share = kMissing;          ///< active cycles of the mean SM over those of the busiest
  double elapsed_share = kMissing;       ///< active cycles of the mean SM over the launch's

  // The compiled kernel.
  double registers = kMissing, local_bytes = kMissing;

  /// Warps that wait for each instruction that is issued, by what they wait for.
  struct Stall {
    std::string_view name;
    double warps = 0;
  };
  std::array<Stall, 3> stalls{};  ///< the three greatest; fewer have no name

  // Twins: their time over that of the call beside them.
  double half_occupancy = kMissing, half_grid = kMissing, no_arithmetic = kMissing,
         no_loads = kMissing;

  /// Weighted counts of instructions by kind: "float32", "shared", …; 0 where there is none.
  double instructions(std::string_view kind) const;
  bool has_instructions() const noexcept { return all_instructions_ > 0; }
  double loops = kMissing;  ///< of all kernels; without one, a thread runs no more instructions
  double global_bytes_of_thread = kMissing, shared_bytes_of_thread = kMissing;
  double all_instructions() const noexcept { return all_instructions_; }

  /// Resident warps of the most that there can be, with as many blocks as there are.
  double filled() const noexcept;
  /// Bytes through memory: counted, else declared.
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

/// A quantity as tables and JSON show it.
struct Quantity {
  std::string_view name, unit;  ///< unit "": a share or a ratio
  double (*of)(const Facts& facts);
};
/// In the order in which they are shown; what is NaN is left out there.
std::span<const Quantity> quantities() noexcept;

/// Kinds of instructions, as evidence names them behind "instructions_".
std::span<const std::string_view> instruction_kinds() noexcept;

}  // namespace kernelbatch::explain
