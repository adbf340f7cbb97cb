#include "core/kernel/launch/layout_argument.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/kernel/loop/division.hpp"
#include "kernel_embedded.hpp"

namespace kernelbatch {

std::string LayoutArgument::type() const {
  const std::size_t arrays = loop_.strides.size();
  // Zero-length arrays are not allowed in a struct; the prelude's own layout handles that.
  if (is_divided())
    return fmt::format("_divided_layout<{}, {}>", loop_.rank(), std::max<std::size_t>(arrays, 1));
  return fmt::format("kernelbatch::layout<{}, {}, {}>", is_wide_ ? "long long" : "int",
                     loop_.rank(), arrays);
}

StructBytes LayoutArgument::bytes() const {
  StructBytes bytes;
  const auto add = [&](const char* name, const std::vector<std::int64_t>& values) {
    is_wide_
        ? bytes.append_list("long long", name, values)
        : bytes.append_list("int", name, std::vector<std::int32_t>(values.begin(), values.end()));
  };
  add(extents(), {loop_.extents.begin(), loop_.extents.end()});
  if (is_divided()) {
    std::vector<std::uint32_t> factors, shifts;
    for (const std::int64_t extent : loop_.extents) {
      const Division by =
          Division::by(static_cast<std::uint32_t>(std::max<std::int64_t>(extent, 1)));
      factors.push_back(by.factor);
      shifts.push_back(by.shift);
    }
    bytes.append_list("unsigned", "_factor", factors);
    bytes.append_list("unsigned", "_shift", shifts);
  }
  std::vector<std::int64_t> steps;  // [array][axis]
  for (const Strides& each : loop_.strides) steps.insert(steps.end(), each.begin(), each.end());
  if (steps.empty()) steps.resize(static_cast<std::size_t>(loop_.rank()));
  add(strides(), steps);
  return bytes;
}

std::string layout_definition(bool is_divided) {
  return is_divided ? std::string(source::divided_layout) : std::string();
}

}  // namespace kernelbatch
