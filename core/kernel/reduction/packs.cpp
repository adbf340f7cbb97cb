#include "core/kernel/reduction/packs.hpp"

#include <algorithm>
#include <vector>

namespace kernelbatch {
namespace {

/// Packs of an input that cover elements which begin anywhere: at most these bytes, on an H200, and
/// at least a word, of which they are joined.
constexpr int kCoveredBytes = 8, kWordBytes = 4;

/// The widest pack, at most `pack`, of elements of `item` bytes whose size divides the offset.
int aligned_pack(int pack, std::int64_t item, std::int64_t offset) {
  while (pack > 1 && offset % (item * pack) != 0) pack /= 2;
  return pack;
}
int aligned_pack(int pack, std::int64_t item, const Strides& strides, int but_axis) {
  for (int axis = 0; axis < strides.count(); ++axis)
    if (axis != but_axis) pack = aligned_pack(pack, item, strides[axis]);
  return pack;
}

/// The widest pack of elements as large as the largest.
int widest_pack(std::span<const Array> inputs, const DeviceProperties& device) {
  std::size_t largest = 1;
  for (const Array& input : inputs) largest = std::max(largest, size_of(input.dtype()));
  return std::max(1, device.vector_bytes / static_cast<int>(largest));
}

}  // namespace

int pack_width(const ReductionLoops& loops, std::span<const Array> inputs,
               const DeviceProperties& device) {
  if (inputs.empty() || device.vector_bytes == 0) return 1;
  int pack = widest_pack(inputs, device);
  const int last = loops.inner.rank() - 1;
  while (pack > 1 && (last > 0 ? loops.inner.extents[last] % pack != 0 : loops.inner.count < pack))
    pack /= 2;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(inputs[k].dtype()));
    const std::int64_t stride = loops.inner.strides[k][last];
    if (stride == 0) continue;
    if (stride != item) return 1;
    pack = aligned_pack(pack, item, reinterpret_cast<std::int64_t>(inputs[k].data()));
    pack = aligned_pack(pack, item, loops.inner.strides[k], last);
    pack = aligned_pack(pack, item, loops.outer.strides[k], -1);
  }
  return pack;
}

int across_width(const ReductionLoops& loops, std::size_t inputs,
                 std::span<const Array* const> arrays, const DeviceProperties& device) {
  if (inputs == 0 || device.vector_bytes == 0) return 1;
  std::size_t largest = 1;
  for (const Array* array : arrays)
    if (array != nullptr) largest = std::max(largest, size_of(array->dtype()));
  int pack = std::max(1, device.vector_bytes / static_cast<int>(largest));
  const int last = loops.outer.rank() - 1;
  while (pack > 1 && loops.outer.extents[last] % pack != 0) pack /= 2;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k] == nullptr) return 1;
    const auto item = static_cast<std::int64_t>(size_of(arrays[k]->dtype()));
    const std::int64_t stride = loops.outer.strides[k][last];
    if (stride == 0 && k < inputs) continue;
    if (stride != item) return 1;
    pack = aligned_pack(pack, item, reinterpret_cast<std::int64_t>(arrays[k]->data()));
    pack = aligned_pack(pack, item, loops.outer.strides[k], last);
    if (k < inputs) pack = aligned_pack(pack, item, loops.inner.strides[k], -1);
  }
  return pack;
}

FoldedPacks folded_packs(const ReductionLoops& loops, std::span<const Array> inputs, int group_axes,
                         const DeviceProperties& device) {
  if (device.vector_bytes == 0) return {};
  FoldedPacks packs{.width = widest_pack(inputs, device)};
  std::vector<std::int64_t> common;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (loops.inner.strides[k][0] == 0) continue;
    const auto item = static_cast<std::int64_t>(size_of(inputs[k].dtype()));
    std::vector<std::int64_t> steps{reinterpret_cast<std::int64_t>(inputs[k].data())};
    for (int axis = 0; axis < group_axes; ++axis) steps.push_back(loops.outer.strides[k][axis]);
    for (std::int64_t& step : steps) {
      if (step % item != 0) return {};
      step = (step / item % packs.width + packs.width) % packs.width;
      packs.is_shifted = packs.is_shifted || step != 0;
    }
    if (common.empty()) common = steps;
    if (steps != common) return {};
  }
  return packs;
}

int run_width(const ReductionLoops& loops, std::span<const Array> inputs, bool has_runs,
              const DeviceProperties& device) {
  int pack = widest_pack(inputs, device);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(inputs[k].dtype()));
    pack = aligned_pack(pack, item, reinterpret_cast<std::int64_t>(inputs[k].data()));
    pack = aligned_pack(pack, item, loops.outer.strides[k], loops.outer.rank() - 1);
    pack = aligned_pack(pack, item, loops.inner.strides[k], has_runs ? loops.inner.rank() - 1 : -1);
    pack = aligned_pack(pack, item,
                        loops.outer.extents[loops.outer.rank() - 1] *
                            loops.outer.strides[k][loops.outer.rank() - 1]);
  }
  return pack;
}

int covered_width(const ReductionLoops& loops, std::size_t inputs,
                  std::span<const Array* const> arrays, const DeviceProperties& device) {
  if (inputs == 0 || device.vector_bytes == 0 || loops.outer.rank() != 1) return 1;
  int pack = device.vector_bytes;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k] == nullptr) return 1;
    const int most = k < inputs ? kCoveredBytes : device.vector_bytes;
    pack = std::min(pack, most / static_cast<int>(size_of(arrays[k]->dtype())));
  }
  while (pack > 1 && loops.outer.count < pack) pack /= 2;
  std::int64_t smallest = kWordBytes;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(arrays[k]->dtype()));
    const std::int64_t stride = loops.outer.strides[k][0];
    const auto begin = reinterpret_cast<std::int64_t>(arrays[k]->data());
    if (stride == 0 && k < inputs) continue;
    if (stride != item) return 1;
    if (k >= inputs) {
      pack = aligned_pack(pack, item, begin);
      continue;
    }
    const auto is_whole = [item](std::int64_t offset) { return offset % item == 0; };
    if (!is_whole(begin) || !std::ranges::all_of(loops.inner.strides[k], is_whole)) return 1;
    smallest = std::min(smallest, item);
  }
  return pack * smallest < kWordBytes ? 1 : pack;
}

int shifted_width(const ReductionLoops& loops, std::span<const Array> inputs, PackAxis axis,
                  const DeviceProperties& device) {
  const bool is_inner = axis == PackAxis::kInner;
  if (inputs.empty() || device.vector_bytes == 0 || (!is_inner && loops.inner.rank() != 1))
    return 1;
  const int pack = widest_pack(inputs, device);
  std::vector<std::int64_t> common;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(inputs[k].dtype()));
    const Strides &outer = loops.outer.strides[k], &inner = loops.inner.strides[k];
    const Strides& strides = is_inner ? inner : outer;
    const std::int64_t along = strides[strides.count() - 1];
    if (along == 0) continue;
    if (along != item) return 1;
    std::vector<std::int64_t> steps{reinterpret_cast<std::int64_t>(inputs[k].data())};
    for (const Strides* each : {&inner, &outer})
      for (int at = 0; at < each->count(); ++at) steps.push_back((*each)[at]);
    for (std::int64_t& step : steps) {
      if (step % item != 0) return 1;
      step = (step / item % pack + pack) % pack;
    }
    if (common.empty()) common = steps;
    if (steps != common) return 1;
  }
  return common.empty() ? 1 : pack;
}

}  // namespace kernelbatch
