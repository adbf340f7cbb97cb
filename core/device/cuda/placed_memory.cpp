#include "core/device/cuda/placed_memory.hpp"

#include <functional>

#include "core/device/cuda/check.hpp"

namespace kernelbatch::cuda {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{32} << 20;
constexpr std::uint64_t kUnit = std::uint64_t{2} << 20;

std::uint64_t round_down(std::uint64_t address, std::uint64_t unit) {
  return address / unit * unit;
}
std::uint64_t round_up(std::uint64_t address, std::uint64_t unit) {
  return round_down(address + unit - 1, unit);
}

/// Calls `add` for each run of units in [first, end) that `known` lacks, until one fails.
bool each_missing_run(const std::set<std::uint64_t>& known, std::uint64_t first, std::uint64_t end,
                      std::uint64_t unit,
                      const std::function<bool(std::uint64_t, std::uint64_t)>& add) {
  for (std::uint64_t at = first; at < end; at += unit) {
    if (known.contains(at)) continue;
    const std::uint64_t begin = at;
    while (at < end && !known.contains(at)) at += unit;
    if (!add(begin, at)) return false;
  }
  return true;
}

}  // namespace

PlacedMemory::~PlacedMemory() {
  const Driver& cu = driver_state().functions;
  for (const auto& [address, bytes] : mappings_)
    check_in_destructor(cu.cuMemUnmap_(address, bytes), "cuMemUnmap");
  for (const auto& [address, bytes] : reservations_)
    check_in_destructor(cu.cuMemAddressFree_(address, bytes), "cuMemAddressFree");
}

bool PlacedMemory::reserve(std::uint64_t first, std::uint64_t end) {
  CUdeviceptr given = 0;
  const std::uint64_t bytes = end - first;
  if (driver().cuMemAddressReserve_(&given, bytes, 0, first, 0) != CUDA_SUCCESS) return false;
  if (given != first) {
    driver().cuMemAddressFree_(given, bytes);
    return false;
  }
  reservations_[first] = bytes;
  for (std::uint64_t at = first; at < end; at += kBlock) reserved_.insert(at);
  return true;
}

void PlacedMemory::reserve(std::span<const AddressRange> ranges) {
  for (const auto& [address, bytes] : ranges)
    each_missing_run(reserved_, round_down(address, kBlock), round_up(address + bytes, kBlock),
                     kBlock,
                     [&](std::uint64_t from, std::uint64_t to) { return reserve(from, to); });
}

bool PlacedMemory::map(std::uint64_t first, std::uint64_t end) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device_;
  const std::uint64_t bytes = end - first;
  CUmemGenericAllocationHandle memory = 0;
  if (driver().cuMemCreate_(&memory, bytes, &properties, 0) != CUDA_SUCCESS) return false;
  const CUresult mapped = driver().cuMemMap_(first, bytes, 0, memory, 0);
  driver().cuMemRelease_(memory);  // the mapping keeps it
  if (mapped != CUDA_SUCCESS) return false;
  const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  if (driver().cuMemSetAccess_(first, bytes, &access, 1) != CUDA_SUCCESS) {
    driver().cuMemUnmap_(first, bytes);
    return false;
  }
  mappings_[first] = bytes;
  for (std::uint64_t at = first; at < end; at += kUnit) mapped_.insert(at);
  return true;
}

bool PlacedMemory::allocate(std::uint64_t address, std::size_t bytes) {
  const std::uint64_t end = address + bytes;
  const auto next = used_.lower_bound(address);
  if (next != used_.end() && next->first < end) return false;
  if (next != used_.begin() && std::prev(next)->first + std::prev(next)->second > address)
    return false;
  const bool is_there =
      each_missing_run(reserved_, round_down(address, kBlock), round_up(end, kBlock), kBlock,
                       [&](std::uint64_t from, std::uint64_t to) { return reserve(from, to); }) &&
      each_missing_run(mapped_, round_down(address, kUnit), round_up(end, kUnit), kUnit,
                       [&](std::uint64_t from, std::uint64_t to) { return map(from, to); });
  if (is_there) used_[address] = bytes;
  return is_there;
}

bool PlacedMemory::release(std::uint64_t address) noexcept { return used_.erase(address) > 0; }

}  // namespace kernelbatch::cuda
