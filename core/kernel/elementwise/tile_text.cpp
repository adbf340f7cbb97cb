#include "core/kernel/elementwise/tile_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelbatch {
namespace {

std::string index_name(int axis) { return fmt::format("_c{}", axis); }
std::string rows_name(int axis) { return fmt::format("_r{}", axis); }

/// Adds a term to a sum, unless `by` is empty.
void add(std::string& sum, const std::string& index, const std::string& by) {
  if (!by.empty())
    sum += fmt::format("{}{}{}", sum.empty() ? "" : " + ", index, by == "1" ? "" : " * " + by);
}

}  // namespace

TilePlace TileText::where(const char* pass) const {
  TilePlace place;
  place.locate.push_back(fmt::format("const int _q = (_thread & {}) + {} * {};",
                                     TiledLoop::kThreads - 1, TiledLoop::kThreads, pass));
  const auto behind = static_cast<std::size_t>(order_.run_axes);
  place.locate.push_back(
      fmt::format("const int _l = _q{}{};",
                  behind < order_.axes.size() ? fmt::format(" % {}", order_.lanes) : "",
                  order_.pack > 1 ? fmt::format(" * {}", order_.pack) : ""));
  std::vector<std::string> conditions;
  if (order_.packs() % TiledLoop::kThreads != 0)
    conditions.push_back(fmt::format("_q < {}", order_.packs()));
  if (order_.has_idle()) conditions.push_back(fmt::format("_l < {}", order_.run + order_.shift));
  const auto all = [&] {
    return conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " && "));
  };
  place.in_tile = all();
  if (cuts_run())
    conditions.push_back(
        fmt::format("_l < {}{}", limit(),
                    order_.shift > 0 ? fmt::format(" + {}", order_.shift) : std::string()));
  std::string rest = fmt::format("_q / {}", order_.lanes);
  for (std::size_t k = behind; k < order_.axes.size(); ++k) {
    const int axis = order_.axes[k];
    place.locate.push_back(fmt::format("const int {} = {};", rows_name(axis), rest));
    place.locate.push_back(
        fmt::format("const int {} = {}{};", index_name(axis), rows_name(axis),
                    k + 1 == order_.axes.size() ? "" : fmt::format(" % {}", extent(axis))));
    rest = fmt::format("{} / {}", rows_name(axis), extent(axis));
    if (tiled_.cuts(axis))
      conditions.push_back(fmt::format("{} < _rest_{}", index_name(axis), axis));
  }
  place.inside = all();
  return place;
}

std::string TileText::place(const Step& step, bool is_even, const Strides* strides) const {
  std::string sum;
  const auto behind = static_cast<std::size_t>(order_.run_axes);
  if (is_even && behind > 0) add(sum, "(_l + _j)", step(order_.axes.front()));
  int before = 1;
  for (int k = 0; !is_even && k < order_.run_axes; ++k) {
    const int axis = order_.axes[static_cast<std::size_t>(k)];
    add(sum, run_index(k, before), step(axis));
    before *= extent(axis);
  }
  return add_run(std::move(sum), step, strides);
}

std::string TileText::run_place(const Step& step, const Strides* strides) const {
  return add_run("", step, strides);
}

std::string TileText::add_run(std::string sum, const Step& step, const Strides* strides) const {
  const auto behind = static_cast<std::size_t>(order_.run_axes);
  const std::size_t joined = strides == nullptr ? order_.axes.size() : first_joined(*strides);
  for (std::size_t k = behind; k < std::min(joined, order_.axes.size()); ++k)
    add(sum, index_name(order_.axes[k]), step(order_.axes[k]));
  if (joined < order_.axes.size())
    add(sum, rows_name(order_.axes[joined]), step(order_.axes[joined]));
  return sum.empty() ? "0" : sum;
}

std::string TileText::pack_or_each(const LoopPlan& plan, const std::string& whole,
                                   const std::string& each) const {
  if (!ends_in_pack(plan)) return whole;
  return fmt::format("if (_l + {} <= {}) {{\n  {}\n}} else {{\n  {}\n}}", order_.pack, limit(),
                     whole, each);
}

std::string TileText::for_each(const LoopPlan& plan, const std::string& statement) const {
  return fmt::format("KERNELBATCH_UNROLL\nfor (int _j = 0; _j < {}; ++_j) {}{}", order_.pack,
                     ends_in_pack(plan) ? fmt::format("if (_l + _j < {}) ", limit()) : "",
                     statement);
}

bool TileText::divides_first() const {
  return order_.run_axes > 0 && extent(order_.axes.front()) % order_.pack == 0;
}

/// Only the last axis of a run may have several tiles.
bool TileText::cuts_run() const { return order_.run_axes > 0 && tiled_.cuts(last_of_run()); }

bool TileText::ends_in_pack(const LoopPlan& plan) const {
  return checks_ && order_.pack > 1 && cuts_run() &&
         plan.extents[last_of_run()] * (order_.run / extent(last_of_run())) % order_.pack != 0;
}

/// Elements of a run within the arrays.
std::string TileText::limit() const {
  const int inner = order_.run / extent(last_of_run());
  return fmt::format("_rest_{}{}", last_of_run(), inner > 1 ? fmt::format(" * {}", inner) : "");
}

/// Index along the axis number `k` of a run, with `before` elements along those before it.
std::string TileText::run_index(int k, int before) const {
  const std::string first = divides_first() && k > 0 ? "_l" : "(_l + _j)";
  const std::string part = k == 0 ? first : fmt::format("{} / {}", first, before);
  if (k + 1 == order_.run_axes) return part;
  const int width = extent(order_.axes[static_cast<std::size_t>(k)]);
  return k == 0 && divides_first() ? fmt::format("(_l % {} + _j)", width)
                                   : fmt::format("{} % {}", part, width);
}

/// The first axis behind a run from which on all of an array are evenly spaced.
std::size_t TileText::first_joined(const Strides& strides) const {
  std::size_t first = order_.axes.size();
  while (first > static_cast<std::size_t>(order_.run_axes)) {
    const int axis = order_.axes[first - 1];
    if (first < order_.axes.size() && strides[order_.axes[first]] != strides[axis] * extent(axis))
      break;
    --first;
  }
  return first;
}

}  // namespace kernelbatch
