#include "core/kernel/elementwise/tile_pieces.hpp"

#include <fmt/format.h>

#include "core/kernel/elementwise/tile_places.hpp"

namespace kernelbatch {
namespace {

constexpr const char* kUnroll = "KERNELBATCH_UNROLL";

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
  return fmt::format(
      "{}\nfor (int _u = 0; _u < {}; ++_u) {{\nconst int _pass = _u;\n{}\nif ({}) {{\n{}\n}}\n}}",
      kUnroll, order.passes(), fmt::join(place.locate, "\n"), inside, body);
}

/// The same with checks, a few passes at once.
std::string in_checked_passes(const TileOrder& order, const TileText& text,
                              const std::string& body) {
  const TilePlace place = text.where();
  const int passes = order.passes(), at_once = std::min(passes, TiledLoop::kChecked);
  return fmt::format(
      "KERNELBATCH_ROLLED\nfor (int _group = 0; _group < {0}; _group += {1}) {{\n{2}\n"
      "for (int _u = 0; _u < {1}; ++_u) {{\nconst int _pass = _group + _u;\n{3}\n"
      "if (_pass < {0} && {4}) {{\n{5}\n}}\n}}\n}}",
      passes, at_once, kUnroll, fmt::join(place.locate, "\n"), place.inside, body);
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

void add_line(ElementwisePieces::Lines& lines, const std::string& line) {
  if (!line.empty()) lines.push_back(line);
}

/// From memory into registers, from these into shared memory, and from there into the packs of the
/// outputs' order.
void add_staged(ElementwisePieces& to, const TiledLoop& tiled, const StagedTile& tile,
                const ElementwiseLoop& loop, const Operand& operand) {
  const std::string& name = operand.name();
  const std::string type = operand.c_type();
  const TileOrder& order = tile.order;
  const TileOrder& out = tiled.shape.order;
  const TileText text(tiled, order), to_outputs(tiled, out);
  const std::string pack = fmt::format("kernelbatch::pack<{}, {}>", type, order.pack);
  const std::string own = fmt::format("_some_{}[_u]", name);
  to.tiles.push_back(fmt::format("__shared__ __align__(16) {} _tile_{}[{}];", type, name,
                                 (tile.size + 15) / 16 * 16));
  to.declarations.push_back(fmt::format("{} _some_{}[{}];", pack, name, order.passes()));
  const std::string left = text.goes_down_rows() ? "_left_" + name : "";
  if (!left.empty()) to.tile_loads.push_back(text.declare_left(left));
  const ElementPlace from = place_in_memory(text, loop, operand);
  add_line(to.tile_loads, from.first);
  const std::string each =
      text.for_each(loop.plan, fmt::format("{}.value[_j] = *{};", own, from.element));
  const std::string whole =
      order.pack == 1 ? each
                      : fmt::format("{} = *reinterpret_cast<const {}*>({});", own, pack, from.pack);
  const TilePlace place = text.where(left);
  to.tile_loads.push_back(
      in_passes(order, place, place.inside, text.pack_or_each(loop.plan, whole, each)));
  const ElementPlace stored = place_in_shared(text, tile.steps, "_to_" + name);
  add_line(to.tile_stores, stored.first);
  to.tile_stores.push_back(
      in_passes(order, place, place.in_tile,
                moved(operand, order.pack, tile.stored,
                      fmt::format("_tile_{}[{}]", name, stored.element), own + ".value[_j]")));
  const ElementPlace read = place_in_shared(to_outputs, tile.steps, "_from_" + name);
  add_line(to.firsts, read.first);
  to.tile_reads.push_back(fmt::format("kernelbatch::pack<{}, {}> _own_{};", type, out.pack, name));
  to.tile_reads.push_back(moved(operand, out.pack, tile.loaded,
                                fmt::format("_own_{}.value[_j]", name),
                                fmt::format("_tile_{}[{}]", name, read.element)));
  to.element_arguments += fmt::format("_own_{}.value[_j]", name);
}

/// From memory into shared memory in words, and from there into the packs of the outputs' order.
void add_copied(ElementwisePieces& to, const TiledLoop& tiled, const StagedTile& tile,
                const ElementwiseLoop& loop, const Operand& operand) {
  const std::string& name = operand.name();
  const std::string type = operand.c_type();
  const TileOrder& out = tiled.shape.order;
  const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
  const TileText text(tiled, tile.order), to_outputs(tiled, out);
  const bool is_shifted = !tile.phases.empty();
  to.tiles.push_back(fmt::format("__shared__ __align__(16) {} _tile_{}[{}][{}];", type, name,
                                 kCopiedTiles, (tile.size + 15) / 16 * 16));
  // Bytes of the array's first word that precede the array.
  if (is_shifted)
    to.leads.push_back(fmt::format(
        "const _index _lead_{0} = static_cast<_index>(reinterpret_cast<unsigned long long>(_p_{0}) "
        "& {1});",
        name, tile.word - 1));
  const std::string run =
      fmt::format("_offset[{}] + {}", operand.slot,
                  text.run_place(steps_in_memory(strides, operand), strides, true));
  const std::string word =
      is_shifted
          ? fmt::format("(({0} + _lead_{1}) & ~_index({2})) - _lead_{1}", run, name, tile.word - 1)
          : run;
  const std::string to_shared =
      fmt::format("_tile_{}[_stage] + {} + _l", name,
                  text.run_place(constant_steps(tile.steps), as_strides(tile.steps), false));
  const std::string from = fmt::format("{} + _l * {}", word, size_of(operand.dtype));
  const std::string copy =
      fmt::format("kernelbatch::begin_copy<{}>({}, kernelbatch::offset_pointer(_p_{}, {}));",
                  tile.word, to_shared, name, from);
  const std::string checked = fmt::format(
      "kernelbatch::begin_word_copy<{0}>({1}, _p_{2}, {3}, _steps.low_{4}, _steps.high_{4});",
      tile.word, to_shared, name, from, operand.slot);
  const TilePlace where = text.where();
  to.tile_loads.push_back(in_passes(tile.order, where, where.in_tile, copy));
  to.checked_tile_loads.push_back(
      in_checked_passes(tile.order, text, tile.order.pack == 1 ? copy : checked));
  const ElementPlace read = place_in_shared(to_outputs, tile.steps, "_from_" + name);
  add_line(to.firsts, read.first);
  std::string own = read.element;
  if (is_shifted) {
    to.declarations.push_back(
        fmt::format("const int _phase_{0} = static_cast<int>((_offset[{1}] + _lead_{0}) / {2});",
                    name, operand.slot, size_of(operand.dtype)));
    own +=
        fmt::format(" + ((_phase_{} + {}) & {})", name,
                    to_outputs.place(constant_steps(tile.phases), as_strides(tile.phases), false),
                    tile.order.pack - 1);
  }
  to.tile_reads.push_back(fmt::format("kernelbatch::pack<{}, {}> _own_{};", type, out.pack, name));
  to.tile_reads.push_back(fmt::format(
      "{}\nfor (int _j = 0; _j < {}; ++_j) _own_{}.value[_j] = _tile_{}[1 - _stage][{}];", kUnroll,
      out.pack, name, name, own));
  to.element_arguments += fmt::format("_own_{}.value[_j]", name);
}

/// True for an input whose runs are repeated in a tile: all but the first are loaded from the L1
/// cache, so loads after the barrier take no longer, and registers for them are free until then.
bool is_repeated(const TiledLoop& tiled, const LoopPlan& plan, const Operand& operand) {
  const Strides& strides = plan.strides[static_cast<std::size_t>(operand.slot)];
  if (operand.is_output || tiled.copies || strides[tiled.shape.order.axes.front()] == 0)
    return false;
  for (int axis = 0; axis < plan.rank(); ++axis)
    if (strides[axis] == 0 && tiled.shape.extents[static_cast<std::size_t>(axis)] > 1) return true;
  return false;
}

/// A load of the aligned packs around a pack's elements if these are within the array.
std::string covered(const PackedLoop::Cover& cover, const Operand& operand, const std::string& to,
                    const std::string& from, const std::string& whole, const std::string& each) {
  return fmt::format(
      "if ({0} <= kernelbatch::offset_pointer(_p_{1}, _steps.last_{2})) {{\n"
      "{3}\n"
      "for (int _c = 0; _c < {4}; ++_c) {5}[_c] = reinterpret_cast<const {6}*>({0} - {7})[_c];\n"
      "}} else {{\n"
      "{8}\n"
      "}}",
      from, operand.name(), operand.slot, kUnroll, cover.count, to, whole, cover.phase, each);
}

/// In the outputs' order, by packs if possible.
void add_direct(ElementwisePieces& to, const TiledLoop& tiled, const ElementwiseLoop& loop,
                const Operand& operand, bool is_loaded) {
  const auto slot = static_cast<std::size_t>(operand.slot);
  const TileOrder& order = tiled.shape.order;
  const TileText text(tiled, order);
  const Strides& strides = loop.plan.strides[slot];
  const bool is_even = text.is_even(strides);
  const bool is_constant = !operand.is_output && order.run_axes > 0 &&
                           strides[order.axes.front()] == 0 && (is_even || text.divides_first());
  const auto cover = tiled.cover_of(loop, operand);
  const std::string pack = fmt::format("kernelbatch::pack<{}, {}>", operand.c_type(),
                                       is_constant ? 1
                                       : cover     ? cover->width
                                                   : order.pack);
  const std::string some = fmt::format("_some_{}[_u]", operand.name());
  const std::string one =
      cover ? fmt::format("{0}[(_j * {1} + {2}) / {3}].value[(_j * {1} + {2}) % {3}]", some,
                          cover->step, cover->phase, cover->width)
            : fmt::format("{}.value[{}]", some, is_constant ? "0" : "_j");
  const ElementPlace place = place_in_memory(text, loop, operand);
  const auto access = [&](const TileText& of, const std::string& whole,
                          const std::string& element) {
    if (is_constant) return first_of(element);
    const std::string each = of.for_each(loop.plan, element);
    if (cover)
      return of.pack_or_each(loop.plan, covered(*cover, operand, some, place.pack, pack, each),
                             each);
    return tiled.is_packed[slot] && order.pack > 1 ? of.pack_or_each(loop.plan, whole, each) : each;
  };
  const TileText unchecked(tiled, order, false);
  const auto add = [&](ElementwisePieces::Lines& lines, ElementwisePieces::Lines& checked,
                       const std::string& whole, const std::string& element) {
    lines.push_back(access(tiled.copies ? unchecked : text, whole, element));
    checked.push_back(access(text, whole, element));
  };
  to.declarations.push_back(fmt::format("{} _some_{}[{}]{};", pack, operand.name(), order.passes(),
                                        cover ? fmt::format("[{}]", cover->count) : ""));
  to.element_arguments += one;
  const int part = is_even || operand.is_output || text.ends_in_pack(loop.plan)
                       ? 1
                       : neighbours(tiled, loop, operand);
  ElementwisePieces::Lines& loads =
      is_repeated(tiled, loop.plan, operand) ? to.tile_reads : to.loads;
  if (part > 1) {
    loads.push_back(moved(operand, order.pack, part, one, "*" + place.element));
    to.checked_loads.push_back(loads.back());
  } else if (is_loaded) {
    add(loads, to.checked_loads,
        fmt::format("{} = *reinterpret_cast<const {}*>({});", some, pack, place.pack),
        fmt::format("{} = *{};", one, place.element));
  }
  if (operand.is_output)
    add(to.stores, to.checked_stores,
        fmt::format("*reinterpret_cast<{}*>({}) = {};", pack, place.pack, some),
        fmt::format("*{} = {};", place.element, one));
  const bool is_load = &loads == &to.loads && (is_loaded || !operand.is_output);
  add_line(is_load ? to.load_firsts : to.firsts, place.first);
}

}  // namespace

void add_tiled(ElementwisePieces& to, const TiledLoop& tiled, const ElementwiseLoop& loop,
               const Operand& operand, bool is_loaded) {
  add_element(to, operand);
  if (const auto& staged = tiled.shape.staged[static_cast<std::size_t>(operand.slot)])
    (tiled.copies ? add_copied : add_staged)(to, tiled, *staged, loop, operand);
  else
    add_direct(to, tiled, loop, operand, is_loaded);
}

}  // namespace kernelbatch
