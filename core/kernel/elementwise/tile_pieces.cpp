#include "core/kernel/elementwise/tile_pieces.hpp"

#include <fmt/format.h>

#include "core/kernel/elementwise/tile_text.hpp"

namespace kernelbatch {
namespace {

constexpr const char* kUnroll = "KERNELBATCH_UNROLL";

/// `_j` replaced by 0: the place of a pack.
std::string first_of(std::string place) {
  for (std::size_t at = place.find(" + _j"); at != std::string::npos; at = place.find(" + _j"))
    place.erase(at, 5);
  return place;
}

/// The address of an element of an array.
std::string address(const TileText& text, const ElementwiseLoop& loop, const Operand& operand,
                    bool is_even) {
  const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
  const auto step = [&](int axis) {
    if (strides[axis] == 0) return std::string();
    if (strides[axis] == static_cast<std::int64_t>(size_of(operand.dtype)))
      return std::to_string(strides[axis]);
    return fmt::format("_steps.step_{}[{}]", axis, operand.slot);
  };
  return fmt::format("kernelbatch::offset_pointer(_p_{0}, _offset[{1}] + {2})", operand.name(),
                     operand.slot, text.place(step, is_even, &strides));
}

/// Elements of an input that are aligned neighbours in every pack of the outputs.
int neighbours(const TiledLoop& tiled, const ElementwiseLoop& loop, const Operand& operand) {
  const TileOrder& order = tiled.shape.order;
  const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
  const auto item = static_cast<std::int64_t>(size_of(operand.dtype));
  if (order.run_axes == 0 || strides[order.axes.front()] != item) return 1;
  int part = order.pack;
  const auto fits = [&](std::int64_t bytes) { return bytes % (part * item) == 0; };
  while (tiled.shape.extents[static_cast<std::size_t>(order.axes.front())] % part != 0) part /= 2;
  while (!fits(reinterpret_cast<std::int64_t>(operand.array().data()))) part /= 2;
  for (int axis = 0; axis < loop.plan.rank(); ++axis)
    while (axis != order.axes.front() && !fits(strides[axis])) part /= 2;
  return part;
}

std::string in_passes(const TileOrder& order, const TilePlace& place, const std::string& inside,
                      const std::string& body) {
  return fmt::format("{}\nfor (int _u = 0; _u < {}; ++_u) {{\n{}\nif ({}) {{\n{}\n}}\n}}", kUnroll,
                     TiledLoop::passes(order), fmt::join(place.locate, "\n"), inside, body);
}

/// Assigns a pack's elements, `width` per access.
std::string moved(const Operand& operand, int count, int width, const std::string& to,
                  const std::string& from) {
  const std::string some = fmt::format("kernelbatch::pack<{}, {}>", operand.c_type(), width);
  return fmt::format(
      "{0}\nfor (int _j = 0; _j < {1}; _j += {2}) *reinterpret_cast<{3}*>(&{4}) = "
      "*reinterpret_cast<const {3}*>(&{5});",
      kUnroll, count, width, some, to, from);
}

std::string in_shared(const TileText& text, const StagedTile& tile, const TiledLoop& tiled,
                      const TileOrder& order, const std::string& name) {
  const auto step = [&](int axis) {
    const int each = tile.steps[static_cast<std::size_t>(axis)];
    return each == 0 ? std::string() : std::to_string(each);
  };
  Strides steps;
  for (const int each : tile.steps) steps.push_back(each);
  const bool is_even =
      order.run_axes > 0 && kernelbatch::is_even(steps, tiled.shape.extents, order);
  return fmt::format("_tile_{}[{}]", name, text.place(step, is_even));
}

/// From memory into registers, from these into shared memory, and from there into the packs of the
/// outputs' order.
void add_staged(ElementwisePieces& to, const TiledLoop& tiled, const StagedTile& tile,
                const ElementwiseLoop& loop, const Operand& operand) {
  const std::string& name = operand.name();
  const std::string type = operand.c_type();
  const TileOrder& order = tile.order;
  const TileOrder& out = tiled.shape.order;
  const TileText text(tiled, order);
  const TilePlace place = text.where();
  const std::string pack = fmt::format("kernelbatch::pack<{}, {}>", type, order.pack);
  const std::string own = fmt::format("_some_{}[_u]", name);
  to.tiles.push_back(fmt::format("__shared__ __align__(16) {} _tile_{}[{}];", type, name,
                                 (tile.size + 15) / 16 * 16));
  to.declarations.push_back(fmt::format("{} _some_{}[{}];", pack, name, TiledLoop::passes(order)));
  const std::string from = address(text, loop, operand, true);
  const std::string each = text.for_each(loop.plan, fmt::format("{}.value[_j] = *{};", own, from));
  const std::string whole = order.pack == 1 ? each
                                            : fmt::format("{} = *reinterpret_cast<const {}*>({});",
                                                          own, pack, first_of(from));
  to.tile_loads.push_back(
      in_passes(order, place, place.inside, text.pack_or_each(loop.plan, whole, each)));
  to.tile_stores.push_back(in_passes(
      order, place,
      order.packs() % TiledLoop::kThreads == 0 ? "true" : fmt::format("_q < {}", order.packs()),
      moved(operand, order.pack, tile.stored, in_shared(text, tile, tiled, order, name),
            own + ".value[_j]")));
  to.tile_reads.push_back(fmt::format("kernelbatch::pack<{}, {}> _own_{};", type, out.pack, name));
  to.tile_reads.push_back(moved(operand, out.pack, tile.loaded,
                                fmt::format("_own_{}.value[_j]", name),
                                in_shared(TileText(tiled, out), tile, tiled, out, name)));
  to.element_arguments += fmt::format("_own_{}.value[_j]", name);
}

/// In the outputs' order, by packs if possible.
void add_direct(ElementwisePieces& to, const TiledLoop& tiled, const ElementwiseLoop& loop,
                const Operand& operand, bool is_loaded) {
  const auto slot = static_cast<std::size_t>(operand.slot);
  const TileOrder& order = tiled.shape.order;
  const TileText text(tiled, order);
  const Strides& strides = loop.plan.strides[slot];
  const bool is_even = kernelbatch::is_even(strides, tiled.shape.extents, order);
  const bool is_constant = !operand.is_output && order.run_axes > 0 &&
                           strides[order.axes.front()] == 0 && (is_even || text.divides_first());
  const std::string pack =
      fmt::format("kernelbatch::pack<{}, {}>", operand.c_type(), is_constant ? 1 : order.pack);
  const std::string some = fmt::format("_some_{}[_u]", operand.name());
  const std::string one = fmt::format("{}.value[{}]", some, is_constant ? "0" : "_j");
  const std::string place = address(text, loop, operand, is_even);
  const auto access = [&](const std::string& whole, const std::string& element) {
    if (is_constant) return first_of(element);
    const std::string each = text.for_each(loop.plan, element);
    return tiled.is_packed[slot] && order.pack > 1 ? text.pack_or_each(loop.plan, whole, each)
                                                   : each;
  };
  to.declarations.push_back(
      fmt::format("{} _some_{}[{}];", pack, operand.name(), TiledLoop::passes(order)));
  to.element_arguments += one;
  const int part = is_even || operand.is_output || text.ends_in_pack(loop.plan)
                       ? 1
                       : neighbours(tiled, loop, operand);
  if (part > 1)
    to.loads.push_back(moved(operand, order.pack, part, one, "*" + place));
  else if (is_loaded)
    to.loads.push_back(
        access(fmt::format("{} = *reinterpret_cast<const {}*>({});", some, pack, first_of(place)),
               fmt::format("{} = *{};", one, place)));
  if (operand.is_output)
    to.stores.push_back(
        access(fmt::format("*reinterpret_cast<{}*>({}) = {};", pack, first_of(place), some),
               fmt::format("*{} = {};", place, one)));
}

}  // namespace

void add_tiled(ElementwisePieces& to, const TiledLoop& tiled, const ElementwiseLoop& loop,
               const Operand& operand, bool is_loaded) {
  const char* const comma = to.element_parameters.empty() ? "" : ", ";
  to.element_parameters +=
      fmt::format("{}{}{}{} {}", comma, operand.is_output ? "" : "const ", operand.c_type(),
                  operand.is_output ? "&" : "", operand.name());
  to.element_arguments += comma;
  if (const auto& staged = tiled.shape.staged[static_cast<std::size_t>(operand.slot)])
    add_staged(to, tiled, *staged, loop, operand);
  else
    add_direct(to, tiled, loop, operand, is_loaded);
}

}  // namespace kernelbatch
