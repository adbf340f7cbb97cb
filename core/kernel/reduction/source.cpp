#include "core/kernel/reduction/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/kernel/launch/layout_argument.hpp"
#include "core/kernel/program/entry_name.hpp"
#include "core/kernel/reduction/columns_row.hpp"
#include "core/kernel/reduction/pieces.hpp"
#include "core/kernel/text/code_template.hpp"
#include "core/kernel/text/macro_guard.hpp"
#include "core/kernel/text/tokens.hpp"
#include "kernel_embedded.hpp"

namespace kernelbatch {
namespace {

std::string lines(const std::vector<std::string>& list, std::string_view prefix) {
  std::string text;
  for (const std::string& line : list)
    text += fmt::format("{}{}{}", text.empty() ? "" : "\n", prefix, line);
  return text;
}

/// A function's body: an expression is returned; a block of statements has its own return. The text
/// may end in a comment; it starts a line, so that columns in errors are the user's.
std::string body_of(const std::string& text, std::string_view type, std::string_view name) {
  if (is_statement_block(text)) return text;
  return fmt::format("return static_cast<{}>(\n#line 1 \"{}\"\n{}\n);", type, name, text);
}

/// A warp's loop over slices, if the schedule has them.
std::string slices_text(const ReductionPass& pass) {
  if (pass.schedule.slice == 1) return "";
  std::string locate = fmt::format(
      "  _index _offset[{}];\n  _index _at[{}];\n"
      "  _a._inner.locate(static_cast<_index>(_J), _offset, _at);\n",
      pass.looped_inputs(), pass.loops.inner.rank());
  for (const Operand& operand : pass.operands) {
    if (operand.is_output || !operand.is_looped()) continue;
    const auto slot = static_cast<std::size_t>(operand.slot);
    locate += fmt::format(
        "  _slice_row._p_{0} = kernelbatch::offset_pointer(_r._p_{0}, _offset[{1}]){2};\n",
        operand.name(), slot, pass.step_along(slot) == InputStep::kDense ? " - _J" : "");
  }
  return fill_template(source::reduction_slices, {{"slice", std::to_string(pass.schedule.slice)},
                                                  {"cuts", std::to_string(pass.schedule.cuts)},
                                                  {"locate", locate}});
}

/// A thread's loop down the rows. A first round apart from it pays only for plain columns whose
/// packs are aligned (H200: sum of 512x512x512 float32 over axis 1 135 -> 123 µs, of 15x3975857
/// bfloat16 over axis 0, with packs around the elements, 38 -> 41).
std::string columns_text(const ReductionSchedule& s) {
  const bool starts_apart = s.pattern == ReductionPattern::kColumns && !s.covers;
  return fill_template(source::reduction_columns,
                       {{"commutes", s.commutes ? "true" : "false"},
                        {"starts_apart", starts_apart ? "true" : "false"}});
}

/// The loops of the text, for the schedule's access pattern.
std::string pattern_text(const ReductionDefinition& definition, const ReductionPass& pass,
                         const ReductionPieces& pieces) {
  const ReductionSchedule& s = pass.schedule;
  const std::string commutes = s.commutes ? "true" : "false";
  if (s.pattern == ReductionPattern::kBatchedRows)
    return fill_template(source::reduction_batched_rows,
                         {{"name", entry_name(definition.name)},
                          {"rows", std::to_string(s.rows)},
                          {"commutes", commutes},
                          {"join", std::string(source::reduction_join)}});
  const auto last_extent = [&](const char* loop, const LoopPlan& plan) {
    const LayoutArgument layout(plan, pass.is_wide);
    return fmt::format("_a.{}.{}[{}]", loop, layout.extents(), layout.rank() - 1);
  };
  if (s.pattern == ReductionPattern::kSequential)
    return fill_template(source::reduction_sequential,
                         {{"name", entry_name(definition.name)},
                          {"tile", std::to_string(s.tile)},
                          {"streams", std::to_string(s.streams)},
                          {"commutes", commutes},
                          {"line", lines(pieces.line, "  ")},
                          {"along", lines(pieces.along, "  ")},
                          {"beside", lines(pieces.beside, "  ")},
                          {"line_length", last_extent("_inner", pass.loops.inner)},
                          {"outer_length", last_extent("_outer", pass.loops.outer)}});
  if (s.pattern == ReductionPattern::kStagedRows)
    return fill_template(source::reduction_staged_rows,
                         {{"name", entry_name(definition.name)},
                          {"rows", std::to_string(s.rows)},
                          {"length", std::to_string(pass.loops.inner.count)},
                          {"join", std::string(source::reduction_join)},
                          {"copy", std::string(source::fused_rows_copy)},
                          {"pieces", lines(pieces.pieces, "  ")},
                          {"fetches", lines(pieces.fetches, "    ")},
                          {"staged_row", lines(pieces.staged_row, "      ")}});
  const std::string is_split = s.splits > 1 ? "true" : "false";
  if (s.pattern == ReductionPattern::kShiftedColumns)
    return fill_template(source::reduction_shifted_columns,
                         {{"name", entry_name(definition.name)},
                          {"is_split", is_split},
                          {"columns", std::to_string(s.columns)},
                          {"run", std::to_string(s.run)},
                          {"covers", s.covers ? "true" : "false"},
                          {"has_shifts", s.has_shifts() ? "true" : "false"},
                          {"range", columns_text(s)},
                          {"shift", lines(pieces.shift, "    ")},
                          {"own_load", lines(pieces.own_load, "    ")},
                          {"outer_length", last_extent("_outer", pass.loops.outer)}});
  if (s.pattern == ReductionPattern::kFoldedColumns) {
    const ColumnsRowText row = text_of(*columns_row(pass.loops, pass.inputs));
    return fill_template(source::reduction_folded_columns,
                         {{"name", entry_name(definition.name)},
                          {"is_split", is_split},
                          {"columns", std::to_string(s.columns)},
                          {"kept", std::to_string(s.kept)},
                          {"fold", std::to_string(s.fold)},
                          {"output_in_row", row.output},
                          {"element_in_row", row.element},
                          {"place_in_row", row.place},
                          {"head", lines(pieces.head_of_rows, "  ")},
                          {"element", lines(pieces.folded_element, "    ")},
                          {"range", columns_text(s)},
                          {"join_workers", std::string(source::reduction_join_halves)},
                          {"own_load", lines(pieces.own_load, "    ")}});
  }
  const std::string range =
      s.pattern == ReductionPattern::kColumns
          ? s.fits(pass.loops.inner.count) ? std::string(source::reduction_columns_at_once)
                                           : columns_text(s)
          : fill_template(source::reduction_warp,
                          {{"join", std::string(source::reduction_join)},
                           {"range", std::string(s.commutes ? source::reduction_commuting
                                                            : source::reduction_ordered) +
                                         slices_text(pass)}});
  const bool joins_warps =
      s.pattern == ReductionPattern::kWarp && s.lanes == 32 && s.workers > 1 && s.outputs == 1;
  return fill_template(
      source::reduction_blocks,
      {{"name", entry_name(definition.name)},
       {"is_split", is_split},
       {"covers", s.covers ? "true" : "false"},
       {"units",
        s.splits > 1 || s.has_registers ? fmt::format(", {} / _threads", kSharingThreads) : ""},
       {"takes_turns", s.takes_turns() ? "true" : "false"},
       {"turns", s.takes_turns() ? ", _split, _splits" : ""},
       {"range", range},
       {"join_workers",
        std::string(joins_warps ? source::reduction_join_warps : source::reduction_join_halves)}});
}

/// The text's position in the whole, of which the arrays may be a chunk.
struct Position {
  std::string element = "long long _J", positions, first_output;
  std::string in_count = "_a._in_count", out_count = "_a._out_count", reduced_count = "_a._count";
};

Position position_of(const ReductionDefinition& definition) {
  Position where;
  if (!definition.is_chunk) return where;
  where.element = "long long _local_J";
  where.positions = "  const long long _J = _local_J + _a._s__chunk_J;\n";
  if (definition.counts_inputs)
    where.positions += "  const long long _j = _local_j + _a._s__chunk_j;\n";
  where.first_output = " + _a._s__chunk_i";
  where.in_count = "_a._s__chunk_in_count";
  where.out_count = "_a._s__chunk_out_count";
  where.reduced_count = where.in_count + " / " + where.out_count;
  return where;
}

std::string identity_text(const std::string& identity) {
  return fmt::format(
      "  const _type_reduce _identity = _type_reduce(\n#line 1 \"identity\"\n{}\n);\n"
      "#line 1 \"generated\"\n  a = _any ? _reduce(_identity, a) : _identity;",
      identity);
}

/// Joins an output with that of the previous chunks, in this order, for operators that do not
/// commute. Only the last chunk has the result.
std::string carry_text() {
  return "  _type_reduce* const _before =\n"
         "      reinterpret_cast<_type_reduce*>(&_a._v__chunk_carry[0]) + _output;\n"
         "  if (_a._s__chunk_continues) a = _reduce(*_before, a);\n"
         "  *_before = a;\n"
         "  if (!_a._s__chunk_ends) return;\n";
}

}  // namespace

std::string reduction_source(const ReductionDefinition& definition, const ReductionPass& pass,
                             const StructBytes& parameter) {
  const std::string reduce_type = definition.options.reduce_type.empty()
                                      ? std::string(info(pass.types.out[0]).c_name)
                                      : definition.options.reduce_type;
  const ReductionPieces pieces = pieces_of(definition, pass);
  const Position where = position_of(definition);
  const ReductionSchedule& s = pass.schedule;
  const LayoutArgument outer(pass.loops.outer, pass.is_wide);
  const LayoutArgument inner(pass.loops.inner, pass.is_wide);
  const auto number = [](auto value) { return std::to_string(value); };
  std::string text = fill_template(
      source::reduction,
      {{"name", entry_name(definition.name)},
       {"includes", s.pattern == ReductionPattern::kStagedRows
                        ? "#include \"kernelbatch/async_copies.hpp\"\n"
                        : ""},
       {"typedefs", typedefs_of(pass.types)},
       {"preamble", definition.options.preamble},
       {"reduce_type", reduce_type},
       {"index", pass.index_type()},
       {"lanes", number(s.lanes)},
       {"workers", number(s.workers)},
       {"outputs", number(s.outputs)},
       {"outputs_fastest", s.outputs_fastest() ? "true" : "false"},
       {"across", number(s.across)},
       {"pack", number(s.pack)},
       {"is_shifted", s.is_shifted ? "true" : "false"},
       {"in_flight", number(s.in_flight)},
       {"has_identity", definition.identity ? "true" : "false"},
       {"next_group", s.has_all_blocks() ? "0x7fffffffffffffff" : "_w + gridDim.x"},
       {"fits", s.fits(pass.loops.inner.count) ? "true" : "false"},
       {"members", parameter.members()},
       {"assertion", parameter.assertion("_arguments")},
       {"locate_row", lines(pieces.locate_row, "  ")},
       {"layout", layout_definition(outer.is_divided() || inner.is_divided())},
       {"row_members", lines(pieces.row_members, "  ")},
       {"row_setup", lines(pieces.row_setup, "  ")},
       {"map_parameters", pieces.map_parameters},
       {"element", where.element},
       {"positions", where.positions},
       {"first_output", where.first_output},
       {"in_count", where.in_count},
       {"out_count", where.out_count},
       {"reduced_count", where.reduced_count},
       {"carry", definition.carries ? carry_text() : ""},
       {"map_setup", lines(pieces.map_setup, "  ")},
       {"map", body_of(definition.map, "_type_reduce", "map")},
       {"reduce", body_of(definition.reduce, "_type_reduce", "reduce")},
       {"apply_identity", definition.identity ? identity_text(*definition.identity) : ""},
       {"post_parameters", pieces.post_parameters},
       {"post_setup", lines(pieces.post_setup, "  ")},
       {"post_map", may_leave(definition.post_map) ? enclosed(definition.post_map, "post_map")
                                                   : definition.post_map},
       {"post_stores", lines(pieces.post_stores, "  ")},
       {"finish_all", lines(pieces.finish_all, "  ")},
       {"scalar_load", lines(pieces.scalar_load, "    ")},
       {"pack_load", lines(pieces.pack_load, "    ")},
       {"read_anywhere", s.covers || s.pattern == ReductionPattern::kShiftedColumns
                             ? std::string(source::read_anywhere)
                             : ""},
       {"across_load", lines(pieces.across_load, "    ")},
       {"head", lines(pieces.head, "    ")},
       {"pattern", pattern_text(definition, pass, pieces)}});
  if (!definition.options.reduce_type.empty())
    text += fmt::format(
        "\nstatic_assert(sizeof(_type_reduce) <= {}, \"reduce_type may have at most {} "
        "bytes\");\n",
        kLargestReduceType, kLargestReduceType);
  return guard_macros(std::move(text), definition.options.options);
}

}  // namespace kernelbatch
