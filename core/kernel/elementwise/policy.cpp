#include "core/kernel/elementwise/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

/// Packs of each input that a thread loads before it uses the first. Tuned on an H200 with maps of
/// 1e8 elements.
struct PackedTuning {
  /// With function calls: their computation hides the latency of loads, so a few elements whose
  /// computations overlap suffice.
  int elements_of_functions = 8, most_of_functions = 4;
  /// Elements for each resident thread, as a share of a pack, from which packs are that large: with
  /// fewer, the latency of the calls in a thread costs more than narrower loads.
  double least_share_of_functions = 0.6;
  /// Registers are few: the more arrays, the fewer packs of each. For one array two packs are
  /// fastest.
  int of_one_input = 2, of_two_inputs = 4, of_four_inputs = 2, of_more = 1;
  int least_waves = 2;  ///< of resident threads; with fewer elements one pack each
};
constexpr PackedTuning kPackedTuning;
/// Inputs with gaps that are read with these: maximum distance of neighbours in elements, and bytes
/// of a pack with its gaps. On an H200.
constexpr int kMostCoveredStep = 4;
constexpr int kMostCoveredBytes = 32;

/// Elements of a row that one thread processes: few if an array is transposed, so that the cache
/// lines loaded for one row are still in the cache for the next. Tuned on a Xeon with 48 KiB of L1
/// per core.
struct RowPieceTuning {
  int transposed_piece = 32, piece = 1 << 13;
};
constexpr RowPieceTuning kRowPieceTuning;

/// Elements along the last axis per load, for every array that is dense there; 1 if an array has
/// gaps or is not aligned.
int pack_of(const ElementwiseLoop& loop, const DeviceProperties& device) {
  std::size_t largest = 1;
  for (const Operand& operand : loop.operands)
    if (operand.is_looped()) largest = std::max(largest, size_of(operand.dtype));
  int pack = std::max(1, device.vector_bytes / static_cast<int>(largest));
  const int last = loop.plan.rank() - 1;
  const auto fits = [&](std::int64_t value) { return value % pack == 0; };
  // With one axis a remainder is possible; with several, every run along the last axis must consist
  // of whole packs.
  while (last > 0 && !fits(loop.plan.extents[last])) pack /= 2;
  for (const Operand& operand : loop.operands) {
    if (!operand.is_looped() || loop.is_constant(operand)) continue;
    if (!loop.is_packed(operand)) return 1;
    const auto bytes = static_cast<std::int64_t>(size_of(operand.dtype));
    const auto begin = reinterpret_cast<std::int64_t>(operand.array().data());
    const auto is_aligned = [&](std::int64_t offset) { return offset % (bytes * pack) == 0; };
    const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
    while (pack > 1 && !is_aligned(begin)) pack /= 2;
    for (int axis = 0; axis < last; ++axis)
      while (pack > 1 && !is_aligned(strides[axis])) pack /= 2;
  }
  return pack;
}

int packs_in_flight(const ElementwiseDefinition& definition, const ElementwiseLoop& loop,
                    const PackedLoop& packed) {
  if (definition.calls_functions)
    return std::clamp(kPackedTuning.elements_of_functions / packed.pack, 1,
                      kPackedTuning.most_of_functions);
  const auto is_gappy = [&](const Operand& operand) {
    return operand.is_looped() && !loop.is_constant(operand) && !loop.is_packed(operand);
  };
  // Scattered loads fill the queues of a unit without packs.
  if (!packed.covers && std::count_if(loop.operands.begin(), loop.operands.end(), is_gappy) > 1)
    return 1;
  const auto inputs = std::count_if(
      loop.operands.begin(), loop.operands.end(),
      [](const Operand& operand) { return operand.is_looped() && !operand.is_output; });
  return inputs == 1   ? kPackedTuning.of_one_input
         : inputs <= 2 ? kPackedTuning.of_two_inputs
         : inputs <= 4 ? kPackedTuning.of_four_inputs
                       : kPackedTuning.of_more;
}

int piece_of(const ElementwiseLoop& loop) {
  for (const Operand& operand : loop.operands) {
    if (!operand.is_looped() || loop.is_constant(operand) || loop.is_packed(operand)) continue;
    const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
    for (int axis = 0; axis + 1 < loop.plan.rank(); ++axis)
      if (strides[axis] != 0 && std::abs(strides[axis]) < std::abs(loop.step(operand)))
        return kRowPieceTuning.transposed_piece;
  }
  return kRowPieceTuning.piece;
}

/// True if a thread may process several elements at once. Not if a store may be skipped, which
/// concerns only one of them, nor on a device whose compiler vectorizes. Not if the text contains
/// loops either: their reads for neighbouring elements are coalesced across threads, but with packs
/// a thread would read with gaps.
bool takes_several(const ElementwiseLoop& loop, const ElementwiseDefinition& definition,
                   const DeviceProperties& device) {
  return !loop.keeps_axes && device.vector_bytes > 0 && loop.arrays() > 0 && !definition.leaves &&
         !definition.has_loops;
}

/// Elements from one of an array to the next; 0 if that is no whole number in reach.
int element_step(const ElementwiseLoop& loop, const Operand& operand) {
  const auto item = static_cast<std::int64_t>(size_of(operand.dtype));
  const std::int64_t step = loop.step(operand);
  return step % item == 0 && step > 0 && step <= kMostCoveredStep * item
             ? static_cast<int>(step / item)
             : 0;
}

std::int64_t begin_of(const Operand& operand) {
  return reinterpret_cast<std::int64_t>(operand.array().data());
}

/// Packs whose inputs are covered by aligned ones; none if that is not possible.
PackedLoop covering(const ElementwiseLoop& loop, const DeviceProperties& device) {
  PackedLoop packed{.pack = device.vector_bytes, .covers = true};
  if (loop.plan.rank() != 1) return {};
  const auto lead_of = [&](const Operand& operand) {
    const auto item = static_cast<std::int64_t>(size_of(operand.dtype));
    const std::int64_t pack = packed.pack * item;
    return static_cast<int>((pack - begin_of(operand) % pack) % pack / item);
  };
  for (const Operand& operand : loop.operands) {
    if (!operand.is_looped() || loop.is_constant(operand)) continue;
    const auto item = static_cast<int>(size_of(operand.dtype));
    const int step = element_step(loop, operand);
    if (step == 0 || (step > 1 && operand.is_output) || begin_of(operand) % item != 0) return {};
    const int most = step == 1 ? device.vector_bytes : kMostCoveredBytes;
    while (packed.pack > 1 && packed.pack * item * step > most) packed.pack /= 2;
  }
  for (const Operand& operand : loop.operands)
    if (operand.is_output && operand.is_looped()) packed.lead = lead_of(operand);
  for (const Operand& operand : loop.operands)
    if (operand.is_output && operand.is_looped() && packed.lead != lead_of(operand)) return {};
  return packed;
}

/// Elements of a pack of a text with function calls: few if the device would have idle threads.
int pack_of_functions(int pack, std::int64_t count, std::int64_t threads) {
  const double for_each = static_cast<double>(count) / static_cast<double>(threads);
  while (pack > 1 && for_each < kPackedTuning.least_share_of_functions * pack) pack /= 2;
  return pack;
}

/// The first suitable schedule.
LoopSchedule choose_schedule(const ElementwiseLoop& loop, const ElementwiseDefinition& definition,
                             const DeviceProperties& device) {
  if (auto rows = RowsLoop::choose(loop, device)) return *rows;
  if (takes_several(loop, definition, device))
    if (auto tiled = TiledLoop::choose(loop, definition, device)) return std::move(*tiled);
  if (auto packed = PackedLoop::choose(loop, definition, device)) return *packed;
  if (loop.is_dense) return DenseLoop{};
  return StridedLoop{};
}

}  // namespace

std::optional<PackedLoop::Cover> PackedLoop::cover_of(const ElementwiseLoop& loop,
                                                      const Operand& operand) const {
  if (!covers || operand.is_output || loop.is_constant(operand)) return std::nullopt;
  const int item = static_cast<int>(size_of(operand.dtype));
  Cover cover{.step = element_step(loop, operand)};
  const std::int64_t begin = begin_of(operand) + std::int64_t{lead} * cover.step * item;
  if (cover.step == 1 && begin % (pack * item) == 0) return std::nullopt;
  cover.width = std::max(1, 16 / item);
  // The packs of all threads begin at the same place of an aligned one.
  while (cover.width > 1 && pack * cover.step % cover.width != 0) cover.width /= 2;
  cover.phase = static_cast<int>(begin % (cover.width * item)) / item;
  cover.count = ((pack - 1) * cover.step + cover.phase) / cover.width + 1;
  return cover;
}

int PackedLoop::margin(const ElementwiseLoop& loop) const {
  int margin = 0;
  for (const Operand& operand : loop.operands) {
    if (!operand.is_looped()) continue;
    if (const auto cover = cover_of(loop, operand)) margin = std::max(margin, cover->width);
  }
  return margin;
}

std::optional<PackedLoop> PackedLoop::choose(const ElementwiseLoop& loop,
                                             const ElementwiseDefinition& definition,
                                             const DeviceProperties& device) {
  if (!takes_several(loop, definition, device)) return std::nullopt;
  const std::int64_t count = loop.plan.count;
  const std::int64_t threads = std::int64_t{device.loop_blocks} * device.loop_block;
  const int own = pack_of(loop, device);
  PackedLoop packed{
      .pack = definition.calls_functions ? pack_of_functions(own, count, threads) : own,
      .is_located = !loop.is_dense};
  if (packed.pack == own && count > threads)
    if (const PackedLoop other = covering(loop, device); other.pack > packed.pack) packed = other;
  if (count / packed.pack > kPackedTuning.least_waves * threads)
    packed.in_flight = packs_in_flight(definition, loop, packed);
  return packed;
}

std::optional<RowsLoop> RowsLoop::choose(const ElementwiseLoop& loop,
                                         const DeviceProperties& device) {
  if (device.is_simt() || loop.keeps_axes || loop.is_dense || loop.arrays() == 0)
    return std::nullopt;
  return RowsLoop{piece_of(loop)};
}

bool ElementwiseLoop::has_layout() const noexcept {
  const auto* const packed = std::get_if<PackedLoop>(&schedule);
  return packed != nullptr ? packed->is_located : !is<DenseLoop>();
}

LayoutArgument ElementwiseLoop::layout() const noexcept {
  const auto* const tiled = std::get_if<TiledLoop>(&schedule);
  return {tiled != nullptr ? tiled->tiles : plan, is_wide};
}

LaunchShape ElementwiseLoop::launch_shape(const ElementwiseDefinition& definition,
                                          const DeviceProperties& device) const {
  LaunchShape shape;
  if (const auto* tiled = std::get_if<TiledLoop>(&schedule)) {
    shape.block.x = TiledLoop::kThreads;
    shape.grid.x =
        static_cast<std::uint32_t>(std::min<std::int64_t>(tiled->tiles.count, kMostBlocks));
    return shape;
  }
  const auto* const packed = std::get_if<PackedLoop>(&schedule);
  const PackedLoop each = packed != nullptr ? *packed : PackedLoop{};
  const int block = definition.options.block_size.value_or(device.loop_block);
  const std::int64_t units = ceil_divide(ceil_divide(plan.count, each.pack), each.in_flight);
  const std::int64_t per_block = std::max(block, device.loop_grain);
  // A text with per-thread preparation needs few threads; otherwise short-lived blocks keep the
  // memory busier than persistent ones.
  const bool stays = !device.is_simt() || !definition.options.loop_prep.empty() ||
                     !definition.options.after_loop.empty();
  shape.block.x = static_cast<std::uint32_t>(device.is_simt() ? block : 1);
  shape.grid.x = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
      ceil_divide(units, per_block), 1, stays ? device.loop_blocks : kMostBlocks));
  return shape;
}

void ElementwiseLoop::add_parameters(LaunchPlan& launch) const {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    constexpr std::byte kLater[16] = {};
    std::size_t offset = 0;
    if (operand.is_scalar()) {
      offset = launch.add_parameter(kLater, size_of(operand.dtype));
    } else if (operand.parameter->is_raw) {
      const std::vector<std::int64_t> words = view_words(operand.array());
      offset = launch.add_parameter(words.data(), words.size() * sizeof(std::int64_t));
    } else {
      offset = launch.add_parameter(kLater, sizeof(void*));
    }
    launch.patch(k, offset, operand.dtype, operand.name());
  }
  launch.add_parameter(&plan.count, sizeof plan.count);
  if (!has_layout()) return;
  launch.add_parameter(layout().bytes());
  if (const auto* tiled = std::get_if<TiledLoop>(&schedule))
    launch.add_parameter(tiled->steps(*this));
}

ElementwiseLoop plan_elementwise(const ElementwiseDefinition& definition, ResolvedTypes types,
                                 const Shape& shape, std::span<const Argument> arguments,
                                 const DeviceProperties& device) {
  ElementwiseLoop loop;
  loop.operands = operands_of(definition.in, definition.out, types, arguments);
  loop.types = std::move(types);
  std::vector<Array> looped;
  for (Operand& operand : loop.operands) {
    if (!operand.is_looped()) continue;
    operand.slot = static_cast<int>(looped.size());
    looped.push_back(operand.array());
    if (operand.is_output) require_own_elements(operand.array(), operand.name());
  }
  loop.keeps_axes = definition.needs_axes || !definition.options.reduce_dims;
  loop.plan =
      plan_loop(looped, shape, !loop.keeps_axes, !loop.keeps_axes && !definition.sees_order);
  loop.is_wide = loop.plan.is_wide();
  loop.is_dense = !loop.keeps_axes && loop.plan.is_dense(looped);
  loop.schedule = choose_schedule(loop, definition, device);
  return loop;
}

}  // namespace kernelbatch
