#include "core/kernel/elementwise/plane_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

/// The place of a row or column in an array: by one step if these are evenly spaced, else as the
/// text's function `locate` finds it.
std::string place_text(const LoopPlan& plan, const std::string& name, const std::string& locate,
                       const std::string& index, const Operand& operand, bool is_wide) {
  const auto slot = static_cast<std::size_t>(operand.slot);
  if (!has_even_steps(plan, slot)) return fmt::format("{}({}, {})", locate, slot, index);
  const int last = plan.rank() - 1;
  if (plan.strides[slot][last] == 0) return "0";
  if (plan.strides[slot][last] == static_cast<std::int64_t>(size_of(operand.dtype)))
    return fmt::format("({}) * {}", index, size_of(operand.dtype));
  return fmt::format("({}) * {}.{}[{}][{}]", index, name, LayoutArgument(plan, is_wide).strides(),
                     slot, last);
}

std::string row_text(const PlaneLoop& plane, const std::string& row, const Operand& operand,
                     bool is_wide) {
  return place_text(plane.down, "_layout", "_down", row, operand, is_wide);
}

std::string column_text(const PlaneLoop& plane, const std::string& column, const Operand& operand,
                        bool is_wide) {
  return place_text(plane.across, "_columns", "_across", column, operand, is_wide);
}

/// Declares a thread's first element in an array, and the step to that of its next pass.
std::vector<std::string> first_and_step(const Operand& operand, const std::string& first,
                                        const std::string& step) {
  return {fmt::format("{}{}* const _first_{} = kernelbatch::offset_pointer(_p_{}, {});",
                      operand.is_output ? "" : "const ", operand.c_type(), operand.name(),
                      operand.name(), first),
          fmt::format("const _index _step_{} = {};", operand.name(), step)};
}

std::string pack_type(const Operand& operand, int elements) {
  return fmt::format("kernelbatch::pack<{}, {}>", operand.c_type(), elements);
}

/// An access to several elements at `place`.
std::string access_text(const Operand& operand, int elements, const std::string& place) {
  return fmt::format("*reinterpret_cast<{}{}*>({})", operand.is_output ? "" : "const ",
                     pack_type(operand, elements), place);
}

std::string unrolled(const char* index, int count, const std::string& body) {
  return fmt::format("KERNELBATCH_UNROLL\nfor (int {0} = 0; {0} < {1}; ++{0}) {2}", index, count,
                     body);
}

void append(std::vector<std::string>& to, const std::vector<std::string>& lines) {
  to.insert(to.end(), lines.begin(), lines.end());
}

/// From memory into registers, from these into shared memory, and from there to the elements.
void add_staged_columns(ElementwisePieces& to, const PlaneLoop& plane, const Operand& operand,
                        bool is_wide) {
  const std::string& name = operand.name();
  const auto slot = static_cast<std::size_t>(operand.slot);
  const int pack = plane.packs[slot];
  const int lanes = plane.rows / pack, at_once = PlaneLoop::kThreads / lanes;
  const auto passes = static_cast<int>(ceil_divide(plane.width(), at_once));
  // Columns are an odd number of words apart, so that a warp's row is in all banks.
  const int pitch =
      plane.rows + std::max(1, kSmallestWord / static_cast<int>(size_of(operand.dtype)));
  const std::string row = fmt::format("_thread % {} * {}", lanes, pack);
  const std::string column = fmt::format("_first_column + _thread / {}", lanes);
  const bool is_even = has_even_steps(plane.across, slot);
  to.tiles.push_back(fmt::format("__shared__ __align__(16) {} _tile_{}[{}];", operand.c_type(),
                                 name, ceil_divide(passes * at_once * pitch, 16) * 16));
  to.declarations.push_back(
      fmt::format("{} _some_{}[{}];", pack_type(operand, pack), name, passes));
  to.declarations.push_back(
      fmt::format("const int _left_{} = _tile_row + {} < _rows ? _columns_left - _thread / {} : 0;",
                  name, row, lanes));
  append(to.declarations,
         first_and_step(
             operand,
             row_text(plane, "_tile_row + " + row, operand, is_wide) +
                 (is_even ? " + " + column_text(plane, column, operand, is_wide) : ""),
             is_even ? column_text(plane, std::to_string(at_once), operand, is_wide) : "0"));
  // Only the first columns can be in front of all.
  const std::string begins =
      plane.unit == 1 ? ""
                      : fmt::format("(_u * {0} >= {1} || _u * {0} + _thread / {2} >= _skipped) && ",
                                    at_once, plane.margin(), lanes);
  const std::string place = fmt::format(
      "kernelbatch::offset_pointer(_first_{}, {})", name,
      is_even ? "_u * static_cast<long long>(_step_" + name + ")"
              : column_text(plane, fmt::format("{} + _u * {}", column, at_once), operand, is_wide));
  to.tile_loads.push_back(
      unrolled("_u", passes,
               fmt::format("{{\n  if ({}_u * {} < _left_{}) _some_{}[_u] = {};\n}}", begins,
                           at_once, name, name, access_text(operand, pack, place))));
  to.tile_stores.push_back(unrolled(
      "_u", passes,
      fmt::format("*reinterpret_cast<{}*>(&_tile_{}[(_thread / {} + _u * {}) * {} + {}]) = "
                  "_some_{}[_u];",
                  pack_type(operand, pack), name, lanes, at_once, pitch, row, name)));
  const std::string own =
      fmt::format("_tile_{}[(_c + _e) * {} + _r + _u * {}]", name, pitch, plane.rows_of_pass());
  to.element_arguments += own;
  to.rest_arguments += own;
}

/// From memory into registers and back, at a thread's own rows and column. At the ends of rows by
/// elements.
void add_own_columns(ElementwisePieces& to, const PlaneLoop& plane, const ElementwiseLoop& loop,
                     const Operand& operand, bool is_loaded) {
  const std::string& name = operand.name();
  const bool is_whole = plane.packs[static_cast<std::size_t>(operand.slot)] == plane.pack;
  const auto column = [&](const char* index) {
    return " + " + column_text(plane, index, operand, loop.is_wide);
  };
  const std::string own = is_whole ? column("_column") : "", other = column("_column + _e");
  append(
      to.declarations,
      first_and_step(operand, row_text(plane, "_row", operand, loop.is_wide) + own,
                     row_text(plane, std::to_string(plane.rows_of_pass()), operand, loop.is_wide)));
  const std::string access = access_text(
      operand, is_whole ? plane.pack : 1,
      fmt::format(
          "kernelbatch::offset_pointer(_first_{0}, _u * static_cast<long long>(_step_{0}){1})",
          name, is_whole ? "" : other));
  const std::string element = fmt::format(
      "*kernelbatch::offset_pointer(_p_{}, {}{})", name,
      row_text(plane, fmt::format("_row + _u * {}", plane.rows_of_pass()), operand, loop.is_wide),
      other);
  to.declarations.push_back(
      fmt::format("{} _some_{}[{}];", pack_type(operand, plane.pack), name, plane.passes()));
  to.element_arguments += fmt::format("_some_{}[_u].value[_e]", name);
  to.rest_arguments += "_own_" + name;
  to.rest_loads.push_back(
      fmt::format("{} _own_{}{};", operand.c_type(), name, is_loaded ? " = " + element : ""));
  if (is_loaded)
    to.loads.push_back(
        is_whole ? fmt::format("_some_{}[_u] = {};", name, access)
                 : unrolled("_e", plane.pack,
                            fmt::format("_some_{}[_u].value[_e] = ({}).value[0];", name, access)));
  if (!operand.is_output) return;
  to.stores.push_back(fmt::format("{} = _some_{}[_u];", access, name));
  to.rest_stores.push_back(fmt::format("{} = _own_{};", element, name));
}

const Operand& last_output(const ElementwiseLoop& loop) {
  return *std::ranges::find_if(loop.operands.rbegin(), loop.operands.rend(),
                               [](const Operand& operand) { return operand.is_looped(); });
}

/// The number of elements of a loop that is the kernel's parameter `name`.
std::string count_text(const LoopPlan& plan, const std::string& name, bool is_wide) {
  std::string text;
  for (int axis = 0; axis < plan.rank(); ++axis)
    text += fmt::format("{}{}.{}[{}]", axis == 0 ? "" : " * ", name,
                        LayoutArgument(plan, is_wide).extents(), axis);
  return text;
}

/// Elements from a sector's begin to that of a thread's first row in the last output, which is the
/// same for all of its rows.
std::string lead_text(const PlaneLoop& plane, const ElementwiseLoop& loop) {
  const Operand& out = last_output(loop);
  const auto item = static_cast<int>(size_of(out.dtype));
  return fmt::format(
      "static_cast<int>((static_cast<unsigned>(reinterpret_cast<unsigned long long>(_p_{})) + "
      "static_cast<unsigned>({})) % {} / {})",
      out.name(), row_text(plane, "_row", out, loop.is_wide), plane.unit * item, item);
}

}  // namespace

bool has_even_steps(const LoopPlan& plan, std::size_t slot) {
  const Strides& strides = plan.strides[slot];
  for (int axis = plan.rank() - 1; axis > 0; --axis)
    if (strides[axis - 1] != strides[axis] * plan.extents[axis]) return false;
  return true;
}

std::map<std::string, std::string> plane_values(const PlaneLoop& plane,
                                                const ElementwiseLoop& loop) {
  const std::string lead =
      plane.unit == 1 ? "" : fmt::format(" + {} - {}", plane.margin(), lead_text(plane, loop));
  return {{"arrays", std::to_string(loop.arrays())},
          {"row_rank", std::to_string(plane.down.rank())},
          {"column_rank", std::to_string(plane.across.rank())},
          {"row_count", count_text(plane.down, "_layout", loop.is_wide)},
          {"column_count", count_text(plane.across, "_columns", loop.is_wide)},
          {"rows", std::to_string(plane.rows)},
          {"columns", std::to_string(plane.columns)},
          {"width", std::to_string(plane.width())},
          {"margin", std::to_string(plane.margin())},
          {"passes", std::to_string(plane.passes())},
          {"lanes", std::to_string(plane.lanes())},
          {"rows_of_pass", std::to_string(plane.rows_of_pass())},
          {"pack", std::to_string(plane.pack)},
          {"is_whole", plane.has_ends() ? "_is_whole" : "true"},
          {"own_column", fmt::format("_thread % {} * {}{}", plane.lanes(), plane.pack, lead)}};
}

void add_plane(ElementwisePieces& to, const PlaneLoop& plane, const ElementwiseLoop& loop,
               const Operand& operand, bool is_loaded) {
  to.rest_arguments += add_element(to, operand);
  if (plane.staged[static_cast<std::size_t>(operand.slot)])
    add_staged_columns(to, plane, operand, loop.is_wide);
  else
    add_own_columns(to, plane, loop, operand, is_loaded);
}

}  // namespace kernelbatch
