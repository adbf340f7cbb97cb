#include "core/device/host/ptx/ptx_writer.hpp"

// Textures and surfaces by their handles, as kernels of CUDA C++ use them.
namespace kernelbatch::host {

const std::vector<PtxOperand>& coordinates_of(const PtxInstruction& i, const PtxOperand& operand) {
  if (operand.kind != PtxOperand::Kind::kAddress || operand.elements.size() != 1 ||
      operand.elements[0].kind != PtxOperand::Kind::kVector)
    refuse(i);
  return operand.elements[0].elements;
}

std::size_t dimensions_of(const PtxInstruction& i) {
  for (const char* each : {"1d", "2d", "3d", "4d", "5d"})
    if (i.has(each)) return static_cast<std::size_t>(each[0] - '0');
  refuse(i);
}

std::string PtxWriter::texture(const PtxInstruction& i) const {
  const std::size_t axes = dimensions_of(i);
  const PtxType &result = type_of(i, 1), &of_place = type_of(i);
  const auto& place = coordinates_of(i, i.operands.at(1));
  const bool is_fetch = of_place.name == "s32";
  if (!i.has("v4") || i.operands.size() != 2 || place.size() < axes || (is_fetch && axes != 1) ||
      i.parts.size() != 5 || result.bits != 32 || i.operands[0].kind != PtxOperand::Kind::kVector)
    refuse(i);
  std::string list;
  for (std::size_t k = 0; k < axes; ++k)
    list +=
        fmt::format(", __kernelbatch_ptx_in<{}>({})", of_place.cpp, bits(place[k], of_place, i));
  const std::string_view texel = result.kind == 'f'   ? "float4"
                                 : result.kind == 's' ? "int4"
                                                      : "uint4";
  std::string text =
      fmt::format("const auto __kernelbatch_v = tex{}D{}<{}>({}{}); ", axes,
                  is_fetch ? "fetch" : "", texel, symbol(i.operands[1].text).cpp, list);
  for (std::size_t k = 0; k < i.operands[0].elements.size(); ++k)
    text += fmt::format("{} = __kernelbatch_ptx_out(__kernelbatch_v.{}); ",
                        target(i.operands[0].elements[k]), "xyzw"[k]);
  return text;
}

std::string PtxWriter::surface(const PtxInstruction& i) const {
  const std::size_t axes = dimensions_of(i);
  const bool is_store = i.parts.front() == "sust";
  if (!i.has("b") || i.operands.size() != 2) refuse(i);
  const PtxType& type = type_of(i);
  const auto& place = coordinates_of(i, i.operands[is_store ? 0 : 1]);
  if (place.size() < axes) refuse(i);
  const PtxOperand& data = i.operands[is_store ? 1 : 0];
  const std::vector<PtxOperand> elements =
      data.kind == PtxOperand::Kind::kVector ? data.elements : std::vector{data};
  const std::string cpp = fmt::format("__kernelbatch_ptx_texel<{}, {}>", type.cpp, elements.size());
  std::string list = symbol(i.operands[is_store ? 0 : 1].text).cpp;
  for (std::size_t k = 0; k < axes; ++k)
    list += fmt::format(", (int){}", bits(place[k], *ptx_type("s32"), i));
  list += i.has("zero")    ? ", cudaBoundaryModeZero"
          : i.has("clamp") ? ", cudaBoundaryModeClamp"
                           : ", cudaBoundaryModeTrap";
  std::string text;
  if (is_store) {
    for (const PtxOperand& each : elements)
      text += fmt::format("{}__kernelbatch_ptx_in<{}>({})", text.empty() ? "" : ", ", type.cpp,
                          bits(each, type, i));
    return fmt::format("surf{}Dwrite({}{{{{{}}}}}, {});", axes, cpp, text, list);
  }
  text = fmt::format("const auto __kernelbatch_v = surf{}Dread<{}>({}); ", axes, cpp, list);
  for (std::size_t k = 0; k < elements.size(); ++k)
    text += fmt::format("{} = __kernelbatch_ptx_out(__kernelbatch_v._of[{}]); ",
                        target(elements[k]), k);
  return text;
}

/// vadd4.u32.s32.u32.sat d, a, b, c
std::string PtxWriter::simd_video(const PtxInstruction& i) const {
  const std::string& name = i.parts.front();
  std::string operation = name.substr(1, name.size() - 2);
  std::size_t first = 1;
  if (operation == "set") {  // vset4.u32.u32.lt
    if (i.parts.size() < 4) refuse(i);
    operation = i.parts[3];
    if (!is_one_of(operation, {"eq", "ne", "lt", "le", "gt", "ge"})) refuse(i);
    first = 0;  // its result is unsigned
  }
  if (i.operands.size() != 4 || i.parts.size() < 4) refuse(i);
  for (std::size_t k = 0; k < 4; ++k)
    if (i.operands[k].text.find('.') != std::string::npos) refuse(i);  // chosen lanes
  const auto is_signed = [&](std::size_t part) { return i.parts.at(part) == "s32"; };
  const PtxType& b32 = *ptx_type("b32");
  return assign(i, fmt::format("__kernelbatch_ptx_simd<{}, {}, {}, {}, {}, {}>({}, {}, {}, "
                               "__kernelbatch_ptx_simd_{})",
                               name.back(), first == 1 && is_signed(1), is_signed(first + 1),
                               is_signed(first + 2), i.has("sat"), i.has("add"), value(i, 1, b32),
                               value(i, 2, b32), value(i, 3, b32), operation));
}

}  // namespace kernelbatch::host
