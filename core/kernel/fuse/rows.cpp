#include "core/kernel/fuse/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/text.hpp"
#include "core/kernel/fuse/emit.hpp"
#include "core/kernel/fuse/helper_functions.hpp"
#include "core/kernel/text/code_template.hpp"
#include "kernel_embedded.hpp"

namespace kernelbatch {
namespace {

constexpr int kMostItems = 16;
constexpr int kMostThreads = 512;

std::string indent(const std::string& text, const std::string& by) {
  std::string result;
  for (const std::string& line : split(text, '\n'))
    if (!line.empty()) result += by + line + "\n";
  return result;
}

/// Writes the kernel's parts.
class RowsWriter {
 public:
  RowsWriter(const TypedGraph& typed, const RowsShape& shape, const std::vector<bool>& row_inputs)
      : typed_(typed),
        shape_(shape),
        row_inputs_(row_inputs),
        is_row_(row_nodes(typed, row_inputs)),
        rows_(typed, [this](int id) { return row_leaf(id); }) {}

  std::string definitions;
  std::string shared_bytes = "16";
  std::string load, phases, final_loop, row_setup;

  /// All that may call helper functions.
  std::string text() const { return definitions + phases + final_loop; }

  void write() {
    for (int id = 0; id < typed_.graph->size(); ++id) {
      const Node& node = typed_.node(id);
      if (!typed_.typed(id).is_needed || node.kind != Node::Kind::kInput) continue;
      const std::string type(info(typed_.typed(id).dtype).c_name);
      row_setup += fmt::format(
          "    const {0}* const _b{1} = kernelbatch::offset_pointer(_a._p{1}, _offset[{1}]);\n",
          type, node.input);
      if (shape_.items > 0 && !row_inputs_[static_cast<std::size_t>(node.input)])
        load += fmt::format(
            "    {0} _kept{1}[_items];\n"
            "    KERNELBATCH_UNROLL\n"
            "    for (int _j = 0; _j < _items; ++_j) {{\n"
            "      const long long _k = _j * _block + _thread;\n"
            "      if (_k < _a._length) {{\n{2}"
            "        _kept{1}[_j] = *kernelbatch::offset_pointer(_b{1}, {3});\n      }}\n    }}\n",
            type, node.input, indent(locate(), "        "), offset(node.input));
    }
    int last_phase = 0;
    for (const int id : typed_.reductions)
      last_phase = std::max(last_phase, typed_.typed(id).phase);
    for (int phase = 1; phase <= last_phase; ++phase) write_phase(phase);
    write_outputs();
  }

 private:
  std::string row_leaf(int id) const {
    const Node& node = typed_.node(id);
    if (node.kind == Node::Kind::kInput) return fmt::format("*_b{}", node.input);
    return "";
  }

  /// An emitter for one element `_k` of the row, which sees the row's own values.
  Emitter element_emitter() const {
    Emitter emitter(typed_, [this](int id) -> std::string {
      const Node& node = typed_.node(id);
      if (node.kind != Node::Kind::kInput) return "";
      if (shape_.items > 0) return fmt::format("_kept{}[_j]", node.input);
      return fmt::format("*kernelbatch::offset_pointer(_b{}, {})", node.input, offset(node.input));
    });
    emitter.assume(rows_.written());
    return emitter;
  }

  /// Where element `_k` of the row lies in an array, in bytes; after locate().
  std::string offset(int slot) const {
    return fmt::format(fmt::runtime(shape_.inner_rank > 1 ? "_inside[{}]" : "_k * _a._stride[{}]"),
                       slot);
  }
  std::string locate() const {
    if (shape_.inner_rank == 1) return "";
    const std::size_t arrays =
        static_cast<std::size_t>(typed_.graph->inputs) + typed_.graph->outputs.size();
    return fmt::format(
        "_index _inside[{}], _along[{}];\n"
        "_a._inner.locate(static_cast<_index>(_k), _inside, _along);\n",
        arrays, shape_.inner_rank);
  }

  std::string loop(const std::string& elements) const {
    const std::string body = locate() + elements;
    if (shape_.items > 0)
      return fmt::format(
          "    KERNELBATCH_UNROLL\n"
          "    for (int _j = 0; _j < _items; ++_j) {{\n"
          "      const long long _k = _j * _block + _thread;\n"
          "      if (_k < _a._length) {{\n{}      }}\n    }}\n",
          indent(body, "        "));
    return fmt::format(
        "    for (long long _k = _thread; _k < _a._length; _k += _block) {{\n{}    }}\n",
        indent(body, "      "));
  }

  /// Row values that elements of `id` use must be in scope before the loop.
  void hoist(int id, std::string& text) {
    if (is_row_[static_cast<std::size_t>(id)]) {
      text += rows_.statements(id);
      return;
    }
    for (const int operand : typed_.node(id).operands) hoist(operand, text);
  }

  void write_phase(int phase) {
    std::vector<int> reductions;
    for (const int id : typed_.reductions)
      if (typed_.typed(id).phase == phase) reductions.push_back(id);
    const std::string type = fmt::format("_Phase{}", phase);
    const std::string value = fmt::format("_v{}", phase);
    std::string before;
    for (const int id : reductions) hoist(typed_.node(id).operands[0], before);
    Emitter elements = element_emitter();
    std::string body;
    for (const int id : reductions) body += elements.statements(typed_.node(id).operands[0]);
    const CombinedReduction text =
        combined_reduction(typed_, reductions, elements, type, value, "_a._length");
    definitions += text.definition;
    shared_bytes = fmt::format(
        "({0} > sizeof({1}) * (_block / 32 + 1) ? {0} : sizeof({1}) * (_block / 32 + 1))",
        shared_bytes, type);
    body += fmt::format("const {0} _e = {1};\n{2} = _any ? _combine({2}, _e) : _e;\n_any = true;\n",
                        type, text.element, value);
    phases += indent(before, "    ");
    phases += fmt::format("    {} {};\n    {{\n    bool _any = false;\n{}    }}\n", type, value,
                          loop(body));
    phases += fmt::format("    {0} = _join({0}, _a._length, reinterpret_cast<{1}*>(_memory));\n",
                          value, type);
    for (std::size_t k = 0; k < reductions.size(); ++k)
      phases +=
          fmt::format("    const {} _t{} = {};\n", info(typed_.typed(reductions[k]).dtype).c_name,
                      reductions[k], text.results[k]);
    rows_.assume({reductions.begin(), reductions.end()});
  }

  void write_outputs() {
    const std::vector<int>& outputs = typed_.graph->outputs;
    // An input may also be an output: all of an element is read before any of it is written.
    std::string before, body, stores, row_stores;
    for (const int id : outputs) hoist(id, before);
    Emitter elements = element_emitter();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const int id = outputs[k];
      const int slot = typed_.graph->inputs + static_cast<int>(k);
      const std::string type(info(typed_.typed(id).dtype).c_name);
      row_setup += fmt::format(
          "    {0}* const _o{1} = kernelbatch::offset_pointer(_a._q{1}, _offset[{2}]);\n", type, k,
          slot);
      if (is_row_[static_cast<std::size_t>(id)]) {
        row_stores += fmt::format("    if (_thread == 0) *_o{} = _t{};\n", k, id);
      } else {
        body += elements.statements(id);
        stores +=
            fmt::format("*kernelbatch::offset_pointer(_o{}, {}) = _t{};\n", k, offset(slot), id);
      }
    }
    final_loop = indent(before, "    ");
    if (!stores.empty()) final_loop += loop(body + stores);
    // The other threads of the row may still read what its one value overwrites.
    if (!row_stores.empty())
      final_loop += "#ifdef KERNELBATCH_ON_CUDA\n    __syncthreads();\n#endif\n" + row_stores;
  }

  const TypedGraph& typed_;
  const RowsShape& shape_;
  const std::vector<bool>& row_inputs_;
  std::vector<bool> is_row_;
  Emitter rows_;
};

}  // namespace

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

RowsShape shape_rows(std::int64_t length, const DeviceProperties& device) {
  RowsShape shape;
  if (!device.is_simt()) return shape;  // one thread processes a row, which stays in the caches
  const auto wanted = static_cast<std::uint64_t>(std::max<std::int64_t>((length + 3) / 4, 1));
  shape.block = static_cast<int>(std::clamp<std::uint64_t>(
      std::bit_ceil(wanted), static_cast<std::uint64_t>(device.loop_lanes), kMostThreads));
  const std::int64_t items = (length + shape.block - 1) / shape.block;
  shape.items = items <= kMostItems ? static_cast<int>(items) : 0;
  return shape;
}

std::string rows_source(const TypedGraph& typed, const RowsShape& shape, const std::string& name,
                        const LayoutArgument& outer, const LayoutArgument& inner,
                        const std::vector<bool>& row_inputs, const StructBytes& parameter) {
  RowsWriter writer(typed, shape, row_inputs);
  writer.write();
  const std::size_t arrays =
      static_cast<std::size_t>(typed.graph->inputs) + typed.graph->outputs.size();
  return fill_template(source::fused_rows,
                       {{"name", name},
                        {"preamble", helper_functions(writer.text()) + writer.definitions},
                        {"index", shape.is_wide ? "long long" : "int"},
                        {"block", std::to_string(shape.block)},
                        {"items", std::to_string(shape.items)},
                        {"members", parameter.members()},
                        {"assertion", parameter.assertion("_arguments")},
                        {"layout", layout_definition(outer.is_divided() || inner.is_divided())},
                        {"rank", std::to_string(shape.rank)},
                        {"arrays", std::to_string(arrays)},
                        {"shared_bytes", writer.shared_bytes},
                        {"row_setup", writer.row_setup},
                        {"load", writer.load},
                        {"phases", writer.phases},
                        {"final", writer.final_loop}});
}

}  // namespace kernelbatch
