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

TilePlace TileText::where(const std::string& left) const {
  TilePlace place;
  constexpr int kThreads = TiledLoop::kThreads;
  const std::string pack = order_.pack > 1 ? fmt::format(" * {}", order_.pack) : "";
  const std::string thread = fmt::format("(_thread & {})", kThreads - 1);
  std::vector<std::string> conditions = in_run();
  std::string rest = fmt::format("_q / {}", order_.lanes);
  if (order_.by_rows) {
    place.locate.push_back(fmt::format("const int _l = {} % {}{};", thread, order_.lanes, pack));
    rest = fmt::format("{} / {} + {} * _pass", thread, order_.lanes, rows_of_pass());
    if (order_.rows() % rows_of_pass() != 0)
      conditions.push_back(fmt::format("{} < {}", rows_name(row_axis()), order_.rows()));
  } else {
    place.locate.push_back(fmt::format("const int _q = {} + {} * _pass;", thread, kThreads));
    place.locate.push_back(
        fmt::format("const int _l = _q{}{};",
                    behind() < order_.axes.size() ? fmt::format(" % {}", order_.lanes) : "", pack));
    if (order_.packs() % kThreads != 0)
      conditions.push_back(fmt::format("_q < {}", order_.packs()));
  }
  const auto all = [&] {
    return conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " && "));
  };
  place.in_tile = all();
  if (cuts_run()) conditions.push_back(in_cut_run());
  for (std::size_t k = behind(); k < order_.axes.size(); ++k) {
    const int axis = order_.axes[k];
    place.locate.push_back(fmt::format("const int {} = {};", rows_name(axis), rest));
    place.locate.push_back(
        fmt::format("const int {} = {}{};", index_name(axis), rows_name(axis),
                    k + 1 == order_.axes.size() ? "" : fmt::format(" % {}", extent(axis))));
    rest = fmt::format("{} / {}", rows_name(axis), extent(axis));
    if (tiled_.cuts(axis))
      conditions.push_back(fmt::format("{} < _rest_{}", index_name(axis), axis));
  }
  place.inside = left.empty() || conditions.empty()
                     ? all()
                     : fmt::format("{} * _pass < {}", rows_of_pass(), left);
  return place;
}

/// Conditions under which a thread has elements of runs.
std::vector<std::string> TileText::in_run() const {
  std::vector<std::string> conditions;
  if (order_.by_rows && TiledLoop::kThreads % order_.lanes != 0)
    conditions.push_back(
        fmt::format("(_thread & {}) < {}", TiledLoop::kThreads - 1, order_.lanes * rows_of_pass()));
  if (order_.has_idle()) conditions.push_back(fmt::format("_l < {}", order_.run + order_.shift));
  return conditions;
}

/// The same for runs that the arrays end.
std::string TileText::in_cut_run() const {
  return fmt::format("_l < {}{}", limit(),
                     order_.shift > 0 ? fmt::format(" + {}", order_.shift) : "");
}

bool TileText::goes_down_rows() const {
  return order_.by_rows &&
         std::none_of(order_.axes.begin() + order_.run_axes, order_.axes.end() - 1,
                      [&](int axis) { return tiled_.cuts(axis); });
}

bool TileText::goes_down_rows(const Strides& strides) const {
  return goes_down_rows() && first_joined(strides) <= behind() &&
         (order_.pack == 1 || is_even(strides));
}

std::string TileText::declare_left(const std::string& name) const {
  std::vector<std::string> conditions = in_run();
  if (cuts_run()) conditions.push_back(in_cut_run());
  const int last = order_.axes.back();
  std::string left = std::to_string(order_.rows());
  if (tiled_.cuts(last))
    left = fmt::format("static_cast<int>(_rest_{0} < {1} ? _rest_{0} : {1}) * {2}", last,
                       extent(last), order_.rows() / extent(last));
  left = fmt::format("{} - {}", left, rows_name(row_axis()));
  if (!conditions.empty()) left = fmt::format("{} ? {} : 0", fmt::join(conditions, " && "), left);
  return declare_first("int", name, left);
}

std::string TileText::declare_first(const std::string& type, const std::string& name,
                                    const std::string& value) const {
  return fmt::format("{} {};\n{{\n  const int _pass = 0;\n  {}\n  {} = kernelbatch::held({});\n}}",
                     type, name, fmt::join(where().locate, "\n  "), name, value);
}

std::string TileText::place(const Step& step, const Strides& strides, bool joins) const {
  std::string sum;
  const bool evenly = is_even(strides);
  if (evenly) add(sum, "(_l + _j)", step(order_.axes.front()));
  int before = 1;
  for (int k = 0; !evenly && k < order_.run_axes; ++k) {
    const int axis = order_.axes[static_cast<std::size_t>(k)];
    add(sum, run_index(k, before), step(axis));
    before *= extent(axis);
  }
  const std::string run = run_place(step, strides, joins);
  if (sum.empty()) return run;
  return run == "0" ? sum : sum + " + " + run;
}

std::string TileText::run_place(const Step& step, const Strides& strides, bool joins) const {
  std::string sum;
  const std::size_t joined = joins ? first_joined(strides) : order_.axes.size();
  for (std::size_t k = behind(); k < std::min(joined, order_.axes.size()); ++k)
    add(sum, index_name(order_.axes[k]), step(order_.axes[k]));
  if (joined < order_.axes.size())
    add(sum, rows_name(order_.axes[joined]), step(order_.axes[joined]));
  return sum.empty() ? "0" : sum;
}

std::string TileText::place_in_pack(const Step& step) const {
  if (order_.pack == 1) return "";
  std::string sum = "";
  add(sum, "_j", step(order_.axes.front()));
  return sum.empty() ? "" : " + " + sum;
}

bool TileText::is_even(const Strides& strides) const {
  return order_.run_axes > 0 && kernelbatch::is_even(strides, tiled_.shape.extents, order_);
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
