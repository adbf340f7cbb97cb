#include "core/array/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

[[noreturn]] void fail(std::string_view text, std::string_view why) {
  throw SpecError(fmt::format("slice '{}': {}", text, why));
}

std::optional<std::int64_t> integer(std::string_view text, std::string_view whole) {
  text = trim(text);
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  const char* first = text.data() + (text[0] == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    fail(whole, fmt::format("'{}' is not an integer", text));
  return value;
}

/// One range `start:stop:step` of an axis, clipped as in NumPy.
Array take_range(const Array& array, int axis, std::string_view item, std::string_view whole) {
  const std::vector<std::string> parts = split(item, ':');
  if (parts.size() > 3) fail(whole, fmt::format("'{}' has more than two colons", item));
  const std::int64_t extent = array.shape()[axis];
  const std::int64_t step = parts.size() > 2 ? integer(parts[2], whole).value_or(1) : 1;
  if (step == 0) fail(whole, "a step of 0");
  const auto bound = [&](const std::string& part, std::int64_t otherwise) {
    const auto given = integer(part, whole);
    if (!given) return otherwise;
    const std::int64_t from_front = *given < 0 ? *given + extent : *given;
    return step > 0 ? std::clamp<std::int64_t>(from_front, 0, extent)
                    : std::clamp<std::int64_t>(from_front, -1, extent - 1);
  };
  const std::int64_t start = bound(parts[0], step > 0 ? 0 : extent - 1);
  const std::int64_t stop = bound(parts[1], step > 0 ? extent : -1);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  const std::int64_t magnitude = step > 0 ? step : -step;
  const std::int64_t count = distance <= 0 ? 0 : (distance + magnitude - 1) / magnitude;
  return array.slice(axis, count == 0 ? 0 : start, count, step);
}

Array without_axis(const Array& array, int axis) {
  Shape shape;
  Strides strides;
  for (int k = 0; k < array.axes(); ++k) {
    if (k == axis) continue;
    shape.push_back(array.shape()[k]);
    strides.push_back(array.strides()[k]);
  }
  return array.with_layout(array.data(), shape, strides);
}

Array with_axis(const Array& array, int axis) {
  Shape shape;
  Strides strides;
  for (int k = 0; k <= array.axes(); ++k) {
    if (k == axis) {
      shape.push_back(1);
      strides.push_back(0);
    }
    if (k == array.axes()) break;
    shape.push_back(array.shape()[k]);
    strides.push_back(array.strides()[k]);
  }
  return array.with_layout(array.data(), shape, strides);
}

}  // namespace

Array slice_view(const Array& array, std::string_view text) {
  std::string_view inner = trim(text);
  if (inner.starts_with('[') != inner.ends_with(']')) fail(text, "brackets do not match");
  if (inner.starts_with('[')) inner = inner.substr(1, inner.size() - 2);
  std::vector<std::string> items;
  for (const std::string& item : split(inner, ',')) items.emplace_back(trim(item));
  if (items.size() > 1 && items.back().empty()) items.pop_back();  // a trailing comma
  const auto adds_axis = [](const std::string& item) {
    return item == "None" || item == "newaxis";
  };
  int used = 0;
  for (const std::string& item : items) used += adds_axis(item) || item == "..." ? 0 : 1;
  if (std::ranges::count(items, "...") > 1) fail(text, "'...' may occur only once");
  if (used > array.axes())
    fail(text, fmt::format("{} indices for an array of {} axes", used, array.axes()));
  Array view = array;
  int axis = 0;
  for (const std::string& item : items) {
    if (item.empty()) fail(text, "an index is missing");
    if (item == "...") {
      axis += array.axes() - used;
    } else if (adds_axis(item)) {
      view = with_axis(view, axis++);
    } else if (item.find(':') != std::string::npos) {
      view = take_range(view, axis, item, text);
      ++axis;
    } else {
      const std::int64_t extent = view.shape()[axis];
      const std::int64_t index = *integer(item, text);
      if (index < -extent || index >= extent)
        fail(text, fmt::format("index {} is out of range for an axis of {}", index, extent));
      view = without_axis(view.slice(axis, index < 0 ? index + extent : index, 1, 1), axis);
    }
  }
  return view;
}

Array view_of(const Array& array, std::span<const ViewStep> steps) {
  Array view = array;
  for (const ViewStep& step : steps) {
    const std::span<const std::int64_t> numbers = step.numbers;
    switch (step.kind) {
      case ViewStep::Kind::kSlice:
        view = slice_view(view, step.slice);
        break;
      case ViewStep::Kind::kTranspose: {
        std::vector<int> axes;
        for (const std::int64_t axis : numbers)
          axes.push_back(static_cast<int>(axis < 0 ? axis + view.axes() : axis));
        view = axes.empty() ? view.transpose() : view.transpose(axes);
        break;
      }
      case ViewStep::Kind::kBroadcast:
        view = view.broadcast_to(Shape(numbers));
        break;
      case ViewStep::Kind::kReshape:
        view = view.reshape(Shape(numbers));
        break;
    }
  }
  return view;
}

Array same_view(const Array& view, const Array& base, const Array& copy) {
  return copy.with_layout(copy.data() + (view.data() - base.data()), view.shape(), view.strides());
}

}  // namespace kernelbatch
