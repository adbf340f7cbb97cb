// PlacedMemory: device memory at given addresses.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "core/device/address_hint.hpp"
#include "core/device/cuda/driver.hpp"

namespace kernelbatch::cuda {

/// Reserves addresses in blocks of 32 MiB, which is the unit at which the driver grants an address,
/// and maps memory there in units of 2 MiB. Both are kept until the object is destroyed.
class PlacedMemory {
 public:
  explicit PlacedMemory(CUdevice device) : device_(device) {}
  /// Reserves the addresses of ranges, of which any may be occupied. Needs no context.
  void reserve(std::span<const AddressRange> ranges);
  PlacedMemory(const PlacedMemory&) = delete;
  PlacedMemory& operator=(const PlacedMemory&) = delete;
  ~PlacedMemory();

  /// True if the bytes from `address` on are now allocated; false if other memory is there.
  bool allocate(std::uint64_t address, std::size_t bytes);
  /// Releases an allocation. False if there is none at this address.
  bool release(std::uint64_t address) noexcept;

 private:
  bool reserve(std::uint64_t first, std::uint64_t end);
  bool map(std::uint64_t first, std::uint64_t end);

  CUdevice device_;
  std::map<std::uint64_t, std::uint64_t> used_;  ///< bytes by address
  std::map<std::uint64_t, std::uint64_t> reservations_, mappings_;
  std::set<std::uint64_t> reserved_, mapped_;  ///< blocks, units
};

}  // namespace kernelbatch::cuda
