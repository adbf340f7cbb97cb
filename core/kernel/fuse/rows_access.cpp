#include "core/kernel/fuse/rows_access.hpp"

#include <fmt/format.h>

#include "core/base/text.hpp"
#include "core/kernel/fuse/rows_values.hpp"
#include "core/kernel/fuse/value_text.hpp"

namespace kernelbatch {

std::string indented(const std::string& text, const std::string& by) {
  std::string result;
  for (const std::string& line : split(text, '\n'))
    if (!line.empty()) result += by + line + "\n";
  return result;
}

std::string RowsAccess::c_name_of(int id) const { return c_name(typed_.typed(id).dtype); }

std::string RowsAccess::packs_of(int id) const {
  return is_input(id) ? fmt::format("_x{}", typed_.node(id).input) : fmt::format("_n{}", id);
}

std::string RowsAccess::pack_type(int id) const {
  return fmt::format("kernelbatch::pack<{}, _pack>", c_name_of(id));
}

std::string RowsAccess::length() const {
  const std::int64_t length = text_.schedule.length;
  return length > 0 ? fmt::format("{}ll", length) : "_a._length";
}

DType RowsAccess::dtype_of_slot(int slot) const {
  if (slot >= typed_.graph->inputs)
    return typed_
        .typed(typed_.graph->outputs[static_cast<std::size_t>(slot - typed_.graph->inputs)])
        .dtype;
  for (int id = 0; id < typed_.graph->size(); ++id)
    if (is_input(id) && typed_.node(id).input == slot) return typed_.typed(id).dtype;
  return DType::kBool;
}

std::string RowsAccess::member_of(int slot) const {
  const int inputs = typed_.graph->inputs;
  return slot < inputs ? fmt::format("_p{}", slot) : fmt::format("_q{}", slot - inputs);
}

std::string RowsAccess::offset(int slot) const {
  if (text_.layout.is_dense[static_cast<std::size_t>(slot)])
    return fmt::format("_p * (_pack * {})", size_of(dtype_of_slot(slot)));
  if (text_.inner.rank() > 1) return fmt::format("_inside[{}]", slot);
  return fmt::format("_p * _pack * _a._stride[{}]", slot);
}

bool RowsAccess::has_inner_chunks() const {
  // Registers for more threads do not suffice for the exponentials of more float64 elements.
  constexpr int kMostOfFloat64 = 4, kThreads = 768;
  const bool is_wide = is_shifted() && text_.schedule.pack <= 2 &&
                       text_.schedule.pack * text_.schedule.items > kMostOfFloat64 &&
                       threads_of_unit(typed_, text_.is_row, text_.schedule) > kThreads;
  return !text_.schedule.is_kept && text_.schedule.members() > 1 && !is_wide;
}

std::string RowsAccess::locate() const {
  if (text_.inner.rank() == 1) return "";
  return fmt::format(
      "_index _inside[{}], _along[{}];\n"
      "_a._inner.locate(_p, _inside, _along);\n",
      arrays(), text_.inner.rank());
}

std::string RowsAccess::for_packs(const std::string& body, bool touches_memory) const {
  return fmt::format(
      "KERNELBATCH_UNROLL\n"
      "for (int _j = 0; _j < _items; ++_j) {{\n"
      "  const _index _p = static_cast<_index>({} + _j * _members);\n"
      "  (void)_p;\n"
      "  if ({}({} || _p < _packs)) {{\n{}{}  }}\n}}\n",
      text_.schedule.is_kept ? "_member" : "_chunk + _member",
      touches_memory && text_.schedule.has_rest ? "_is_row && " : "",
      has_inner_chunks() ? "_is_inner" : "_j < _sure",
      is_shifted() ? fmt::format("    const _part_of_row _part_here(_p, _head, _length, {});\n"
                                 "    (void)_part_here;\n",
                                 has_inner_chunks() ? "_is_inner" : "_j > 0 && _j < _sure")
                   : "",
      indented(body, "    "));
}

std::string RowsAccess::for_elements(const std::string& body, const std::string& of_row) const {
  std::string guarded = of_row;
  if (is_shifted() && !of_row.empty())
    guarded = "if (_part_here.has(_w)) {\n" + indented(of_row, "  ") + "}\n";
  return fmt::format("KERNELBATCH_UNROLL\nfor (int _w = 0; _w < _pack; ++_w) {{\n{}}}\n",
                     indented(body + guarded, "  "));
}

std::string RowsAccess::count() const {
  return is_shifted() ? "_count += _part_here.count();\n" : "_count += _pack;\n";
}

std::string RowsAccess::row_pointer(int slot, const std::string& variable) const {
  const bool is_output = slot >= typed_.graph->inputs;
  const std::string type = c_name(dtype_of_slot(slot));
  std::string text =
      fmt::format("    {}{}* const {} = kernelbatch::offset_pointer(_a.{}, _offset[{}]);\n",
                  is_output ? "" : "const ", type, variable, member_of(slot), slot);
  // In arrays that differ from row to row, rows begin at the same offset within a pack.
  if (is_shifted())
    text += fmt::format("    const bool _fits{} = {};\n    (void)_fits{};\n", slot,
                        text_.layout.is_of_rows[static_cast<std::size_t>(slot)]
                            ? "true"
                            : fmt::format("_is_aligned({} - _head)", variable),
                        slot);
  return text;
}

std::string RowsAccess::packs() const {
  if (!is_shifted())
    return fmt::format("    const _index _packs = static_cast<_index>({}) / _pack;\n", length());
  const int slot = text_.layout.first_of_rows;
  const std::string row =
      is_staged(slot)
          ? fmt::format("_s{}", slot)
          : fmt::format("kernelbatch::offset_pointer(_a.{}, _offset[{}])", member_of(slot), slot);
  return fmt::format(
      "    const _index _length = static_cast<_index>({});\n"
      "    const int _head = _place_in_pack({});\n"
      "    const _index _packs = (_head + _length + _pack - 1) / _pack;\n"
      "    const bool _is_between = _row > 0 && _row + 1 < _a._rows;\n"
      "    (void)_is_between;\n",
      length(), row);
}

std::string RowsAccess::has_more(int slot) const {
  return text_.layout.is_apart[static_cast<std::size_t>(slot)] ? "_is_between" : "false";
}

std::string RowsAccess::over_chunks(const std::string& body) {
  goes_back_ = !goes_back_;
  return fmt::format(
      "for (long long _turn = 0; _turn * (_items * _members) < _packs; ++_turn) {{\n"
      "  const long long _chunk = {} * (_items * _members);\n{}}}\n",
      goes_back_ ? "_turn" : "((_packs - 1) / (_items * _members) - _turn)",
      !has_inner_chunks()
          ? indented(body, "  ")
          : fmt::format("  const auto _pass = [&](const bool _is_inner) {{\n{}  }};\n"
                        "  // All threads have whole packs of the row in almost all chunks.\n"
                        "  if ({})\n"
                        "    _pass(true);\n"
                        "  else\n"
                        "    _pass(false);\n",
                        indented(body, "    "),
                        is_shifted() ? "(_chunk > 0 || _head == 0) && _chunk + _items * _members < "
                                       "_packs"
                                     : "_chunk + _items * _members <= _packs"));
}

std::string RowsAccess::staged_pack(int slot) const {
  return fmt::format("_s{} + {}", slot, is_shifted() ? "_part_here._from" : "_p * _pack");
}

bool RowsAccess::is_staged(int slot) const {
  return text_.schedule.is_staged && text_.layout.is_stacked[static_cast<std::size_t>(slot)];
}

std::string RowsAccess::load(int id) const {
  const int slot = typed_.node(id).input;
  const std::string packs = packs_of(id), type = pack_type(id);
  if (is_staged(slot))
    return fmt::format("{}[_j] = *reinterpret_cast<const {}*>({});\n", packs, type,
                       staged_pack(slot));
  if (is_shifted())
    return fmt::format("_read_pack({}[_j], _b{}, _part_here, _fits{}, {});\n", packs, slot, slot,
                       has_more(slot));
  return fmt::format(
      "{}[_j] = *reinterpret_cast<const {}*>(kernelbatch::offset_pointer(_b{}, {}));\n", packs,
      type, slot, offset(slot));
}

std::string RowsAccess::loads(const std::set<int>& inputs) {
  if (inputs.empty()) return "";
  if (text_.schedule.fetches_ahead && fetch_.empty()) return loads_of_fetched(inputs);
  std::string declarations, body;
  bool touches_memory = false;
  for (const int id : inputs) {
    // Shared memory may be read next to a row, too.
    const bool is_guarded = !is_staged(typed_.node(id).input);
    touches_memory = touches_memory || is_guarded;
    declarations +=
        fmt::format("{} {}[_items]{};\n", pack_type(id), packs_of(id),
                    is_guarded && (text_.schedule.has_rest || is_shifted()) ? " = {}" : "");
    body += load(id);
  }
  return declarations + for_packs(locate() + body, touches_memory);
}

std::string RowsAccess::loads_of_fetched(const std::set<int>& inputs) {
  std::string declarations, body, copies, at = "0";
  for (const int id : inputs) {
    const int slot = typed_.node(id).input;
    const std::string type = pack_type(id);
    declarations += fmt::format("{} {}[_items];\n", type, packs_of(id));
    body +=
        fmt::format("{}[_j] = reinterpret_cast<const {}*>(_stage + {})[_j * _threads + _thread];\n",
                    packs_of(id), type, at);
    copies += fmt::format(
        "kernelbatch::begin_copy<sizeof({0})>(reinterpret_cast<{0}*>(_stage + {1}) + _j * "
        "_threads + _thread, kernelbatch::offset_pointer(_a._p{2}, _offset[{2}] + {3}));\n",
        type, at, slot, offset(slot));
    at += fmt::format(" + _items * _threads * sizeof({})", type);
  }
  fetch_ = fmt::format(
      "  const auto _fetch = [&](long long _row) {{\n"
      "    if (_row >= _a._rows) return;\n"
      "    const _index _packs = static_cast<_index>(_a._length) / _pack;\n"
      "    (void)_packs;\n"
      "    _index _offset[{}];\n"
      "    _index _at[{}];\n"
      "    _a._outer.locate(static_cast<_index>(_row), _offset, _at);\n{}"
      "  }};\n"
      "  _fetch(blockIdx.x / _blocks);\n",
      arrays(), text_.outer.rank(), indented(for_packs(locate() + copies), "    "));
  return "kernelbatch::finish_copies();\n" + declarations + for_packs(locate() + body);
}

int RowsAccess::stage_of(int slot) const {
  const auto has_size_of = [&](int other) {
    return is_staged(other) && size_of(dtype_of_slot(other)) == size_of(dtype_of_slot(slot));
  };
  if (slot < typed_.graph->inputs) return slot;
  int before = 0;
  for (int other = typed_.graph->inputs; other < slot; ++other)
    if (has_size_of(other)) ++before;
  for (int input = 0; input < typed_.graph->inputs; ++input)
    if (has_size_of(input) && before-- == 0) return input;
  return slot;
}

std::string RowsAccess::stage() const {
  if (!text_.schedule.is_staged) return "";
  std::string pointers, copies, at = "0";
  for (int slot = 0; slot < static_cast<int>(arrays()); ++slot) {
    if (!is_staged(slot)) continue;
    const std::string type = c_name(dtype_of_slot(slot));
    if (stage_of(slot) != slot) {
      pointers += fmt::format("    {0}* const _s{1} = reinterpret_cast<{0}*>(_s{2});\n", type, slot,
                              stage_of(slot));
      continue;
    }
    pointers += fmt::format(
        "    {0}* const _s{1} = reinterpret_cast<{0}*>(_stage + {2}) + _before;\n", type, slot, at);
    if (slot < typed_.graph->inputs)
      copies += fmt::format(
          "    _fetch(reinterpret_cast<{0}*>(_stage + {1}), _a._p{2} + _first * {3}, _here);\n",
          type, at, slot, length());
    at += fmt::format(" + _rows_at_once * static_cast<int>({}) * {}", length(),
                      size_of(dtype_of_slot(slot)));
  }
  return fmt::format(
             "    const int _before = _own * static_cast<int>({0});\n"
             "    const int _here = static_cast<int>((_a._rows - _first < _rows_at_once ? _a._rows "
             "- "
             "_first : _rows_at_once) * {0});\n",
             length()) +
         pointers + copies + "    kernelbatch::finish_copies();\n    __syncthreads();\n";
}

std::string RowsAccess::store(int output) const {
  const int slot = typed_.graph->inputs + output;
  if (is_shifted())
    return fmt::format("_write_pack({}, _y{}, _part_here, {});\n",
                       is_staged(slot) ? fmt::format("_s{}", slot) : fmt::format("_o{}", output),
                       output, is_staged(slot) ? "true" : fmt::format("_fits{}", slot));
  const std::string to =
      is_staged(slot) ? staged_pack(slot)
                      : fmt::format("kernelbatch::offset_pointer(_o{}, {})", output, offset(slot));
  return fmt::format("*reinterpret_cast<{}*>({}) = _y{};\n",
                     pack_type(typed_.graph->outputs[static_cast<std::size_t>(output)]), to,
                     output);
}

std::string RowsAccess::copy_out(int output) const {
  const int slot = typed_.graph->inputs + output;
  if (!is_staged(slot)) return "";
  return fmt::format("_copy(_a._q{} + _first * {}, _s{} - _before, _here);\n", output, length(),
                     slot);
}

}  // namespace kernelbatch
