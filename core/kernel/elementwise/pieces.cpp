#include "core/kernel/elementwise/pieces.hpp"

#include <fmt/format.h>

#include "core/kernel/elementwise/plane_pieces.hpp"
#include "core/kernel/elementwise/tile_pieces.hpp"
#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {
namespace {

/// A loop over single elements: values are loaded before and stored after the text.
void add_element(ElementwisePieces& to, const Operand& operand, const std::string& element,
                 bool is_loaded) {
  const std::string& name = operand.name();
  if (!operand.is_output) {
    to.setup.push_back(fmt::format("const {} {} = {};", operand.c_type(), name, element));
    return;
  }
  to.setup.push_back(is_loaded ? fmt::format("{} {} = {};", operand.c_type(), name, element)
                               : fmt::format("{} {};", operand.c_type(), name));
  to.stores.push_back(fmt::format("{} = {};", element, name));
}

void add(ElementwisePieces& to, const DenseLoop&, const ElementwiseLoop& loop,
         const Operand& operand, bool is_loaded) {
  const char* const at = loop.is_constant(operand) ? "0" : "_k";
  add_element(to, operand, fmt::format("_p_{}[{}]", operand.name(), at), is_loaded);
}

void add(ElementwisePieces& to, const StridedLoop&, const ElementwiseLoop&, const Operand& operand,
         bool is_loaded) {
  const std::string element =
      fmt::format("*kernelbatch::offset_pointer(_p_{}, _offset[{}])", operand.name(), operand.slot);
  add_element(to, operand, element, is_loaded);
}

/// A loop along a piece of a row; the first element of each operand is located before it.
void add(ElementwisePieces& to, const RowsLoop&, const ElementwiseLoop& loop,
         const Operand& operand, bool is_loaded) {
  const std::string& name = operand.name();
  const std::string type = operand.c_type();
  to.declarations.push_back(
      fmt::format("{}{}* const _row_{} = kernelbatch::offset_pointer(_p_{}, _offset[{}]);",
                  operand.is_output ? "" : "const ", type, name, name, operand.slot));
  if (!operand.is_output && loop.is_constant(operand)) {
    to.declarations.push_back(fmt::format("const {} _one_{} = *_row_{};", type, name, name));
    to.setup.push_back(fmt::format("const {} {} = _one_{};", type, name, name));
    return;
  }
  const std::string element =
      loop.is_packed(operand)
          ? fmt::format("_row_{}[_j]", name)
          : fmt::format("*kernelbatch::offset_pointer(_row_{}, _j * _layout.{}[{}][{}])", name,
                        loop.layout().strides(), operand.slot, loop.plan.rank() - 1);
  to.setup.push_back(fmt::format("{}{} {}{};", operand.is_output ? "" : "const ", type, name,
                                 is_loaded ? " = " + element : ""));
  if (operand.is_output) to.stores.push_back(fmt::format("{} = {};", element, name));
}

/// The distance in bytes of the last pack of an input whose cover is within the array, whose own
/// last element is as far as its steps reach.
std::string last_cover(const ElementwiseLoop& loop, const Operand& operand,
                       const PackedLoop::Cover& cover) {
  const LayoutArgument layout = loop.layout();
  const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
  const int beyond =
      (cover.count * cover.width - cover.phase - 1) * static_cast<int>(size_of(operand.dtype));
  std::string text = fmt::format("const _index _last_{} = -{}", operand.name(), beyond);
  for (int axis = 0; axis < loop.plan.rank(); ++axis)
    if (strides[axis] > 0)
      text += fmt::format(" + (_layout.{}[{}] - 1) * _layout.{}[{}][{}]", layout.extents(), axis,
                          layout.strides(), operand.slot, axis);
  return text + ";";
}

/// An input of packs that span rows: most are within one of its rows; others have elements of the
/// end of one and of the beginning of the next, or of several short ones.
void add_spanning(ElementwisePieces& to, const PackedLoop& packed, const ElementwiseLoop& loop,
                  const Operand& operand) {
  const std::string& name = operand.name();
  const auto element = [&](const char* offset, const char* place) {
    return fmt::format("kernelbatch::offset_pointer(_p_{}, {}[{}]){}", name, offset, operand.slot,
                       loop.is_constant(operand) ? "" : place);
  };
  const std::string own = element("_offset[_u]", ""), pack = std::to_string(packed.pack);
  const std::string each = fmt::format(
      "{{\nKERNELBATCH_UNROLL\nfor (int _j = 0; _j < {}; ++_j) _pack_{}[_u].value[_j] = ", pack,
      name);
  to.declarations.push_back(fmt::format("kernelbatch::pack<{}, {}> _pack_{}[{}];", operand.c_type(),
                                        pack, name, packed.in_flight));
  const std::string within =
      loop.is_constant(operand)
          ? fmt::format("{}*{};\n}}", each, own)
          : fmt::format("_pack_{}[_u] = _read_anywhere<{}>({});", name, pack, own);
  to.loads.push_back(packed.by_elements
                         ? fmt::format("{}*{};\n}}", each, element("_places[_j]", ""))
                         : fmt::format("if (_left >= {}) {} else {}*(_j < _left ? {} : {});\n}}",
                                       pack, within, each, element("_offset[_u]", " + _j"),
                                       element("_next", " + (_j - _left)")));
  to.element_arguments += fmt::format(", _pack_{}[_u].value[_j]", name);
  to.rest_loads.push_back(fmt::format("_one_{} = *{};", name, element("_place", "")));
}

void add(ElementwisePieces& to, const PackedLoop& packed, const ElementwiseLoop& loop,
         const Operand& operand, bool is_loaded) {
  const std::string& name = operand.name();
  const std::string type = operand.c_type();
  const bool is_constant = loop.is_constant(operand);
  if (is_constant && !packed.is_located) {
    to.constants.push_back(fmt::format("const {0} {1} = _p_{1}[0];", type, name));
    return;
  }
  const std::string pack =
      fmt::format("kernelbatch::pack<{}, {}>", type, is_constant ? 1 : packed.pack);
  const std::string place =
      packed.is_located
          ? fmt::format("kernelbatch::offset_pointer(_p_{}, _offset[_u][{}])", name, operand.slot)
          : fmt::format("_p_{} + _first", name);
  to.rest_declarations.push_back(fmt::format("{} _one_{};", type, name));
  to.rest_arguments += fmt::format(", _one_{}", name);
  to.element_parameters += fmt::format(", {}{} {}", operand.is_output ? "" : "const ",
                                       operand.is_output ? type + "&" : type, name);
  if (packed.reads_rows(loop, operand)) {
    add_spanning(to, packed, loop, operand);
    return;
  }
  if (const auto cover = packed.cover_of(loop, operand)) {
    const std::string some = fmt::format("kernelbatch::pack<{}, {}>", type, cover->width);
    to.declarations.push_back(
        fmt::format("{} _pack_{}[{}][{}];", some, name, packed.in_flight, cover->count));
    const std::string first =
        packed.is_located ? place : fmt::format("(_p_{} + _first * {})", name, cover->step);
    const std::string whole = fmt::format(
        "KERNELBATCH_UNROLL\nfor (int _c = 0; _c < {}; ++_c) _pack_{}[_u][_c] = "
        "reinterpret_cast<const {}*>({} - {})[_c];",
        cover->count, name, some, first, cover->phase);
    const std::string element =
        fmt::format("_pack_{0}[_u][(_j * {1} + {2}) / {3}].value[(_j * {1} + {2}) % {3}]", name,
                    cover->step, cover->phase, cover->width);
    to.element_arguments += ", " + element;
    if (packed.is_located) {
      // The last packs of the array reach past its end.
      to.constants.push_back(last_cover(loop, operand, *cover));
      to.loads.push_back(
          fmt::format("if (_offset[_u][{}] <= _last_{}) {{\n{}\n}} else "
                      "{{\nKERNELBATCH_UNROLL\nfor (int _j = 0; "
                      "_j < {}; ++_j) {} = {}[_j * {}];\n}}",
                      operand.slot, name, whole, packed.pack, element, first, cover->step));
    } else {
      to.loads.push_back(whole);
    }
    to.rest_loads.push_back(fmt::format("_one_{0} = _p_{0}[_k * {1}];", name, cover->step));
    return;
  }
  to.declarations.push_back(fmt::format("{} _pack_{}[{}];", pack, name, packed.in_flight));
  if (is_loaded)
    to.loads.push_back(
        fmt::format("_pack_{}[_u] = *reinterpret_cast<const {}*>({});", name, pack, place));
  to.element_arguments += fmt::format(", _pack_{}[_u].value[{}]", name, is_constant ? "0" : "_j");
  if (is_loaded)
    to.rest_loads.push_back(fmt::format("_one_{0} = _p_{0}[{1}];", name, is_constant ? "0" : "_k"));
  if (!operand.is_output) return;
  to.pack_stores.push_back(
      fmt::format("*reinterpret_cast<{}*>({}) = _pack_{}[_u];", pack, place, name));
  to.rest_stores.push_back(fmt::format("_p_{0}[_k] = _one_{0};", name));
}

void add(ElementwisePieces& to, const TiledLoop& tiled, const ElementwiseLoop& loop,
         const Operand& operand, bool is_loaded) {
  add_tiled(to, tiled, loop, operand, is_loaded);
}

void add(ElementwisePieces& to, const PlaneLoop& plane, const ElementwiseLoop& loop,
         const Operand& operand, bool is_loaded) {
  add_plane(to, plane, loop, operand, is_loaded);
}

/// Places of a thread's packs in the arrays.
void add_places(ElementwisePieces& to, const PackedLoop& packed, const ElementwiseLoop& loop) {
  if (!packed.is_located) return;
  const std::size_t arrays = std::max<std::size_t>(loop.arrays(), 1);
  const int rank = loop.plan.rank();
  to.declarations.push_back(fmt::format("_index _offset[{}][{}];", packed.in_flight, arrays));
  to.locate.push_back(fmt::format("_index _at[{}];", rank));
  to.locate.emplace_back("_layout.locate(_first, _offset[_u], _at);");
  if (!packed.spans) return;
  to.rest_declarations.push_back(fmt::format("_index _place[{}], _where[{}];", arrays, rank));
  to.rest_declarations.emplace_back("_layout.locate(_k, _place, _where);");
  if (packed.by_elements) {
    to.locate.push_back(
        fmt::format("_index _places[{0}][{1}];\nKERNELBATCH_UNROLL\nfor (int _j = 0; _j < {0}; "
                    "++_j) _layout.locate(_first + _j, _places[_j], _at);",
                    packed.pack, arrays));
    return;
  }
  // Elements that the row has left, and the beginning of the next row.
  to.locate.push_back(fmt::format("const _index _left = _layout.{}[{}] - _at[{}];",
                                  loop.layout().extents(), rank - 1, rank - 1));
  to.locate.push_back(fmt::format("_index _next[{}];", arrays));
  to.locate.push_back(
      fmt::format("if (_left < {}) _layout.locate(_first + _left, _next, _at);", packed.pack));
}

}  // namespace

const char* add_element(ElementwisePieces& to, const Operand& operand) {
  const char* const comma = to.element_parameters.empty() ? "" : ", ";
  to.element_parameters +=
      fmt::format("{}{}{}{} {}", comma, operand.is_output ? "" : "const ", operand.c_type(),
                  operand.is_output ? "&" : "", operand.name());
  to.element_arguments += comma;
  return comma;
}

ElementwisePieces pieces_of(const ElementwiseDefinition& definition, const ElementwiseLoop& loop) {
  ElementwisePieces to;
  for (const Operand& operand : loop.operands) {
    const std::string& name = operand.name();
    const std::string type = operand.c_type();
    const bool is_changed = operand.is_output || operand.parameter->is_non_const;
    const char* constant = is_changed ? "" : "const ";
    if (operand.is_scalar()) {
      to.parameters.push_back(fmt::format("const {} {}", type, name));
      continue;
    }
    if (operand.parameter->is_raw) {
      to.parameters.push_back(
          fmt::format("const {} {}", view_type(operand.array(), constant + type), name));
      to.writes_raw = to.writes_raw || is_changed;
      continue;
    }
    to.parameters.push_back(fmt::format("{}{}* _p_{}", constant, type, name));
    const bool is_loaded = !operand.is_output || definition.keeps_old_value(*operand.parameter);
    std::visit([&](const auto& schedule) { add(to, schedule, loop, operand, is_loaded); },
               loop.schedule);
  }
  if (const auto* const packed = std::get_if<PackedLoop>(&loop.schedule))
    add_places(to, *packed, loop);
  to.parameters.emplace_back("const long long _count");
  if (loop.has_layout())
    to.parameters.push_back(fmt::format("const {} _layout", loop.layout().type()));
  if (const auto* const plane = std::get_if<PlaneLoop>(&loop.schedule)) {
    to.parameters.push_back(
        fmt::format("const {} _columns", LayoutArgument(plane->across, loop.is_wide).type()));
    to.parameters.push_back(
        fmt::format("const {} _tiles", LayoutArgument(plane->tiles, loop.is_wide).type()));
  }
  if (loop.is<TiledLoop>()) to.parameters.emplace_back("const _tile_steps _steps");
  const bool has_axes = loop.is<StridedLoop>();
  if (has_axes)
    for (int axis = 0; axis < loop.plan.rank(); ++axis)
      if (const std::string index = fmt::format("i{}", axis);
          mentions(definition.operation, index) && definition.names_axis(index))
        to.setup.push_back(fmt::format("const long long i{0} = _at[{0}];", axis));
  if (mentions(definition.operation, "_ind")) {
    if (!has_axes) to.setup.emplace_back("const _index _at[1] = {_k};");
    to.setup.push_back(fmt::format("const kernelbatch::indexer<_index, {}> _ind{{n, _at}};",
                                   has_axes ? loop.plan.rank() : 1));
  }
  return to;
}

}  // namespace kernelbatch
