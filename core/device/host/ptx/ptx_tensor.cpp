#include <array>
#include <utility>

#include "core/base/tensor_choices.hpp"
#include "core/device/host/ptx/ptx_writer.hpp"

// Copies of tensors' boxes, and the tensor maps that describe them.
namespace kernelbatch::host {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kReductions{
    {{"add", "Add"},
     {"min", "Min"},
     {"max", "Max"},
     {"inc", "Inc"},
     {"dec", "Dec"},
     {"and", "And"},
     {"or", "Or"},
     {"xor", "Xor"}}};

/// Types by PTX's numbers.
constexpr std::array kTensorTypes{
    TensorType::kUInt8,      TensorType::kUInt16,  TensorType::kUInt32,   TensorType::kInt32,
    TensorType::kUInt64,     TensorType::kInt64,   TensorType::kFloat16,  TensorType::kFloat32,
    TensorType::kFloat32Ftz, TensorType::kFloat64, TensorType::kBFloat16, TensorType::kTFloat32,
    TensorType::kTFloat32Ftz};

/// Members of kernelbatch_host::TensorMap by PTX's names; `add` is added to the new value.
struct Field {
  std::string_view name, member;
  bool has_axis;
  int add;
};
constexpr Field kFields[] = {{"global_address", "address", false, 0},
                             {"rank", "axes", false, 1},
                             {"box_dim", "box", true, 0},
                             {"global_dim", "extents", true, 0},
                             {"global_stride", "strides", true, 0},
                             {"element_stride", "element_strides", true, 0},
                             {"elemtype", "type", false, 0},
                             {"interleave_layout", "is_interleaved", false, 0},
                             {"swizzle_mode", "swizzle", false, 0},
                             {"swizzle_atomicity", "atom", false, 0},
                             {"fill_mode", "fills_nan", false, 0}};

}  // namespace

std::string PtxWriter::tensor_copy(const PtxInstruction& i) const {
  // cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
  // cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group
  const auto tensor = std::ranges::find(i.parts, "tensor");
  if (i.parts.end() - tensor < 4) refuse(i);
  const std::size_t axes = dimensions_of(i);
  const bool is_load = tensor[3] == "global";
  for (const std::string& part : i.parts)
    if (part.starts_with("im2col") || part.starts_with("cta_group") || part.starts_with("tile::"))
      refuse(i);
  if (is_load ? !i.has("mbarrier::complete_tx::bytes") || i.operands.size() < 3
              : !i.has("bulk_group") || i.operands.size() < 2)
    refuse(i);
  std::string_view action = is_load ? "Load" : "Store";
  if (i.has("reduce"))
    for (const auto& [name, title] : kReductions)
      if (i.has(name)) action = title;
  PtxOperand map = i.operands[is_load ? 1 : 0];
  std::string coordinates;
  if (coordinates_of(i, map).size() != axes) refuse(i);
  for (const PtxOperand& each : coordinates_of(i, map))
    coordinates += fmt::format("__kernelbatch_ptx_in<int>({}), ", bits(each, *ptx_type("s32"), i));
  map.elements.clear();
  return fmt::format(
      "const int __kernelbatch_c[{0}] = {{{1}}}; __kernelbatch_ptx_tensor_copy({2}, {3}, "
      "__kernelbatch_c, {0}, kernelbatch_host::kTensor{4}, {5});",
      axes, coordinates, address(i, map, false), address(i, i.operands[is_load ? 0 : 1], true),
      action, is_load ? address(i, i.operands[2], true) : "nullptr");
}

std::string PtxWriter::tensor_map(const PtxInstruction& i) const {
  const std::string at = address(i, i.operands.at(0), i.parts.at(1) == "replace" && is_shared(i));
  if (i.parts[1] == "cp_fenceproxy")
    return fmt::format("__kernelbatch_ptx_tensor_map_copy({}, {}, {});",
                       address(i, i.operands.at(0), false), address(i, i.operands.at(1), true),
                       value(i, 2, *ptx_type("u32")));
  const auto field = std::ranges::find_if(
      kFields, [&](const Field& each) { return i.parts[1] == "replace" && i.has(each.name); });
  if (field == std::end(kFields)) refuse(i);
  const std::size_t last = field->has_axis ? 2 : 1;
  std::string word = bits(i.operands.at(last), *ptx_type("b64"), i);
  if (field->name == "elemtype") {
    const std::size_t type = std::stoul(i.operands[last].text);
    if (i.operands[last].kind != PtxOperand::Kind::kNumber || type >= kTensorTypes.size())
      refuse(i);
    word = std::to_string(static_cast<int>(kTensorTypes[type]));
  }
  return fmt::format(
      "auto& __kernelbatch_m = __kernelbatch_ptx_tensor_map({}).{}{}; __kernelbatch_m = "
      "(decltype(__kernelbatch_m + 0))({} + {});",
      at, field->member, field->has_axis ? fmt::format("[{}]", value(i, 1, *ptx_type("u32"))) : "",
      word, field->add);
}

}  // namespace kernelbatch::host
