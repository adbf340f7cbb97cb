#include "core/kernel/elementwise/tile_places.hpp"

#include <fmt/format.h>

namespace kernelbatch {

std::string first_of(std::string place) {
  for (std::size_t at = place.find(" + _j"); at != std::string::npos; at = place.find(" + _j"))
    place.erase(at, 5);
  return place;
}

TileText::Step steps_in_memory(const Strides& strides, const Operand& operand) {
  return [&](int axis) {
    if (strides[axis] == 0) return std::string();
    if (strides[axis] == static_cast<std::int64_t>(size_of(operand.dtype)))
      return std::to_string(strides[axis]);
    return fmt::format("_steps.step_{}[{}]", axis, operand.slot);
  };
}

TileText::Step constant_steps(const std::vector<int>& steps) {
  return [&](int axis) {
    const int each = steps[static_cast<std::size_t>(axis)];
    return each == 0 ? std::string() : std::to_string(each);
  };
}

Strides as_strides(const std::vector<int>& steps) {
  Strides strides;
  for (const int each : steps) strides.push_back(each);
  return strides;
}

ElementPlace place_in_memory(const TileText& text, const ElementwiseLoop& loop,
                             const Operand& operand) {
  const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
  const TileText::Step step = steps_in_memory(strides, operand);
  const std::string each =
      fmt::format("kernelbatch::offset_pointer(_p_{0}, _offset[{1}] + {2})", operand.name(),
                  operand.slot, text.place(step, strides, true));
  ElementPlace place{.element = each, .pack = first_of(each)};
  if (!text.goes_down_rows(strides)) return place;
  const std::string base = fmt::format("_first_{}", operand.name());
  const std::string row = step(text.row_axis()), within = text.place_in_pack(step);
  // The product is one instruction.
  const std::string down = row.empty() ? "0"
                                       : fmt::format("static_cast<long long>({}) * ({} * _pass)",
                                                     row, text.rows_of_pass());
  place.first = text.declare_first(
      fmt::format("{}{}*", operand.is_output ? "" : "const ", operand.c_type()), base, place.pack);
  place.pack = fmt::format("kernelbatch::offset_pointer({}, {})", base, down);
  place.element = fmt::format("kernelbatch::offset_pointer({}, {}{})", base, down, within);
  return place;
}

ElementPlace place_in_shared(const TileText& text, const std::vector<int>& steps,
                             const std::string& first) {
  const TileText::Step step = constant_steps(steps);
  const Strides strides = as_strides(steps);
  const bool goes_down = text.goes_down_rows(strides);
  ElementPlace place{.element = text.place(step, strides, goes_down)};
  place.pack = first_of(place.element);
  if (!goes_down) return place;
  const int down = steps[static_cast<std::size_t>(text.row_axis())] * text.rows_of_pass();
  place.first = text.declare_first("int", first, place.pack);
  place.pack = fmt::format("{} + {} * _pass", first, down);
  place.element = place.pack + text.place_in_pack(step);
  return place;
}

}  // namespace kernelbatch
