#include "core/inline/tensor_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/job/keys/inline_keys.hpp"
#include "core/job/reader.hpp"
#include "core/verify/job_value.hpp"

namespace kernelbatch {
namespace {

/// The type that copies have by default; an unsigned integer of the same size for others.
TensorType type_of(DType dtype) {
  if (const auto same = parse_choice<TensorType>(name_of(dtype))) return *same;
  switch (size_of(dtype)) {
    case 1:
      return TensorType::kUInt8;
    case 2:
      return TensorType::kUInt16;
    case 8:
      return TensorType::kUInt64;
    default:
      throw SpecError(fmt::format("tensor map: elements of {} are too large", name_of(dtype)));
  }
}

std::vector<std::int64_t> read_integers(const YamlNode& node, std::string_view key,
                                        const NamedValues& facts) {
  const YamlNode* const found = node.find(key);
  if (found == nullptr) return {};
  std::vector<std::int64_t> numbers =
      evaluate_integers(read_scalar_or_list(*found, key), facts, key);
  if (std::ranges::any_of(numbers, [](std::int64_t number) { return number < 0; }))
    fail_at(found->place, fmt::format("'{}' must not have negative numbers", key));
  return numbers;
}

template <Choice E>
void read_choice_of(E& to, const YamlNode& node, std::string_view key) {
  if (const YamlNode* const found = node.find(key)) to = read_choice<E>(*found, key);
}

/// Requires a number for each of `axes` axes.
void require_count(const std::vector<std::int64_t>& list, std::string_view key, std::size_t axes,
                   std::string_view what) {
  if (list.size() != axes)
    throw SpecError(fmt::format("tensor map: '{}' has {} numbers, not one for each of {} {}", key,
                                list.size(), axes, what));
}

/// Lengths and strides: those of the array, unless the job has them.
void set_layout(TensorMapForm& form, const InlineTensorMap& map, const Array& array) {
  const auto item = static_cast<std::int64_t>(size_of(array.dtype()));
  const bool is_own = map.dims.empty() && map.strides.empty();
  std::vector<std::int64_t> dims = map.dims;
  if (dims.empty()) dims.assign(array.shape().begin(), array.shape().end());
  if (map.dims.empty()) std::ranges::reverse(dims);
  form.axes = static_cast<int>(dims.size());
  if (dims.empty() || dims.size() > form.extents.size()) return;
  if (!map.strides.empty())
    require_count(map.strides, "strides", dims.size() - 1, "axes after the innermost");
  std::int64_t stride = item, reach = item;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (is_own) stride = array.strides()[form.axes - 1 - static_cast<int>(axis)];
    if (axis > 0 && !map.strides.empty()) stride = map.strides[axis - 1];
    form.extents[axis] = static_cast<std::uint64_t>(dims[axis]);
    form.strides[axis] = static_cast<std::uint64_t>(stride);
    reach += (dims[axis] - 1) * stride;
    stride *= dims[axis];
  }
  if (!is_own && (!array.is_contiguous() || reach > static_cast<std::int64_t>(array.bytes())))
    throw SpecError(fmt::format(
        "tensor map: 'dims' and 'strides' describe {} bytes of a contiguous array, '{}' has {}{}",
        reach, map.array, array.bytes(), array.is_contiguous() ? "" : " and is not contiguous"));
}

}  // namespace

InlineTensorMap read_tensor_map(const YamlNode& node, const NamedValues& facts) {
  expect_keys(node, "args", tensor_map_argument_keys());
  InlineTensorMap map{.array = read_text(*node.find("tensor_map"), "tensor_map"),
                      .place = node.place};
  map.box = read_integers(node, "box", facts);
  map.dims = read_integers(node, "dims", facts);
  map.strides = read_integers(node, "strides", facts);
  map.element_strides = read_integers(node, "element_strides", facts);
  if (const YamlNode* const type = node.find("type"))
    map.type = read_choice<TensorType>(*type, "type");
  read_choice_of(map.interleave, node, "interleave");
  read_choice_of(map.swizzle, node, "swizzle");
  read_choice_of(map.promotion, node, "l2_promotion");
  read_choice_of(map.fill, node, "fill");
  return map;
}

TensorMapForm tensor_map_form(const InlineTensorMap& map, const Array& array) {
  TensorMapForm form{.type = map.type.value_or(type_of(array.dtype())),
                     .address = array.data(),
                     .interleave = map.interleave,
                     .swizzle = map.swizzle,
                     .promotion = map.promotion,
                     .fill = map.fill};
  if (row_of(form.type).bytes != size_of(array.dtype()))
    throw SpecError(fmt::format("tensor map: 'type: {}' has {} bytes, elements of '{}' have {}",
                                name_of(form.type), row_of(form.type).bytes, map.array,
                                size_of(array.dtype())));
  set_layout(form, map, array);
  const auto axes = static_cast<std::size_t>(form.axes);
  if (axes >= 1 && axes <= form.box.size()) {
    require_count(map.box, "box", axes, "axes");
    if (!map.element_strides.empty())
      require_count(map.element_strides, "element_strides", axes, "axes");
    for (std::size_t axis = 0; axis < axes; ++axis) {
      constexpr std::int64_t kMost = 1 << 30;
      form.box[axis] = static_cast<std::uint32_t>(std::min(map.box[axis], kMost));
      if (!map.element_strides.empty())
        form.element_strides[axis] =
            static_cast<std::uint32_t>(std::min(map.element_strides[axis], kMost));
    }
  }
  require_valid(form);
  return form;
}

}  // namespace kernelbatch
