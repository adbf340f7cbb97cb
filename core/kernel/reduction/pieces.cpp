#include "core/kernel/reduction/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/launch/layout_argument.hpp"
#include "core/kernel/reduction/staged_rows.hpp"

namespace kernelbatch {
namespace {

using Lines = ReductionPieces::Lines;

/// Offsets of an output and its inputs; none if there is only one.
Lines locate_output(const ReductionPass& pass, const char* number) {
  if (pass.loops.outer.count == 1) return {};
  const auto arrays = std::max<std::size_t>(pass.loops.outer.strides.size(), 1);
  return {fmt::format("_index _offset[{}];", arrays),
          fmt::format("_index _at[{}];", pass.loops.outer.rank()),
          fmt::format("_a._outer.locate(static_cast<_index>({}), _offset, _at);", number)};
}

/// That of one array.
std::string offset_at(const ReductionPass& pass, int slot) {
  return pass.loops.outer.count == 1 ? "0" : fmt::format("_offset[{}]", slot);
}

/// Offset of an input's element `_J` from its row's first element.
std::string place_of(const ReductionPass& pass, const Operand& operand) {
  const std::string& name = operand.name();
  if (pass.has_staged_axes()) return StagedRow(pass, operand).place();
  if (pass.has_inner_axes())
    return fmt::format("kernelbatch::offset_pointer(_r._p_{}, _offset[{}])", name, operand.slot);
  switch (pass.step_along(static_cast<std::size_t>(operand.slot))) {
    case InputStep::kDense:
      return fmt::format("(_r._p_{} + _J)", name);
    case InputStep::kConstant:
      return fmt::format("_r._p_{}", name);
    case InputStep::kStrided:
      break;
  }
  return fmt::format("kernelbatch::offset_pointer(_r._p_{}, _J * _a._inner.stride[{}][0])", name,
                     operand.slot);
}

/// The place of an element within its pack. All inputs that are not constant have the same.
void add_places(ReductionPieces& to, const ReductionPass& pass) {
  for (const Operand& operand : pass.operands) {
    if (operand.is_output || !operand.is_looped()) continue;
    const auto slot = static_cast<std::size_t>(operand.slot);
    const std::string number =
        fmt::format("static_cast<int>(reinterpret_cast<unsigned long long>({}) / sizeof({}) % ",
                    place_of(pass, operand), operand.c_type());
    const bool has_head =
        pass.schedule.is_shifted && pass.schedule.pattern == ReductionPattern::kWarp;
    if (has_head && pass.step_along(slot) == InputStep::kDense)
      to.head = {fmt::format("return (_pack - {}_pack)) % _pack;", number)};
    if (pass.schedule.has_shifts() && !pass.is_shared(slot))
      to.shift = {fmt::format("return {}_across);", number)};
  }
}

/// Elements before the first aligned pack of rows of columns.
std::string head_of_rows(const ReductionPass& pass) {
  for (const Operand& operand : pass.operands)
    if (pass.schedule.is_shifted && !operand.is_output && operand.is_looped() &&
        !pass.is_shared(static_cast<std::size_t>(operand.slot)))
      return fmt::format(
          "return (_across - static_cast<int>(reinterpret_cast<unsigned long long>(_r._p_{}) / "
          "sizeof({}) % _across)) % _across;",
          operand.name(), operand.c_type());
  return "return 0;";
}

void add_loads(ReductionPieces& to, const ReductionPass& pass) {
  Lines locate;
  if (pass.has_inner_axes() || pass.counts_inputs)
    locate = {fmt::format("_index _offset[{}];", pass.looped_inputs()),
              fmt::format("_index _at[{}];", pass.loops.inner.rank()),
              "_a._inner.locate(static_cast<_index>(_J), _offset, _at);"};
  to.scalar_load = to.pack_load = to.across_load = locate;
  std::string values, pack_values, across_values, folded_values;
  const bool is_folded = pass.schedule.pattern == ReductionPattern::kFoldedColumns;
  if (is_folded) to.across_load.clear();
  const bool has_own_load = is_folded || pass.schedule.pattern == ReductionPattern::kShiftedColumns;
  for (const Operand& operand : pass.operands) {
    if (operand.is_output || !operand.is_looped()) continue;
    const auto slot = static_cast<std::size_t>(operand.slot);
    const std::string& name = operand.name();
    const std::string place = place_of(pass, operand);
    const auto load = [&](Lines& lines, const char* count, bool is_pack) {
      const std::string pack =
          fmt::format("kernelbatch::pack<{}, {}>", operand.c_type(), is_pack ? count : "1");
      lines.push_back(fmt::format("const {0} _pack_{1} = *reinterpret_cast<const {0}*>({2});", pack,
                                  name, place));
    };
    values += fmt::format(", *{}", place);
    folded_values += fmt::format(", _r._p_{}[{}]", name, pass.is_shared(slot) ? "0" : "_e");
    const bool is_dense = pass.step_along(slot) == InputStep::kDense;
    load(to.pack_load, "_pack", is_dense);
    pack_values += fmt::format(", _pack_{}.value[{}]", name, is_dense ? "_w" : "0");
    if (has_own_load && !pass.is_shared(slot))
      to.across_load.push_back(
          fmt::format("const auto _pack_{} = _load({});", name,
                      is_folded ? fmt::format("_r._p_{} + _first", name) : place));
    else if (pass.schedule.covers && !pass.is_shared(slot))
      to.across_load.push_back(
          fmt::format("const auto _pack_{} = _read_anywhere<_across>({});", name, place));
    else
      load(to.across_load, "_across", !pass.is_shared(slot));
    across_values += fmt::format(", _pack_{}.value[{}]", name, pass.is_shared(slot) ? "0" : "_x");
  }
  if (pass.counts_inputs)
    values += fmt::format(", _r._first_input + _offset[{}]", pass.inputs.size());
  to.scalar_load.push_back(fmt::format("return _map(_a, _r, _J{});", values));
  if (pass.schedule.pack > 1 && !pass.counts_inputs) {
    to.pack_load.emplace_back("KERNELBATCH_UNROLL");
    to.pack_load.emplace_back("for (int _w = 0; _w < _pack; ++_w)");
    to.pack_load.push_back(fmt::format("  _value[_w] = _map(_a, _r, _J + _w{});", pack_values));
  } else {
    to.pack_load = {"for (int _w = 0; _w < _pack; ++_w) _value[_w] = at(_J + _w);"};
  }
  if (pass.schedule.across > 1 || has_own_load) {
    to.across_load.emplace_back("_row _own = _r;");
    to.across_load.emplace_back("KERNELBATCH_UNROLL");
    to.across_load.emplace_back("for (int _x = 0; _x < _across; ++_x) {");
    to.across_load.push_back(
        fmt::format("  _own._output = _r._output + {};", is_folded      ? "_output_of(_first + _x)"
                                                         : has_own_load ? "_output_of(_x)"
                                                                        : "_x"));
    to.across_load.push_back(fmt::format("  _value[_x] = _map(_a, _own, {}{});\n    }}",
                                         is_folded      ? "_element_of(_first + _x)"
                                         : has_own_load ? "_element_of(_J, _x)"
                                                        : "_J",
                                         across_values));
  } else {
    to.across_load = {"_value[0] = at(_J);"};
  }
  if (is_folded) {
    to.head_of_rows = {head_of_rows(pass)};
    to.folded_element = {"_row _own = _r;", "_own._output = _r._output + _output_of(_e);",
                         fmt::format("return _map(_a, _own, _element_of(_e){});", folded_values)};
  }
  if (has_own_load) to.own_load = std::exchange(to.across_load, {"_value[0] = at(_J);"});
  to.head = to.shift = {"return 0;"};
  add_places(to, pass);
}

/// The line of `_J` and its elements, for threads that process lines.
void add_lines(ReductionPieces& to, const ReductionPass& pass) {
  const LayoutArgument outer(pass.loops.outer, pass.is_wide), inner(pass.loops.inner, pass.is_wide);
  const int inner_last = inner.rank() - 1, outer_last = outer.rank() - 1;
  const bool has_axes = inner.rank() > 1;
  if (has_axes || pass.counts_inputs)
    to.line = {fmt::format("_index _offset[{}];", pass.looped_inputs()),
               fmt::format("_index _at[{}];", inner.rank()),
               "_a._inner.locate(static_cast<_index>(_J), _offset, _at);"};
  std::string along, beside;
  const auto step = [](const char* loop, const char* strides, std::size_t slot, int axis) {
    return fmt::format("static_cast<long long>(_a.{}.{}[{}][{}])", loop, strides, slot, axis);
  };
  const auto element = [](const std::string& name, InputStep kind, const char* number,
                          const std::string& stride) {
    if (kind == InputStep::kConstant) return fmt::format(", *_l._p_{}", name);
    if (kind == InputStep::kDense) return fmt::format(", _l._p_{}[{}]", name, number);
    return fmt::format(", *kernelbatch::offset_pointer(_l._p_{}, {} * {})", name, number, stride);
  };
  for (const Operand& operand : pass.operands) {
    if (operand.is_output || !operand.is_looped()) continue;
    const auto slot = static_cast<std::size_t>(operand.slot);
    const std::string inner_step = step("_inner", inner.strides(), slot, inner_last);
    to.line.push_back(fmt::format(
        "_l._p_{0} = kernelbatch::offset_pointer(_r._p_{0}, {1});", operand.name(),
        has_axes ? fmt::format("_offset[{}]", slot) : fmt::format("_J * {}", inner_step)));
    along += element(operand.name(), pass.step_along(slot), "_k", inner_step);
    beside += element(operand.name(), pass.step_across(slot), "_x",
                      step("_outer", outer.strides(), slot, outer_last));
  }
  if (pass.counts_inputs) {
    const std::size_t slot = pass.inputs.size();
    to.line.push_back(fmt::format("_l._first_input += _offset[{}];", slot));
    along += ", _l._first_input + _k * " + step("_inner", inner.strides(), slot, inner_last);
    beside += ", _l._first_input + _x * " + step("_outer", outer.strides(), slot, outer_last);
  }
  to.along = {fmt::format("return _map(_a, _l, _J + _k{});", along)};
  to.beside = {"_row _own = _l;", "_own._output = _r._output + _x;",
               fmt::format("return _map(_a, _own, _J{});", beside)};
}

/// A block's rows in shared memory.
void add_staged_rows(ReductionPieces& to, const ReductionPass& pass) {
  for (const Operand& operand : pass.operands) {
    if (operand.is_output || !operand.is_looped()) continue;
    const StagedRow row(pass, operand);
    to.pieces.push_back(row.memory());
    to.fetches.push_back(row.fetch());
    to.staged_row.push_back(row.begin());
  }
}

/// The stores: neighbouring outputs of a thread are stored as one pack.
void add_outputs(ReductionPieces& to, const ReductionDefinition& definition,
                 const ReductionPass& pass) {
  const bool is_packed = pass.schedule.stores_packs();
  const Lines locate = locate_output(pass, is_packed ? "_first" : "_output");
  Lines& located = is_packed ? to.finish_all : to.post_setup;
  located.insert(located.end(), locate.begin(), locate.end());
  std::string arguments;
  Lines stores;
  const std::string some = pass.schedule.covers ? "if (_x >= _skip) " : "";
  for (const Operand& operand : pass.operands) {
    if (!operand.is_output || !operand.is_looped()) continue;
    const std::string type = operand.c_type();
    const std::string& name = operand.name();
    const std::string place = fmt::format("kernelbatch::offset_pointer(_a._p_{}, {})", name,
                                          offset_at(pass, operand.slot));
    const bool is_loaded = definition.keeps_old_value(*operand.parameter);
    if (!is_packed) {
      to.post_setup.push_back(
          fmt::format("{} {}{};", type, name, is_loaded ? fmt::format(" = *{}", place) : ""));
      to.post_stores.push_back(fmt::format("*{} = {};", place, name));
      continue;
    }
    const std::string pack = fmt::format("kernelbatch::pack<{}, _across>", type);
    to.post_parameters += fmt::format(", {}& {}", type, name);
    // Chunks that are not the last store what they loaded.
    const bool has_value = is_loaded || definition.carries;
    to.finish_all.push_back(
        has_value && some.empty()
            ? fmt::format("{0} _pack_{1} = *reinterpret_cast<const {0}*>({2});", pack, name, place)
            : fmt::format("{} _pack_{};", pack, name));
    const auto each = [&](const std::string& statement) {
      return "KERNELBATCH_UNROLL\n  for (int _x = 0; _x < _across; ++_x) " + some + statement;
    };
    if (has_value && !some.empty())
      to.finish_all.push_back(each(fmt::format("_pack_{}.value[_x] = {}[_x];", name, place)));
    arguments += fmt::format(", _pack_{}.value[_x]", name);
    if (!some.empty()) {
      stores.emplace_back("if (_skip > 0) {");
      stores.push_back(each(fmt::format("{}[_x] = _pack_{}.value[_x];", place, name)));
      stores.emplace_back("} else");
    }
    stores.push_back(fmt::format("*reinterpret_cast<{}*>({}) = _pack_{};", pack, place, name));
  }
  to.finish_all.emplace_back("KERNELBATCH_UNROLL");
  to.finish_all.push_back(fmt::format(
      "for (int _x = 0; _x < _across; ++_x) {}_finish(_a, _first + _x, _value[_x], _any{});", some,
      arguments));
  to.finish_all.insert(to.finish_all.end(), stores.begin(), stores.end());
}

}  // namespace

ReductionPieces pieces_of(const ReductionDefinition& definition, const ReductionPass& pass) {
  ReductionPieces to;
  to.locate_row = locate_output(pass, "_output");
  for (const Operand& operand : pass.operands) {
    const std::string& name = operand.name();
    const std::string type = operand.c_type();
    if (operand.is_scalar()) {
      for (auto* setup : {&to.map_setup, &to.post_setup})
        setup->push_back(fmt::format("const {0} {1} = _a._s_{1}; (void){1};", type, name));
      continue;
    }
    if (operand.parameter->is_raw) {
      if (!operand.is_output)
        to.map_setup.push_back(fmt::format("const auto& {0} = _a._v_{0}; (void){0};", name));
      to.post_setup.push_back(fmt::format("const auto& {0} = _a._v_{0}; (void){0};", name));
      continue;
    }
    if (operand.is_output) continue;
    to.row_members.push_back(fmt::format("const {}* _p_{};", type, name));
    to.row_setup.push_back(fmt::format("_r._p_{0} = kernelbatch::offset_pointer(_a._p_{0}, {1});",
                                       name, offset_at(pass, operand.slot)));
    to.map_parameters += fmt::format(", const {} {}", type, name);
  }
  if (pass.counts_inputs) {
    to.row_members.emplace_back("long long _first_input;");
    to.row_setup.push_back(fmt::format("_r._first_input = {};",
                                       offset_at(pass, static_cast<int>(pass.inputs.size()))));
    to.map_parameters +=
        definition.is_chunk ? ", const long long _local_j" : ", const long long _j";
  }
  add_loads(to, pass);
  if (pass.schedule.pattern == ReductionPattern::kSequential) add_lines(to, pass);
  if (pass.schedule.pattern == ReductionPattern::kStagedRows) add_staged_rows(to, pass);
  add_outputs(to, definition, pass);
  return to;
}

}  // namespace kernelbatch
