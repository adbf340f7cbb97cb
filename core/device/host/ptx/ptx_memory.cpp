#include <array>
#include <utility>

#include "core/device/host/ptx/ptx_writer.hpp"

// Instructions that move data: registers, memory, atomic and asynchronous ones.
namespace kernelbatch::host {

std::string PtxWriter::move(const PtxInstruction& i) const {
  const std::string_view name = i.parts.front();
  const PtxType& type = type_of(i);

  if (name == "selp")
    return fmt::format("{} = {} ? {} : {};", target(i.operands.at(0)),
                       bits(i.operands.at(3), *ptx_type("pred"), i),
                       bits(i.operands.at(1), type, i), bits(i.operands.at(2), type, i));
  if (name == "slct") {
    const PtxType& result = type_of(i, 1);
    return fmt::format("{} = {} >= 0 ? {} : {};", target(i.operands.at(0)), value(i, 3, type),
                       bits(i.operands.at(1), result, i), bits(i.operands.at(2), result, i));
  }
  if (name == "isspacep") {
    const std::string test = is_in_shared(bits(i.operands.at(1), type, i));
    if (i.has("global")) return fmt::format("{} = !{};", target(i.operands.at(0)), test);
    if (!is_shared(i)) refuse(i);
    return fmt::format("{} = {};", target(i.operands.at(0)), test);
  }
  if (name == "cvta") {
    const std::string source = bits(i.operands.at(1), type, i);
    if (!is_shared(i)) return fmt::format("{} = {};", target(i.operands.at(0)), source);
    return fmt::format(
        "{} = {};", target(i.operands.at(0)),
        i.has("to") ? to_shared(source) : "(unsigned long long)" + in_shared_memory(i, source));
  }
  if (name == "mapa") return map_address(i);
  if (i.operands.at(0).kind == PtxOperand::Kind::kVector) {
    const auto& elements = i.operands.at(0).elements;
    const int width = type.bits / static_cast<int>(elements.size());
    std::string text = fmt::format("const unsigned long long __kernelbatch_v = {}; ",
                                   bits(i.operands.at(1), type, i));
    for (std::size_t k = 0; k < elements.size(); ++k)
      text += fmt::format("{} = __kernelbatch_v >> {} & {:#x}ull; ", target(elements[k]),
                          static_cast<int>(k) * width, width == 64 ? ~0ull : (1ull << width) - 1);
    return text;
  }
  if (i.operands.at(1).kind == PtxOperand::Kind::kVector) {
    const auto& elements = i.operands.at(1).elements;
    const int width = type.bits / static_cast<int>(elements.size());
    std::string text;
    for (std::size_t k = 0; k < elements.size(); ++k)
      text += fmt::format("{}({} & {:#x}ull) << {}", k > 0 ? " | " : "", bits(elements[k], type, i),
                          width == 64 ? ~0ull : (1ull << width) - 1, static_cast<int>(k) * width);
    return fmt::format("{} = {};", target(i.operands.at(0)), text);
  }
  const std::string to = target(i.operands.at(0));
  const int number = product_number(i.operands[0]), moved = product_number(i.operands.at(1));
  if (number >= 0 && moved >= 0)
    return fmt::format("{}._move({}, {}, {}, {});", products(), number, to, moved,
                       target(i.operands[1]));
  return fmt::format("{} = {};{}", to, bits(i.operands[1], type, i),
                     number < 0 ? "" : fmt::format(" {}._drop({});", products(), number));
}

std::string PtxWriter::memory(const PtxInstruction& i) const {
  const PtxType& type = type_of(i);
  const bool is_store = i.parts.front() == "st";

  const PtxOperand& data = i.operands[is_store ? 1 : 0];
  const std::string place = address(i, i.operands[is_store ? 0 : 1]);
  const std::string how = i.has("acquire")   ? "__ATOMIC_ACQUIRE"
                          : i.has("release") ? "__ATOMIC_RELEASE"
                          : i.has("relaxed") || i.has("volatile") || i.has("mmio")
                              ? "__ATOMIC_RELAXED"
                              : "-1";
  const std::vector<PtxOperand> elements =
      data.kind == PtxOperand::Kind::kVector ? data.elements : std::vector{data};
  // Copy raw bits, also of halves.
  const std::string_view cpp = type.bits == 16 && type.kind == 'f' ? "unsigned short"
                               : type.cpp.starts_with("__")        ? "unsigned"
                                                                   : type.cpp;
  if (elements.size() > 1 && how == "-1") return vector(place, elements, cpp, is_store, i);
  std::string text = fmt::format("char* const __kernelbatch_at = {}; ", place);
  // A vector is read completely before a register changes: one of them may be the address.
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const std::string at = fmt::format("__kernelbatch_at + {} * sizeof({})", k, cpp);
    if (is_store)
      text +=
          fmt::format("__kernelbatch_ptx_store<{0}, {1}>({2}, __kernelbatch_ptx_in<{0}>({3})); ",
                      cpp, how, at, bits(elements[k], type, i));
    else
      text += fmt::format("{} = __kernelbatch_ptx_out(__kernelbatch_ptx_load<{}, {}>({})); ",
                          target(elements[k]), cpp, how, at);
  }
  return text;
}

/// A vector is one access, aligned to its size.
std::string PtxWriter::vector(const std::string& place, const std::vector<PtxOperand>& elements,
                              std::string_view cpp, bool is_store, const PtxInstruction& i) const {
  const std::string of = fmt::format("<{}, {}>", cpp, elements.size());
  std::string text;
  if (is_store) {
    for (const PtxOperand& each : elements)
      text += fmt::format("{}__kernelbatch_ptx_in<{}>({})", text.empty() ? "" : ", ", cpp,
                          bits(each, type_of(i), i));
    return fmt::format("__kernelbatch_ptx_store_vector{}({}, {{{{{}}}}});", of, place, text);
  }
  text =
      fmt::format("const auto __kernelbatch_v = __kernelbatch_ptx_load_vector{}({}); ", of, place);
  for (std::size_t k = 0; k < elements.size(); ++k)
    text += fmt::format("{} = __kernelbatch_ptx_out(__kernelbatch_v._of[{}]); ",
                        target(elements[k]), k);
  return text;
}

std::string PtxWriter::atomic(const PtxInstruction& i) const {
  const bool is_red = i.parts.front() == "red";
  const PtxType& type = type_of(i);
  for (const char* op : {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}) {
    if (!i.has(op)) continue;
    const std::string name(op);
    if (type.cpp.starts_with("__") && name != "add") refuse(i);
    const std::size_t at = is_red ? 0 : 1;
    if (i.operands.size() <= at + 1) refuse(i);
    const PtxOperand& data = i.operands[at + 1];
    const std::string place = address(i, i.operands[at]);
    const auto call = [&](const PtxOperand& operand, std::size_t k) {
      return fmt::format(
          "__kernelbatch_ptx_atomic_{}<{}>({} + {} * sizeof({}), "
          "__kernelbatch_ptx_in<{}>({})",
          name, type.cpp, place, k, type.cpp, type.cpp, bits(operand, type, i));
    };
    if (data.kind == PtxOperand::Kind::kVector) {  // each element is atomic, not the vector
      std::string text;
      for (std::size_t k = 0; k < data.elements.size(); ++k)
        text += is_red
                    ? call(data.elements[k], k) + "); "
                    : fmt::format("{} = __kernelbatch_ptx_out({})); ",
                                  target(i.operands[0].elements.at(k)), call(data.elements[k], k));
      return text;
    }
    std::string whole = call(data, 0);
    if (name == "cas") whole += ", " + value(i, at + 2);
    return is_red ? whole + ");" : assign(i, whole + ")");
  }
  refuse(i);
}

}  // namespace kernelbatch::host
