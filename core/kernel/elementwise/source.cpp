#include "core/kernel/elementwise/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"
#include "core/kernel/elementwise/pieces.hpp"
#include "core/kernel/elementwise/plane_pieces.hpp"
#include "core/kernel/elementwise/tile_conditions.hpp"
#include "core/kernel/elementwise/tile_text.hpp"
#include "core/kernel/loop/counts.hpp"
#include "core/kernel/program/entry_name.hpp"
#include "core/kernel/text/code_template.hpp"
#include "core/kernel/text/macro_guard.hpp"
#include "core/kernel/text/tokens.hpp"
#include "kernel_embedded.hpp"

namespace kernelbatch {
namespace {

/// Pieces of one or several lines.
std::string indent(const std::vector<std::string>& pieces, int columns) {
  std::string text;
  for (const std::string& piece : pieces)
    for (const std::string& line : split(piece, '\n'))
      text += fmt::format("{}{:{}}{}", text.empty() ? "" : "\n", "", columns, line);
  return text;
}

/// Linear index of the element `_k` in the whole array, of which the arrays may be a chunk.
std::string linear_index(const ElementwiseDefinition& definition) {
  return definition.is_chunk ? fmt::format("_k + {}", kChunkFirst) : "_k";
}

/// The operation on one element; the element's stores follow even if it ends early.
std::string operation_text(const ElementwiseDefinition& definition) {
  return definition.leaves ? enclosed(definition.operation, "operation") : definition.operation;
}

/// Zero-length arrays are not allowed in kernels.
std::string array_count(const ElementwiseLoop& loop) {
  return std::to_string(std::max<std::size_t>(loop.arrays(), 1));
}
std::string rank_of_layout(const ElementwiseLoop& loop) {
  return std::to_string(loop.layout().rank());
}

/// Threads that have packs, and those of their blocks that have none.
std::string groups_of_packs(const PackedLoop& packed) {
  if (packed.in_flight == 1) return "_units";
  return fmt::format(
      "(_units + ({0} * static_cast<_index>(blockDim.x) - 1)) / ({0} * "
      "static_cast<_index>(blockDim.x)) * static_cast<_index>(blockDim.x)",
      packed.in_flight);
}

/// The number of a thread's pack `_u`.
std::string unit_of_packs(const PackedLoop& packed) {
  if (packed.in_flight == 1) return "_group";
  return fmt::format(
      "_group + (_group - static_cast<_index>(threadIdx.x)) * {} + _u * "
      "static_cast<_index>(blockDim.x)",
      packed.in_flight - 1);
}

std::string loop_text(const PackedLoop& packed, const ElementwiseDefinition& definition,
                      const ElementwiseLoop& loop, const ElementwisePieces& pieces) {
  const std::string pack = std::to_string(packed.pack);
  const int ends = packed.lead + packed.margin(loop);
  const std::string lead = packed.lead == 0 ? "" : fmt::format(" + {}", packed.lead);
  const std::string inner = ends == 0 ? "_n" : fmt::format("(_n - {})", ends);
  const std::string rest =
      (packed.is_located && !packed.spans) || packed.pack == 1
          ? ""
          : fill_template(
                source::elementwise_rest,
                {{"pack", pack},
                 {"index", packed.lead == 0 ? fmt::format("_units * {} + _one", pack)
                                            : fmt::format("_one < {0} ? _one : _units * {1} + _one",
                                                          packed.lead, pack)},
                 {"element_declarations", indent(pieces.rest_declarations, 4)},
                 {"element_loads", indent(pieces.rest_loads, 4)},
                 {"element_arguments", pieces.rest_arguments},
                 {"element_stores", indent(pieces.rest_stores, 4)}});
  return fill_template(source::elementwise_packed,
                       {{"pack", pack},
                        {"inner", inner},
                        {"lead", lead},
                        {"linear", linear_index(definition)},
                        {"in_flight", std::to_string(packed.in_flight)},
                        {"groups", groups_of_packs(packed)},
                        {"unit", unit_of_packs(packed)},
                        {"constants", indent(pieces.constants, 2)},
                        {"element_parameters", pieces.element_parameters},
                        {"setup", indent(pieces.setup, 4)},
                        {"operation", operation_text(definition)},
                        {"declarations", indent(pieces.declarations, 4)},
                        {"locate", indent(pieces.locate, 6)},
                        {"pack_loads", indent(pieces.loads, 6)},
                        {"pack_arguments", pieces.element_arguments},
                        {"pack_stores", indent(pieces.pack_stores, 6)},
                        {"rest", rest}});
}

std::string loop_text(const DenseLoop&, const ElementwiseDefinition& definition,
                      const ElementwiseLoop&, const ElementwisePieces& pieces) {
  return fill_template(source::elementwise_dense,
                       {{"independent", pieces.writes_raw ? "" : "KERNELBATCH_INDEPENDENT"},
                        {"linear", linear_index(definition)},
                        {"setup", indent(pieces.setup, 4)},
                        {"operation", operation_text(definition)},
                        {"stores", indent(pieces.stores, 4)}});
}

/// The passes over a tile in which the arrays end.
std::string checked_passes(const TiledLoop& tiled, const ElementwisePieces& pieces) {
  const TileOrder& order = tiled.shape.order;
  const TilePlace place = TileText(tiled, order).where();
  const int passes = order.passes();
  return fill_template(source::elementwise_checked,
                       {{"passes", std::to_string(passes)},
                        {"at_once", std::to_string(std::min(passes, TiledLoop::kChecked))},
                        {"pack", std::to_string(order.pack)},
                        {"locate", indent(place.locate, 10)},
                        {"inside", place.inside},
                        {"loads", indent(pieces.checked_loads, 12)},
                        {"tile_reads", indent(pieces.tile_reads, 12)},
                        {"element_arguments", pieces.element_arguments},
                        {"stores", indent(pieces.checked_stores, 12)}});
}

/// A block's tile, or a loop over the grid if there may be more tiles than blocks. Tiles by rows
/// have the loop, too: without it they took 2 % longer on an H200, others up to 9 % less.
std::map<std::string, std::string> tiles_of_block(const TiledLoop& tiled) {
  if (tiled.shape.order.by_rows || tiled.tiles.count > kMostBlocks)
    return {{"begin",
             "  for (_index _tile = static_cast<_index>(blockIdx.x); _tile < _steps.tiles; "
             "_tile += static_cast<_index>(gridDim.x)) {"},
            {"end", "    __syncthreads();\n  }"}};
  return {{"begin", "  const _index _tile = static_cast<_index>(blockIdx.x);\n  do {"},
          {"end", "  } while (false);"}};
}

std::string loop_text(const TiledLoop& tiled, const ElementwiseDefinition& definition,
                      const ElementwiseLoop& loop, const ElementwisePieces& pieces) {
  const TileText text(tiled, tiled.shape.order);
  const std::string left = !tiled.copies && text.goes_down_rows() ? "_left" : "";
  const TilePlace place = text.where(left);
  std::map<std::string, std::string> values = {
      {"arrays", array_count(loop)},
      {"rank", rank_of_layout(loop)},
      {"tile", std::to_string(tiled.shape.order.count)},
      {"pack", std::to_string(tiled.shape.order.pack)},
      {"passes", std::to_string(tiled.shape.order.passes())},
      {"element_parameters", pieces.element_parameters},
      {"setup", indent(pieces.setup, 4)},
      {"operation", operation_text(definition)},
      {"tiles", indent(pieces.tiles, 2)},
      {"rests", indent(rests_of(tiled), 4)},
      {"has_elements", has_elements(tiled)},
      {"declarations", indent(pieces.declarations, 4)},
      {"locate", indent(place.locate, 6)},
      {"inside", place.inside},
      {"tile_loads", indent(pieces.tile_loads, 4)},
      {"load_firsts", indent(pieces.load_firsts, 4)},
      {"firsts", indent(pieces.firsts, 4)},
      {"tile_reads", indent(pieces.tile_reads, 8)},
      {"loads", indent(pieces.loads, 8)},
      {"element_arguments", pieces.element_arguments},
      {"stores", indent(pieces.stores, 8)}};
  if (tiled.copies) {
    values.erase("inside");
    values.insert({{"leads", indent(pieces.leads, 2)},
                   {"is_whole", is_whole(tiled)},
                   {"are_inside", are_inside(tiled)},
                   {"in_tile", place.in_tile},
                   {"checked", checked_passes(tiled, pieces)},
                   {"checked_tile_loads", indent(pieces.checked_tile_loads, 4)}});
  } else {
    values.merge(tiles_of_block(tiled));
    values.emplace("tile_stores", indent(pieces.tile_stores, 4));
    values.emplace("left", left.empty() ? "" : indent({text.declare_left(left)}, 4));
  }
  return fill_template(tiled.copies ? source::elementwise_copied : source::elementwise_tiled,
                       values);
}

std::string loop_text(const PlaneLoop& plane, const ElementwiseDefinition& definition,
                      const ElementwiseLoop& loop, const ElementwisePieces& pieces) {
  std::map<std::string, std::string> values = plane_values(plane, loop);
  values.insert({{"element_parameters", pieces.element_parameters},
                 {"setup", indent(pieces.setup, 4)},
                 {"operation", operation_text(definition)},
                 {"tiles", indent(pieces.tiles, 2)},
                 {"declarations", indent(pieces.declarations, 2)},
                 {"tile_loads", indent(pieces.tile_loads, 2)},
                 {"loads", indent(pieces.loads, 6)},
                 {"rest_loads", indent(pieces.rest_loads, 8)},
                 {"rest_arguments", pieces.rest_arguments},
                 {"rest_stores", indent(pieces.rest_stores, 8)},
                 {"tile_stores", indent(pieces.tile_stores, 2)},
                 {"element_arguments", pieces.element_arguments},
                 {"stores", indent(pieces.stores, 8)}});
  return fill_template(source::elementwise_plane, values);
}

std::string loop_text(const RowsLoop& rows, const ElementwiseDefinition& definition,
                      const ElementwiseLoop& loop, const ElementwisePieces& pieces) {
  return fill_template(source::elementwise_rows,
                       {{"independent", pieces.writes_raw ? "" : "KERNELBATCH_INDEPENDENT"},
                        {"linear", linear_index(definition)},
                        {"arrays", array_count(loop)},
                        {"rank", rank_of_layout(loop)},
                        {"extents", loop.layout().extents()},
                        {"piece", std::to_string(rows.piece)},
                        {"declarations", indent(pieces.declarations, 4)},
                        {"setup", indent(pieces.setup, 6)},
                        {"operation", operation_text(definition)},
                        {"stores", indent(pieces.stores, 6)}});
}

std::string loop_text(const StridedLoop&, const ElementwiseDefinition& definition,
                      const ElementwiseLoop& loop, const ElementwisePieces& pieces) {
  return fill_template(source::elementwise_strided, {{"arrays", array_count(loop)},
                                                     {"rank", rank_of_layout(loop)},
                                                     {"linear", linear_index(definition)},
                                                     {"setup", indent(pieces.setup, 4)},
                                                     {"operation", operation_text(definition)},
                                                     {"stores", indent(pieces.stores, 4)}});
}

/// The loop's size by its special name, outside the loop over elements.
std::string indexer_outside(const ElementwiseOptions& options) {
  const bool is_asked = mentions(options.loop_prep, "_ind") || mentions(options.after_loop, "_ind");
  return is_asked ? "  const kernelbatch::indexer<_index, 1> _ind{n, nullptr};\n" : "";
}

/// The last statement of a text may lack its semicolon, as in `operation`.
std::string ended(const std::string& text) { return text.empty() ? text : text + "\n;"; }

/// Limits registers, so that several blocks are on a unit.
std::string launch_bounds(const ElementwiseLoop& loop) {
  const auto bounds = [](const auto* schedule) {
    return fmt::format("__launch_bounds__({}, {}) ", schedule->kThreads, schedule->blocks);
  };
  if (const auto* const plane = std::get_if<PlaneLoop>(&loop.schedule)) return bounds(plane);
  const auto* const tiled = std::get_if<TiledLoop>(&loop.schedule);
  return tiled == nullptr ? "" : bounds(tiled);
}

bool copies_tiles(const ElementwiseLoop& loop) {
  const auto* const tiled = std::get_if<TiledLoop>(&loop.schedule);
  return tiled != nullptr && tiled->copies;
}

bool spans_rows(const ElementwiseLoop& loop) {
  const auto* const packed = std::get_if<PackedLoop>(&loop.schedule);
  return packed != nullptr && packed->spans;
}

std::string tile_steps_definition(const ElementwiseLoop& loop) {
  const auto* const tiled = std::get_if<TiledLoop>(&loop.schedule);
  if (tiled == nullptr) return "";
  const StructBytes steps = tiled->steps(loop);
  return fmt::format("struct _tile_steps {{\n{}\n}};\n{}\n", steps.members(),
                     steps.assertion("_tile_steps"));
}

}  // namespace

std::string elementwise_source(const ElementwiseDefinition& definition,
                               const ElementwiseLoop& loop) {
  const ElementwisePieces pieces = pieces_of(definition, loop);
  const bool is_divided =
      loop.has_layout() && (loop.is<PlaneLoop>() ? !loop.is_wide : loop.layout().is_divided());
  std::string text = fill_template(
      source::elementwise,
      {{"name", entry_name(definition.name)},
       {"anywhere", spans_rows(loop) ? std::string(source::read_anywhere) : ""},
       {"includes", copies_tiles(loop) ? "#include \"kernelbatch/word_copies.hpp\"\n" : ""},
       {"bounds", launch_bounds(loop)},
       {"typedefs", typedefs_of(loop.types)},
       {"preamble", definition.options.preamble},
       {"layout", layout_definition(is_divided) + tile_steps_definition(loop)},
       {"parameters", fmt::format("{}", fmt::join(pieces.parameters, ", "))},
       {"index", loop.index_type()},
       {"count", definition.is_chunk ? kChunkCount : "_count"},
       {"index_bytes", loop.is_wide ? "8" : "4"},
       {"indexer", indexer_outside(definition.options)},
       {"loop_prep", ended(definition.options.loop_prep)},
       {"loop",
        std::visit(
            [&](const auto& schedule) { return loop_text(schedule, definition, loop, pieces); },
            loop.schedule)},
       {"after_loop", ended(definition.options.after_loop)}});
  return guard_macros(std::move(text), definition.options.options);
}

}  // namespace kernelbatch
