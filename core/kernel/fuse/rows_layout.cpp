#include "core/kernel/fuse/rows_layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace kernelbatch {
namespace {

/// Layout of an array that has an element for each element of a row.
struct RowLayout {
  std::int64_t item, along, across;  ///< bytes of an element, to the next one, to the next row
  bool is_dense() const noexcept { return along == item; }
  bool is_close() const noexcept { return across == item && std::abs(along) > item; }
};

RowLayout layout_of(const RowsLoops& loops, std::size_t k, const Array& array) {
  const auto last = [](const Strides& strides) { return strides[strides.count() - 1]; };
  return {static_cast<std::int64_t>(size_of(array.dtype())), last(loops.inner.strides[k]),
          last(loops.outer.strides[k])};
}

/// Neighbouring elements that one aligned load or store covers in every array; 1 if an array has
/// gaps.
int pack_of(const RowsLoops& loops, std::span<const Argument> arguments,
            const std::vector<bool>& is_row, const DeviceProperties& device) {
  std::int64_t largest = 1;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (!is_row[k])
      largest = std::max(largest, static_cast<std::int64_t>(size_of(arguments[k].array().dtype())));
  std::int64_t pack = std::max<std::int64_t>(1, device.vector_bytes / largest);
  if (loops.inner.rank() > 1) return 1;
  while (loops.inner.count % pack != 0) pack /= 2;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (is_row[k]) continue;
    const RowLayout layout = layout_of(loops, k, arguments[k].array());
    if (!layout.is_dense()) return 1;
    const auto fits = [&](std::int64_t offset) { return offset % (layout.item * pack) == 0; };
    while (pack > 1 && !fits(reinterpret_cast<std::int64_t>(arguments[k].array().data())))
      pack /= 2;
    for (const std::int64_t stride : loops.outer.strides[k])
      while (pack > 1 && !fits(stride)) pack /= 2;
  }
  return static_cast<int>(pack);
}

/// The arrays whose rows follow each other without gaps. Sets `problem.staged`, to 0 unless this
/// holds, from aligned addresses on, for all arrays that differ from row to row, and
/// `problem.smallest`.
std::vector<bool> find_stacked(RowsProblem& problem, const RowsLoops& loops,
                               std::span<const Argument> arguments, std::size_t inputs,
                               const std::vector<bool>& is_row) {
  constexpr std::int64_t kAligned = 16;
  std::vector<bool> stacked(arguments.size(), false);
  std::multiset<std::int64_t> reusable;  // sizes of inputs' elements
  std::int64_t bytes = 0, smallest = kAligned;
  bool is_possible = loops.inner.rank() == 1 && loops.outer.rank() == 1;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (is_row[k]) continue;
    const RowLayout layout = layout_of(loops, k, arguments[k].array());
    const bool is_of_all_rows = layout.across == 0;
    stacked[k] = layout.is_dense() && !is_of_all_rows;
    is_possible = is_possible && layout.is_dense() &&
                  (is_of_all_rows || layout.across == problem.length * layout.item) &&
                  (is_of_all_rows ||
                   reinterpret_cast<std::int64_t>(arguments[k].array().data()) % kAligned == 0);
    if (!stacked[k]) continue;
    if (k < inputs) reusable.insert(layout.item);
    if (const auto same = reusable.find(layout.item); k >= inputs && same != reusable.end())
      reusable.erase(same);
    else
      bytes += layout.item;
    smallest = std::min(smallest, layout.item);
  }
  problem.staged = is_possible ? static_cast<int>(bytes) : 0;
  problem.smallest = static_cast<int>(smallest);
  return stacked;
}

/// True if a thread can copy the packs of all inputs by itself.
bool can_fetch(const RowsProblem& problem, std::span<const Argument> arguments,
               const std::vector<bool>& is_row) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::size_t bytes =
        static_cast<std::size_t>(problem.pack) * size_of(arguments[k].array().dtype());
    if (!is_row[k] && bytes != 4 && bytes != 8 && bytes != 16) return false;
  }
  return true;
}

/// True if more arrays are dense from row to row than along rows.
bool rows_are_close(const RowsLoops& loops, std::span<const Argument> arguments,
                    const std::vector<bool>& is_row) {
  int close = 0, dense = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (is_row[k]) continue;
    const RowLayout layout = layout_of(loops, k, arguments[k].array());
    if (layout.is_close()) ++close;
    if (layout.is_dense()) ++dense;
  }
  return close > dense;
}

/// Neighbouring elements of an aligned pack, for rows that are not aligned but start at the same
/// offset within a pack in all arrays; arrays shared by all rows may begin anywhere.
int shifted_pack_of(RowsLayout& layout, const RowsLoops& loops, std::span<const Argument> arguments,
                    const std::vector<bool>& is_row, const DeviceProperties& device) {
  if (loops.inner.rank() > 1) return 1;
  std::int64_t largest = 1;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (is_row[k]) continue;
    if (!layout.is_dense[k]) return 1;
    largest = std::max(largest, static_cast<std::int64_t>(size_of(arguments[k].array().dtype())));
    if (layout.is_of_rows[k] && layout.first_of_rows < 0)
      layout.first_of_rows = static_cast<int>(k);
  }
  if (layout.first_of_rows < 0) return 1;
  const auto first = static_cast<std::size_t>(layout.first_of_rows);
  std::int64_t pack = std::max<std::int64_t>(1, device.vector_bytes / largest);
  // Offsets in elements: of the first element of all, and from row to row.
  const auto places = [&](std::size_t k) {
    const auto item = static_cast<std::int64_t>(size_of(arguments[k].array().dtype()));
    std::vector<std::int64_t> result{reinterpret_cast<std::int64_t>(arguments[k].array().data()) /
                                     item};
    for (const std::int64_t stride : loops.outer.strides[k]) result.push_back(stride / item);
    return result;
  };
  const std::vector<std::int64_t> expected = places(first);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (is_row[k] || !layout.is_of_rows[k]) continue;
    const std::vector<std::int64_t> own = places(k);
    for (std::size_t at = 0; at < own.size(); ++at)
      while ((own[at] - expected[at]) % pack != 0) pack /= 2;
  }
  return static_cast<int>(pack);
}

}  // namespace

RowsLayout describe_layout(RowsProblem& problem, const RowsLoops& loops,
                           std::span<const Argument> arguments, std::size_t inputs,
                           const std::vector<bool>& is_row, const DeviceProperties& device) {
  RowsLayout layout;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    layout.is_dense.push_back(loops.inner.rank() == 1 &&
                              layout_of(loops, k, arguments[k].array()).is_dense());
    const Strides& strides = loops.outer.strides[k];
    layout.is_of_rows.push_back(
        std::ranges::any_of(strides, [](std::int64_t stride) { return stride != 0; }));
    layout.is_apart.push_back(std::ranges::all_of(
        strides, [&](std::int64_t stride) { return stride >= device.vector_bytes; }));
  }
  layout.is_stacked = find_stacked(problem, loops, arguments, inputs, is_row);
  problem.pack = pack_of(loops, arguments, is_row, device);
  problem.shifted_pack = shifted_pack_of(layout, loops, arguments, is_row, device);
  problem.rows_are_close = rows_are_close(loops, arguments, is_row);
  problem.can_fetch = can_fetch(problem, arguments, is_row);
  return layout;
}

}  // namespace kernelbatch
