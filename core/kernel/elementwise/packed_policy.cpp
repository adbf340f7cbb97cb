#include <algorithm>
#include <cstdlib>

#include "core/kernel/elementwise/policy.hpp"

namespace kernelbatch {
namespace {

/// Packs that a thread loads before it uses the first. Tuned on an H200 with maps of 1e8 elements.
struct PackedTuning {
  /// Bytes of an array that a thread has, by several packs if one has fewer: with more the memory
  /// is up to 4 % slower, and with fewer it waits for loads.
  int bytes = 16, most = 4;
  /// With function calls: their computation hides the latency of loads, so a few elements whose
  /// computations overlap suffice.
  int elements_of_functions = 8;
  /// Elements for each resident thread, as a share of a pack, from which packs are that large: with
  /// fewer, the latency of the calls in a thread costs more than narrower loads.
  double least_share_of_functions = 0.45;
  /// The same of other texts, from which packs are wide: the code for the elements after the last
  /// pack takes 0.3 µs to fetch.
  double least_share = 0.25;
  int least_waves = 2;  ///< of resident threads; with fewer elements one pack each
};
constexpr PackedTuning kPackedTuning;
/// Inputs with gaps that are read with these: maximum distance of neighbours in elements, and bytes
/// of a pack with its gaps. On an H200.
constexpr int kMostCoveredStep = 4;
constexpr int kMostCoveredBytes = 32;
/// Packs of a row from which few of them contain a row's end: the packs around its elements are
/// read.
constexpr int kLeastSpan = 32;

/// Bytes of the largest element of the arrays.
int largest_item(const ElementwiseLoop& loop) {
  std::size_t largest = 1;
  for (const Operand& operand : loop.operands)
    if (operand.is_looped()) largest = std::max(largest, size_of(operand.dtype));
  return static_cast<int>(largest);
}

/// Elements along the last axis per load, for every array that is dense there; 1 if an array has
/// gaps or is not aligned.
int pack_of(const ElementwiseLoop& loop, const DeviceProperties& device) {
  int pack = std::max(1, device.vector_bytes / largest_item(loop));
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
  const int elements = definition.calls_functions ? kPackedTuning.elements_of_functions
                                                  : kPackedTuning.bytes / largest_item(loop);
  const auto is_gappy = [&](const Operand& operand) {
    return operand.is_looped() && !loop.is_constant(operand) && !loop.is_packed(operand);
  };
  // Scattered loads fill the queues of a unit without packs.
  if (!definition.calls_functions && !packed.covers &&
      std::ranges::count_if(loop.operands, is_gappy) > 1)
    return 1;
  return std::clamp(elements / packed.pack, 1, kPackedTuning.most);
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

/// True if an array's distances along all axes but the last are multiples of `pack` elements.
bool steps_are_even(const ElementwiseLoop& loop, const Operand& operand, int pack) {
  const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
  const auto bytes = static_cast<std::int64_t>(size_of(operand.dtype)) * pack;
  for (int axis = 0; axis + 1 < loop.plan.rank(); ++axis)
    if (strides[axis] % bytes != 0) return false;
  return true;
}

/// Packs whose inputs are covered by aligned ones; none if that is not possible.
PackedLoop covering(const ElementwiseLoop& loop, const DeviceProperties& device) {
  const int last = loop.plan.rank() - 1;
  PackedLoop packed{.pack = device.vector_bytes, .is_located = last > 0, .covers = true};
  while (last > 0 && loop.plan.extents[last] % packed.pack != 0) packed.pack /= 2;
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
  if (!packed.is_located) return packed;
  // Every run along the last axis consists of whole packs of the outputs.
  if (packed.lead != 0) return {};
  for (const Operand& operand : loop.operands)
    if (operand.is_output && operand.is_looped() && !steps_are_even(loop, operand, packed.pack))
      return {};
  return packed;
}

/// Elements from one of an array to the next along all axes; 0 if they are not evenly spaced.
int even_step(const ElementwiseLoop& loop, const Operand& operand) {
  const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
  std::int64_t bytes = loop.step(operand);
  for (int axis = loop.plan.rank() - 1; axis >= 0; bytes *= loop.plan.extents[axis--])
    if (strides[axis] != bytes) return 0;
  return element_step(loop, operand);
}

/// True if neighbours along all axes are neighbours in memory.
bool is_one_run(const ElementwiseLoop& loop, const Operand& operand) {
  return even_step(loop, operand) == 1;
}

/// True for an input with the same small gaps along all axes: aligned packs contain those of packs
/// that span its rows, which takes fewer loads than elements of less than 8 bytes.
bool has_even_gaps(const ElementwiseLoop& loop, const Operand& operand, int pack) {
  const auto item = static_cast<int>(size_of(operand.dtype));
  const int step = even_step(loop, operand);
  return !operand.is_output && step > 1 && item < 8 && pack * step * item <= kMostCoveredBytes &&
         begin_of(operand) % item == 0;
}

/// Packs of outputs that are one run, for inputs with rows; none if an output has gaps.
PackedLoop spanning(const ElementwiseLoop& loop, const DeviceProperties& device) {
  const int last = loop.plan.rank() - 1;
  PackedLoop packed{
      .pack = device.vector_bytes / largest_item(loop), .is_located = true, .spans = true};
  if (last == 0) return {};
  packed.by_elements = loop.plan.extents[last] < kLeastSpan * packed.pack;
  for (const Operand& operand : loop.operands) {
    if (!operand.is_looped()) continue;
    const auto item = static_cast<std::int64_t>(size_of(operand.dtype));
    if (begin_of(operand) % (operand.is_output ? packed.pack * item : item) != 0) return {};
    if (operand.is_output && !is_one_run(loop, operand)) return {};
    if (operand.is_output || loop.is_constant(operand) || has_even_gaps(loop, operand, packed.pack))
      continue;
    if (!loop.is_packed(operand) || packed.pack * item < kSmallestWord) packed.by_elements = true;
  }
  return packed;
}

/// Elements of a pack: few if the device would have idle threads.
int pack_for_threads(int pack, const ElementwiseLoop& loop, const ElementwiseDefinition& definition,
                     std::int64_t threads) {
  const double for_each = static_cast<double>(loop.plan.count) / static_cast<double>(threads);
  if (!definition.calls_functions)
    return loop.is_dense && for_each < kPackedTuning.least_share ? 1 : pack;
  while (pack > 1 && for_each < kPackedTuning.least_share_of_functions * pack) pack /= 2;
  return pack;
}

}  // namespace

std::optional<PackedLoop::Cover> PackedLoop::cover_of(const ElementwiseLoop& loop,
                                                      const Operand& operand) const {
  const bool is_even = spans && has_even_gaps(loop, operand, pack);
  if (!(covers || is_even) || operand.is_output || loop.is_constant(operand)) return std::nullopt;
  const int item = static_cast<int>(size_of(operand.dtype));
  Cover cover{.step = element_step(loop, operand)};
  const std::int64_t begin = begin_of(operand) + std::int64_t{lead} * cover.step * item;
  if (cover.step == 1 && begin % (pack * item) == 0 && steps_are_even(loop, operand, pack))
    return std::nullopt;
  cover.width = std::max(1, 16 / item);
  // The packs of all threads begin at the same place of an aligned one.
  while (cover.width > 1 && (pack * cover.step % cover.width != 0 ||
                             !(is_even || steps_are_even(loop, operand, cover.width))))
    cover.width /= 2;
  cover.phase = static_cast<int>(begin % (cover.width * item)) / item;
  cover.count = ((pack - 1) * cover.step + cover.phase) / cover.width + 1;
  return cover;
}

bool PackedLoop::reads_rows(const ElementwiseLoop& loop, const Operand& operand) const {
  const auto bytes = pack * static_cast<std::int64_t>(size_of(operand.dtype));
  return spans && !operand.is_output && !has_even_gaps(loop, operand, pack) &&
         (!is_one_run(loop, operand) || begin_of(operand) % bytes != 0);
}

int PackedLoop::margin(const ElementwiseLoop& loop) const {
  int margin = 0;
  if (is_located) return margin;
  for (const Operand& operand : loop.operands) {
    if (!operand.is_looped()) continue;
    if (const auto cover = cover_of(loop, operand)) margin = std::max(margin, cover->width);
  }
  return margin;
}

PackedLoop PackedLoop::choose(const ElementwiseLoop& loop, const ElementwiseDefinition& definition,
                              const DeviceProperties& device) {
  const std::int64_t count = loop.plan.count;
  const std::int64_t threads = std::int64_t{device.loop_blocks} * device.loop_block;
  const int own = pack_of(loop, device);
  PackedLoop packed{.pack = pack_for_threads(own, loop, definition, threads),
                    .is_located = !loop.is_dense};
  if (packed.pack == own && count > threads) {
    if (const PackedLoop other = covering(loop, device); other.pack > packed.pack) packed = other;
    if (const PackedLoop other = spanning(loop, device); other.pack > packed.pack) packed = other;
  }
  packed.is_widest = packed.pack * largest_item(loop) >= device.vector_bytes;
  if (count / packed.pack > kPackedTuning.least_waves * threads)
    packed.in_flight = packs_in_flight(definition, loop, packed);
  return packed;
}

}  // namespace kernelbatch
