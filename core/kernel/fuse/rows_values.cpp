#include "core/kernel/fuse/rows_values.hpp"

#include <algorithm>

namespace kernelbatch {

std::vector<bool> row_nodes(const TypedGraph& typed, const std::vector<bool>& row_inputs) {
  std::vector<bool> rows;
  for (int id = 0; id < typed.graph->size(); ++id) {
    const Node& node = typed.node(id);
    bool is_row = node.kind == Node::Kind::kReduce || node.kind == Node::Kind::kConstant;
    if (node.kind == Node::Kind::kInput) is_row = row_inputs[static_cast<std::size_t>(node.input)];
    if (node.kind == Node::Kind::kApply || node.kind == Node::Kind::kCast)
      is_row = std::all_of(node.operands.begin(), node.operands.end(),
                           [&](int operand) { return rows[static_cast<std::size_t>(operand)]; });
    rows.push_back(is_row);
  }
  return rows;
}

int bytes_kept(const TypedGraph& typed, const std::vector<bool>& row_inputs, std::size_t least) {
  std::set<int> inputs;
  const std::vector<bool> is_row = row_nodes(typed, row_inputs);
  const auto visit = [&](const auto& self, int id) -> void {
    if (is_row[static_cast<std::size_t>(id)]) return;
    if (typed.node(id).kind == Node::Kind::kInput) inputs.insert(id);
    for (const int operand : typed.node(id).operands) self(self, operand);
  };
  for (const int id : typed.reductions) visit(visit, typed.node(id).operands[0]);
  std::size_t bytes = 0;
  for (const int id : inputs) bytes += std::max(size_of(typed.typed(id).dtype), least);
  return static_cast<int>(std::max<std::size_t>(bytes, 1));
}

namespace {

/// Tuned on an H200: with registers for more threads, kernels of these threads spill.
struct UnitTuning {
  int fewest = 512, few = 768, some = 1024, many = 1536;  ///< threads of a unit
  int pair = 16;    ///< bytes of an element that are read again, from which there are fewest
  int little = 16;  ///< elements and words of a thread: many
  /// Limits of a thread in blocks of at most `small_block` threads: words of elements of 8 bytes,
  /// or single elements that are smaller, from which there are few.
  int small_block = 128, words = 28, single_elements = 20;
  int block = 256, elements = 41;  ///< of a thread in such a block, from which there are few
  int elements_of_fewest = 32;     ///< of a thread of a block that fetches ahead, up to which some
  int staged_elements = 31;  ///< of a thread that reads shared memory, from which there are few
};
constexpr UnitTuning kUnit;

}  // namespace

bool has_exponentials(const TypedGraph& typed, const std::vector<bool>& row_inputs) {
  const std::vector<bool> is_row = row_nodes(typed, row_inputs);
  for (int id = 0; id < typed.graph->size(); ++id) {
    const Node& node = typed.node(id);
    if (typed.typed(id).is_needed && !is_row[static_cast<std::size_t>(id)] &&
        node.kind == Node::Kind::kApply && node.operation->name == "exp")
      return true;
  }
  return false;
}

int threads_of_unit(const TypedGraph& typed, const std::vector<bool>& row_inputs,
                    const RowsSchedule& schedule) {
  bool is_narrow = true;
  for (const TypedNode& node : typed.nodes)
    is_narrow = is_narrow && (!node.is_needed || size_of(node.compute) <= 4);
  const int bytes = bytes_kept(typed, row_inputs);
  if (!schedule.is_kept) {
    if (is_narrow || schedule.rows_are_close) return kUnit.some;
    const std::vector<bool> is_row = row_nodes(typed, row_inputs);
    const bool maps = !std::ranges::all_of(
        typed.graph->outputs, [&](int output) { return is_row[static_cast<std::size_t>(output)]; });
    if (bytes >= kUnit.pair || (maps && schedule.is_shifted)) return kUnit.fewest;
    return schedule.threads() <= kUnit.block ? kUnit.few : kUnit.some;
  }
  const int elements = schedule.items * schedule.pack;
  const int words = elements * (bytes + 3) / 4;
  if (is_narrow && elements <= kUnit.little && words <= kUnit.little) return kUnit.many;
  if (schedule.threads() == kUnit.block && elements >= kUnit.elements) return kUnit.few;
  if (schedule.is_staged && elements >= kUnit.staged_elements) return kUnit.few;
  // The next row is on its way while one block joins.
  if (schedule.fetches_ahead && schedule.threads() == kUnit.fewest &&
      elements > kUnit.elements_of_fewest && typed.reductions.size() > 1)
    return kUnit.fewest;
  if (schedule.threads() > kUnit.small_block) return kUnit.some;
  const bool has_much =
      bytes >= 8 ? words >= kUnit.words : schedule.pack == 1 && elements >= kUnit.single_elements;
  return has_much ? kUnit.few : kUnit.some;
}

void RowsValues::find_sources(int id, const std::set<int>& known, std::set<int>& found) const {
  if (is_row(id)) return;
  if (known.contains(id) || is_input(id)) {
    found.insert(id);
    return;
  }
  for (const int operand : typed_.node(id).operands) find_sources(operand, known, found);
}

std::set<int> RowsValues::sources(const std::vector<int>& roots, const std::set<int>& known) const {
  std::set<int> found;
  for (const int id : roots) find_sources(id, known, found);
  return found;
}

std::vector<int> RowsValues::later_roots(int phase) const {
  std::vector<int> roots;
  for (const int id : typed_.reductions)
    if (typed_.typed(id).phase > phase) roots.push_back(typed_.node(id).operands[0]);
  for (const int id : typed_.graph->outputs)
    if (!is_row(id)) roots.push_back(id);
  return roots;
}

std::size_t RowsValues::bytes(const std::set<int>& ids) const {
  std::size_t total = 0;
  for (const int id : ids) total += size_of(typed_.typed(id).dtype);
  return total;
}

std::set<int> RowsValues::worth_keeping(int phase, const std::set<int>& computed,
                                        const std::set<int>& here, int elements) const {
  constexpr std::size_t kMostKept = 160;  // bytes of registers of a thread
  std::set<int> known = here;
  known.insert(computed.begin(), computed.end());
  const std::vector<int> roots = later_roots(phase);
  const std::set<int> kept = sources(roots, known), recomputed = sources(roots, here);
  std::set<int> result;
  if (bytes(kept) > bytes(recomputed) &&
      bytes(kept) * static_cast<std::size_t>(elements) > kMostKept)
    return result;
  for (const int id : kept)
    if (!is_input(id) && !here.contains(id)) result.insert(id);
  return result;
}

}  // namespace kernelbatch
