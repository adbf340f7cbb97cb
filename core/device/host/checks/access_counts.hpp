// Counts what a GPU would do for the memory accesses of some blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/device/access_checks.hpp"

namespace kernelbatch::host {

/// Accesses of a block, as requests of its warps: the k-th accesses of a warp's threads at one
/// place in the code form a request. Only the first accesses of a thread at a place are counted.
class AccessCounts {
 public:
  void begin_block() noexcept {
    requests_.clear();
    accesses_.clear();
  }
  /// `site`: number of the place.
  void add(unsigned thread, std::uint16_t site, std::uintptr_t address, std::size_t bytes,
           bool is_shared, KernelCounts& counts);

 private:
  struct Request {
    std::vector<std::uintptr_t> units = {};  ///< sectors, or words of shared memory
    unsigned passes = 0;                     ///< over the banks of shared memory
    unsigned conflicts = 0;                  ///< passes beyond those that its words need
  };
  static void add_sector(Request& request, std::uintptr_t sector, KernelCounts& counts);
  static void add_word(Request& request, std::uintptr_t word, KernelCounts& counts);

  std::unordered_map<std::uint64_t, Request> requests_;
  std::unordered_map<std::uint64_t, unsigned> accesses_;  ///< by thread and place
};

}  // namespace kernelbatch::host
