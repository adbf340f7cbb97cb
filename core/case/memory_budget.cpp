#include "core/case/memory_budget.hpp"

#include <fmt/format.h>

#include "core/array/array.hpp"
#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {

double memory_limit_bytes(const std::string& text, const DeviceProperties& device) {
  if (text.ends_with("%")) return parse_fraction(text) * static_cast<double>(device.memory);
  return static_cast<double>(parse_bytes(text));
}

MemoryBudget::MemoryBudget(const Setting& setting)
    : setting_(setting), used_(setting.used != nullptr ? setting.used : &own_) {}

MemoryBudget::~MemoryBudget() { *used_ -= counted_; }

void MemoryBudget::count(double bytes) {
  counted_ += bytes;
  *used_ += bytes;
  if (setting_.limit > 0 && *used_ > setting_.limit)
    throw OutOfMemoryError(
        fmt::format("the variant needs {} on the device, limits.memory allows {}",
                    format_bytes(static_cast<std::uint64_t>(counted_)),
                    format_bytes(static_cast<std::uint64_t>(setting_.limit))));
}

bool MemoryBudget::may_keep(std::size_t bytes, const Device& device) {
  const auto size = static_cast<double>(bytes);
  if (setting_.limit > 0 && *used_ + size > setting_.limit) return false;
  if (size > 0.9 * static_cast<double>(device.free_memory())) return false;
  count(size);
  return true;
}

bool MemoryBudget::stays_on_host(std::size_t bytes) {
  if (!setting_.may_stage || setting_.limit <= 0) return false;
  const auto size = static_cast<double>(bytes);
  const bool fits = counted_ + size <= setting_.limit;
  // If a case does not fit, stage all its large arrays: the buffers need room, too.
  const bool is_large = setting_.case_bytes > setting_.limit && size > setting_.limit / 8;
  if (fits && !is_large) return false;
  // Two streams, each with a buffer: staging a smaller array saves nothing.
  const std::size_t buffers = 2 * staging_bytes(bytes);
  if (bytes <= buffers) return false;
  staged_ += size;
  count(static_cast<double>(buffers));
  return true;
}

}  // namespace kernelbatch
