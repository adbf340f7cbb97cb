#include "core/device/cuda/capture/program_memory.hpp"

#include <algorithm>
#include <array>

namespace kernelbatch::capture {
namespace {

struct PointerFacts {
  unsigned type = 0;  ///< 0: no memory of CUDA
  Range reserved = {}, mapped = {};
};

PointerFacts facts_of(const LoadedCuda& cuda, std::uint64_t address) {
  PointerFacts facts;
  void *start = nullptr, *base = nullptr;
  std::size_t size = 0, mapped = 0;
  std::array<CUpointer_attribute, 5> names{
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR,
      CU_POINTER_ATTRIBUTE_MAPPING_SIZE};
  std::array<void*, 5> values{&facts.type, static_cast<void*>(&start), &size,
                              static_cast<void*>(&base), &mapped};
  if (cuda.cuPointerGetAttributes_(static_cast<unsigned>(names.size()), names.data(), values.data(),
                                   address) != CUDA_SUCCESS)
    return {};
  facts.reserved = {reinterpret_cast<std::uint64_t>(start), size};
  facts.mapped = {reinterpret_cast<std::uint64_t>(base), mapped};
  return facts;
}

/// Neighbouring mappings in one reservation, as allocators create it that map memory on demand.
Range mapped_around(const LoadedCuda& cuda, const PointerFacts& facts) {
  const Range& reserved = facts.reserved;
  std::uint64_t first = facts.mapped.address, end = facts.mapped.end();
  while (end < reserved.end()) {
    const PointerFacts next = facts_of(cuda, end);
    if (next.type == 0 || next.mapped.bytes == 0 || !next.mapped.contains(end)) break;
    end = next.mapped.end();
  }
  while (first > reserved.address) {
    const PointerFacts before = facts_of(cuda, first - 1);
    if (before.type == 0 || before.mapped.bytes == 0 || !before.mapped.contains(first - 1)) break;
    first = before.mapped.address;
  }
  first = std::max(first, reserved.address);
  return {first, std::min(end, reserved.end()) - first};
}

}  // namespace

bool ProgramMemory::synchronize() { return cuda_.cuCtxSynchronize_() == CUDA_SUCCESS; }

std::optional<Range> ProgramMemory::allocation_at(std::uint64_t address) {
  const PointerFacts facts = facts_of(cuda_, address);
  if (facts.type == 0) return std::nullopt;
  if (facts.mapped.contains(address) && facts.reserved.contains(address) &&
      facts.mapped.bytes < facts.reserved.bytes)
    return mapped_around(cuda_, facts);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  if (cuda_.cuMemGetAddressRange_(&base, &bytes, address) == CUDA_SUCCESS)
    return Range{base, bytes};
  if (facts.reserved.contains(address)) return facts.reserved;
  return std::nullopt;
}

bool ProgramMemory::read(void* to, std::uint64_t from, std::size_t bytes) {
  return cuda_.cuMemcpyDtoH_(to, from, bytes) == CUDA_SUCCESS;
}

}  // namespace kernelbatch::capture
