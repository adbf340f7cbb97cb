#include <algorithm>
#include <span>

#include "core/kernel/elementwise/policy.hpp"

namespace kernelbatch {
namespace {

/// Bytes of aligned packs, and most of them around one pack of the outputs. On an H200: wider
/// elements take longer that way, as do three packs.
constexpr std::int64_t kCoverBytes = 16, kMostCovers = 2;

}  // namespace

std::optional<PackedLoop::Cover> TiledLoop::cover_of(const ElementwiseLoop& loop,
                                                     const Operand& operand) const {
  const TileOrder& order = shape.order;
  const auto slot = static_cast<std::size_t>(operand.slot);
  const auto item = static_cast<std::int64_t>(size_of(operand.dtype));
  const Strides& strides = loop.plan.strides[slot];
  const std::int64_t bytes = order.pack * strides[order.axes.front()];
  if (copies || operand.is_output || shape.staged[slot] || item >= kSmallestWord ||
      strides[order.axes.front()] <= item || strides[order.axes.front()] % item != 0 ||
      bytes % kCoverBytes != 0 || bytes > kMostCovers * kCoverBytes ||
      !is_even(strides, shape.extents, order))
    return std::nullopt;
  const auto run = std::span(order.axes).first(static_cast<std::size_t>(order.run_axes));
  for (int axis = 0; axis < loop.plan.rank(); ++axis)
    if (std::ranges::find(run, axis) == run.end() && strides[axis] % kCoverBytes != 0)
      return std::nullopt;
  const auto begin =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(operand.array().data()));
  if (begin % item != 0) return std::nullopt;
  PackedLoop::Cover cover{.width = static_cast<int>(kCoverBytes / item),
                          .phase = static_cast<int>(begin % kCoverBytes / item),
                          .step = static_cast<int>(strides[order.axes.front()] / item)};
  cover.count = ((order.pack - 1) * cover.step + cover.phase) / cover.width + 1;
  return cover;
}

}  // namespace kernelbatch
