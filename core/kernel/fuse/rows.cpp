#include "core/kernel/fuse/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/kernel/fuse/combined_reduction.hpp"
#include "core/kernel/fuse/helper_functions.hpp"
#include "core/kernel/fuse/rows_access.hpp"
#include "core/kernel/fuse/rows_values.hpp"
#include "core/kernel/fuse/value_text.hpp"
#include "core/kernel/program/entry_name.hpp"
#include "core/kernel/text/code_template.hpp"
#include "kernel_embedded.hpp"

namespace kernelbatch {
namespace {

/// Writes the kernel's parts.
class RowsWriter {
 public:
  explicit RowsWriter(const RowsText& text)
      : text_(text),
        typed_(text.typed),
        schedule_(text.schedule),
        access_(text),
        values_(text.typed, text.is_row),
        is_short_(rounded_to_16_bits(text.typed)),
        rows_(text.typed, [this](int id) { return row_leaf(id); }) {}

  std::string definitions;
  std::string shared_bytes = "0";
  std::string row_setup, phases, final_part;

  const RowsAccess& access() const noexcept { return access_; }
  /// All text that may call helper functions.
  std::string text() const { return definitions + phases + final_part; }

  void write() {
    for (int id = 0; id < typed_.graph->size(); ++id)
      if (typed_.typed(id).is_needed && access_.is_input(id))
        row_setup +=
            access_.row_pointer(typed_.node(id).input, fmt::format("_b{}", typed_.node(id).input));
    int last_phase = 0;
    for (const int id : typed_.reductions)
      last_phase = std::max(last_phase, typed_.typed(id).phase);
    for (int phase = 1; phase <= last_phase; ++phase) write_phase(phase);
    write_outputs();
  }

 private:
  bool is_row(int id) const { return values_.is_row(id); }
  std::string row_leaf(int id) const {
    return access_.is_input(id) ? fmt::format("*_b{}", typed_.node(id).input) : "";
  }

  /// An emitter for one element, which can use the row's values and packs.
  Emitter element_emitter() const {
    Emitter emitter(
        typed_,
        [this](int id) {
          return here_.contains(id) ? access_.packs_of(id) + "[_j].value[_w]" : std::string();
        },
        [this](int id) { return special(id); });
    emitter.assume(rows_.written());
    return emitter;
  }

  /// True if a node is a real quotient by a value common to the whole row.
  bool is_row_quotient(int id) const {
    const Node& node = typed_.node(id);
    return node.kind == Node::Kind::kApply && node.operation->name == "divide" && !is_row(id) &&
           is_row(node.operands[1]) &&
           typed_.node(node.operands[1]).kind != Node::Kind::kConstant &&
           info(typed_.typed(id).compute).kind == DTypeKind::kFloat;
  }
  /// Quotients by a row's value multiply by its reciprocal, approximately if only 16 bits of the
  /// result remain.
  std::string special(int id) const {
    if (!is_row_quotient(id)) return "";
    const std::vector<int>& operands = typed_.node(id).operands;
    const DType compute = accumulator_of(typed_.typed(id).compute);
    const Emitter reader(typed_, {});
    return fmt::format("{}({}, _divisor{})",
                       is_short_[static_cast<std::size_t>(id)] ? "_rough_quotient" : "_quotient",
                       reader.value(operands[0], compute), divisor_name(operands[1], compute));
  }
  static std::string divisor_name(int id, DType compute) {
    return fmt::format("{}_{}", id, size_of(compute));
  }
  /// Loads the inputs that are not yet in packs.
  std::string loads(const std::vector<int>& roots) {
    std::set<int> missing;
    for (const int id : values_.sources(roots, here_))
      if (here_.insert(id).second) missing.insert(id);
    return access_.loads(missing);
  }

  /// Row values that elements of `id` use must be in scope before the loop.
  void hoist(int id, std::string& text) {
    if (is_row(id)) {
      text += rows_.statements(id);
      return;
    }
    for (const int operand : typed_.node(id).operands) hoist(operand, text);
    if (!is_row_quotient(id)) return;
    const int divisor = typed_.node(id).operands[1];
    const DType compute = accumulator_of(typed_.typed(id).compute);
    const std::string name = divisor_name(divisor, compute);
    if (divisors_.insert(name).second)
      text += fmt::format("const _RowDivisor<{}> _divisor{}({});\n", c_name(compute), name,
                          rows_.value(divisor, compute));
  }

  std::vector<int> reductions_of(int phase) const {
    std::vector<int> result;
    for (const int id : typed_.reductions)
      if (typed_.typed(id).phase == phase && !rows_.written().contains(id)) result.push_back(id);
    return result;
  }

  void write_phase(int phase) {
    std::vector<int> reductions = reductions_of(phase), roots;
    if (reductions.empty()) return;
    const std::vector<OnlineSum> online =
        schedule_.is_kept ? std::vector<OnlineSum>{}
                          : online_sums(typed_, reductions, reductions_of(phase + 1));
    for (const int id : reductions) roots.push_back(typed_.node(id).operands[0]);
    std::string before;
    for (const int id : roots) hoist(id, before);
    if (!schedule_.is_kept) here_.clear();
    const std::string loading = loads(roots);
    Emitter elements = element_emitter();
    const std::set<int> known = elements.written();
    std::string element;
    for (const int id : roots) element += elements.statements(id);
    const std::string type = fmt::format("_Phase{}", phase);
    const std::string value = fmt::format("_v{}", phase);
    const CombinedReduction text =
        combined_reduction(typed_, reductions, elements, type, value, access_.length(), online);
    for (const OnlineSum& each : online) reductions.push_back(each.sum);
    definitions += text.definition;

    std::set<int> computed;
    for (const int id : elements.written())
      if (!known.contains(id) && !access_.is_input(id) && !here_.contains(id)) computed.insert(id);
    const std::set<int> saved =
        schedule_.is_kept
            ? values_.worth_keeping(phase, computed, here_, schedule_.items * schedule_.pack)
            : std::set<int>{};
    std::string declarations, saving;
    for (const int id : saved) {
      declarations += fmt::format("{} {}[_items];\n", access_.pack_type(id), access_.packs_of(id));
      saving += fmt::format("{}[_j].value[_w] = _t{};\n", access_.packs_of(id), id);
    }
    here_.insert(saved.begin(), saved.end());

    std::string body =
        fmt::format("{} _part = {};\nint _count = 0;\n", type, text.neutral) +
        access_.for_packs(access_.count() + access_.for_elements(element + saving, text.add)) +
        text.settle;
    if (!text.spread.empty()) body += access_.for_packs(access_.for_elements(element, text.spread));
    body += fmt::format("(void)_count;\n{0} = _combine({0}, _part);\n", value);
    if (schedule_.is_kept)
      declarations += loading;  // packs outlive the phase that brings them
    else
      body = access_.over_chunks(loading + body);
    phases += indented(
        before + declarations + fmt::format("{} {} = {};\n", type, value, text.neutral) + "{\n" +
            indented(body, "  ") + "}\n" + next_row(phase) +
            fmt::format("{0} = _join({0}, reinterpret_cast<{1}*>(_room + {2}){3});\n", value, type,
                        shared_bytes, schedule_.blocks > 1 ? ", _exchange, _number++" : ""),
        "    ");
    shared_bytes += fmt::format(" + (sizeof({}) * {} + 15) / 16 * 16", type, slots());
    for (std::size_t k = 0; k < reductions.size(); ++k)
      phases += fmt::format("    const {} _t{} = {};\n", access_.c_name_of(reductions[k]),
                            reductions[k], text.results[k]);
    rows_.assume({reductions.begin(), reductions.end()});
  }

  /// This thread is done with its data: prefetch of the next row may overwrite it.
  std::string next_row(int phase) const {
    return phase == 1 && schedule_.fetches_ahead ? "_fetch(_first + gridDim.x / _blocks);\n" : "";
  }

  /// Values in shared memory that a join needs.
  int slots() const {
    if (schedule_.rows_are_close) return schedule_.threads();
    if (schedule_.lanes <= kWarp) return 0;
    return schedule_.lanes / kWarp + schedule_.blocks;
  }

  void write_outputs() {
    const std::vector<int>& outputs = typed_.graph->outputs;
    std::string before, element, packs, stores, copies, row_stores;
    for (const int id : outputs) hoist(id, before);
    if (!schedule_.is_kept) here_.clear();
    const std::string loading = loads(values_.later_roots(0));
    Emitter elements = element_emitter();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const int id = outputs[k];
      const int slot = typed_.graph->inputs + static_cast<int>(k);
      row_setup += access_.row_pointer(slot, fmt::format("_o{}", k));
      if (is_row(id)) {
        row_stores += fmt::format("if (_member == 0 && _is_row) *_o{} = _t{};\n", k, id);
        continue;
      }
      element += elements.statements(id) + fmt::format("_y{}.value[_w] = _t{};\n", k, id);
      packs += fmt::format("{} _y{};\n", access_.pack_type(id), k);
      stores += access_.store(static_cast<int>(k));
      copies += access_.copy_out(static_cast<int>(k));
    }
    std::string text = before;
    if (!stores.empty()) {
      // An input may also be an output: a whole pack is read before any of it is written.
      const std::string body =
          loading + access_.for_packs(
                        access_.locate() + packs + access_.for_elements(element) + stores, true);
      text += "{\n" + indented(schedule_.is_kept ? body : access_.over_chunks(body), "  ") + "}\n";
    }
    if (!copies.empty()) text += "__syncthreads();\n" + copies + "__syncthreads();\n";
    // Other threads of the row may still read what its single value overwrites.
    if (!row_stores.empty() && std::ranges::find(text_.is_row, true) != text_.is_row.end())
      text += row_barrier();
    final_part = indented(text + row_stores, "    ");
  }

  std::string row_barrier() const {
    if (schedule_.blocks > 1) return "kernelbatch::cluster_sync();\n";
    if (schedule_.lanes == 1) return "";
    const bool is_warp = schedule_.lanes <= kWarp && !schedule_.rows_are_close;
    return is_warp ? "__syncwarp();\n" : "__syncthreads();\n";
  }

  static constexpr int kWarp = 32;

  const RowsText& text_;
  const TypedGraph& typed_;
  const RowsSchedule& schedule_;
  RowsAccess access_;
  RowsValues values_;
  std::vector<bool> is_short_;
  Emitter rows_;
  std::set<int> here_;              ///< nodes that are in packs
  std::set<std::string> divisors_;  ///< that are in scope
};

}  // namespace

std::string rows_source(const RowsText& text, const std::string& name) {
  RowsWriter writer(text);
  writer.write();
  const RowsSchedule& schedule = text.schedule;
  const bool has_cluster = schedule.blocks > 1;
  const bool has_copies = schedule.is_staged || schedule.fetches_ahead;
  const std::size_t arrays =
      static_cast<std::size_t>(text.typed.graph->inputs) + text.typed.graph->outputs.size();
  const auto yes = [](bool value) { return std::string(value ? "true" : "false"); };
  return fill_template(
      source::fused_rows,
      {{"name", entry_name(name)},
       {"includes", std::string(has_cluster ? "#include \"kernelbatch/clusters.hpp\"\n" : "") +
                        (has_copies ? "#include \"kernelbatch/async_copies.hpp\"\n" : "")},
       {"preamble", helper_functions(writer.text()) + writer.definitions},
       {"index", text.is_wide ? "long long" : "int"},
       {"lanes", std::to_string(schedule.lanes)},
       {"rows", std::to_string(schedule.rows)},
       {"blocks", std::to_string(schedule.blocks)},
       {"pack", std::to_string(schedule.pack)},
       {"items", std::to_string(schedule.items)},
       {"sure", std::to_string(schedule.sure)},
       {"has_rest", yes(schedule.has_rest)},
       {"rows_are_close", yes(schedule.rows_are_close)},
       {"members", text.parameter.members()},
       {"assertion", text.parameter.assertion("_arguments")},
       {"layout", layout_definition(text.outer.is_divided() || text.inner.is_divided())},
       {"rank", std::to_string(text.outer.rank())},
       {"arrays", std::to_string(arrays)},
       {"join_cluster", has_cluster ? std::string(source::fused_rows_cluster) : ""},
       {"exchange", has_cluster ? ", kernelbatch::cluster_exchange& _exchange, int _number" : ""},
       {"bounds", fmt::format("__launch_bounds__({}, {}) ", schedule.threads(),
                              std::max(1, threads_of_unit(text.typed, text.is_row, text.schedule) /
                                              schedule.threads()))},
       {"shared_bytes", writer.shared_bytes + " + 16"},
       {"begin", has_cluster ? std::string(source::fused_rows_exchange) : ""},
       {"packs", writer.access().packs()},
       {"shifted", schedule.is_shifted ? std::string(source::fused_rows_shifted) : ""},
       {"row_setup", writer.row_setup},
       {"stage", writer.access().stage()},
       {"fetch", writer.access().fetch()},
       {"stage_memory",
        has_copies ? "  extern __shared__ __align__(16) unsigned char _stage[];\n" : ""},
       {"staging", schedule.is_staged ? std::string(source::fused_rows_copy) : ""},
       {"phases", writer.phases},
       {"final", writer.final_part}});
}

}  // namespace kernelbatch
