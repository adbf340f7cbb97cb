// Writes PTX's instructions as C++: one method for each family, in the files of this folder.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/device/host/text/asm_statement.hpp"
#include "core/device/host/text/ptx_code.hpp"
#include "core/device/host/text/ptx_types.hpp"

namespace kernelbatch::host {

[[noreturn]] inline void refuse(const PtxInstruction& instruction) {
  throw UnsupportedError(fmt::format(
      "needs cuda: the PTX instruction '{}' is not on the host device", instruction.opcode));
}

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, word) != list.end();
}

/// Writes the statements of one asm block. Every register is an unsigned long long that holds the
/// bits, whatever the instruction's type.
class PtxWriter {
 public:
  explicit PtxWriter(const AsmStatement& statement)
      : statement_(statement), code_(read_ptx(statement.code)) {}

  /// One C++ statement on one line, without a final semicolon.
  std::string text();

 private:
  static std::string register_name(std::string_view name) {
    std::string result = "__kernelbatch_p";
    for (const char c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        result += c;
      else
        result += c == '%' ? "_" : "_x";
    }
    return result;
  }
  static std::string label_of(std::string_view name) { return register_name(name) + "_l"; }

  /// The last part of the opcode that names a type.
  static const PtxType& type_of(const PtxInstruction& i, std::size_t from_end = 0) {
    for (auto part = i.parts.rbegin(); part != i.parts.rend(); ++part)
      if (const PtxType* type = ptx_type(*part); type != nullptr && from_end-- == 0) return *type;
    refuse(i);
  }

  /// The bits of an operand; a number is converted to this type.
  std::string bits(const PtxOperand& operand, const PtxType& type, const PtxInstruction& i) const {
    if (operand.kind == PtxOperand::Kind::kNumber) return number(operand.text, type);
    if (operand.kind != PtxOperand::Kind::kRegister) refuse(i);
    if (operand.is_negated) return fmt::format("!{}", register_name(operand.text));
    if (const auto special = special_register(operand.text))
      return fmt::format("(unsigned long long)({})", *special);
    if (operand.text.starts_with('%') && operand.text.find('.') != std::string::npos)
      throw UnsupportedError(fmt::format(
          "needs cuda: the special register '{}' is not on the host device", operand.text));
    return register_name(operand.text);
  }

  static std::string number(std::string text, const PtxType& type) {
    if (text.starts_with("0f") || text.starts_with("0F")) return "0x" + text.substr(2) + "ull";
    if (text.starts_with("0d") || text.starts_with("0D")) return "0x" + text.substr(2) + "ull";
    if (type.kind == 'f' && type.bits >= 32) {
      if (text.find_first_of(".eE") == std::string::npos) text += ".0";
      return fmt::format("__kernelbatch_ptx_out(({}){})", type.cpp, text);
    }
    if (text.ends_with('U')) text.pop_back();
    return fmt::format("(unsigned long long){}ll", text);
  }

  /// An operand as a value of this type.
  std::string value(const PtxInstruction& i, std::size_t k, const PtxType& type) const {
    if (k >= i.operands.size()) refuse(i);
    const std::string text = bits(i.operands[k], type, i);
    if (type.kind == 'p') return fmt::format("({} != 0)", text);
    return fmt::format("__kernelbatch_ptx_in<{}>({})", type.cpp, text);
  }
  std::string value(const PtxInstruction& i, std::size_t k) const {
    return value(i, k, type_of(i));
  }

  std::string target(const PtxOperand& operand) const {
    if (operand.kind == PtxOperand::Kind::kNone) return "__kernelbatch_carry";
    return register_name(operand.text);
  }
  std::string assign(const PtxInstruction& i, const std::string& expression,
                     std::size_t operand = 0) const {
    if (operand >= i.operands.size()) refuse(i);
    return fmt::format("{} = __kernelbatch_ptx_out({});", target(i.operands[operand]), expression);
  }

  std::string address(const PtxInstruction& i, const PtxOperand& operand) const {
    if (operand.kind != PtxOperand::Kind::kAddress) refuse(i);
    const bool is_shared = std::ranges::any_of(
        i.parts, [](const std::string& part) { return part.starts_with("shared"); });
    return fmt::format("__kernelbatch_ptx_{}({}, {}ll)", is_shared ? "shared" : "generic",
                       register_name(operand.text), operand.offset);
  }

  std::string instruction(const PtxInstruction& i) const;
  std::string arithmetic(const PtxInstruction& i) const;
  std::string extended(const PtxInstruction& i) const;
  std::string floating(const PtxInstruction& i, const PtxType& type) const;
  std::string compare(const PtxInstruction& i) const;
  std::string convert(const PtxInstruction& i) const;
  std::string memory(const PtxInstruction& i) const;
  std::string atomic(const PtxInstruction& i) const;
  std::string move(const PtxInstruction& i) const;
  std::string warp(const PtxInstruction& i) const;
  std::string barrier(const PtxInstruction& i) const;
  std::string copy(const PtxInstruction& i) const;
  std::string matrix(const PtxInstruction& i) const;
  static std::string rounding(const PtxInstruction& i) {
    for (const char* mode : {"rn", "rz", "rm", "rp"})
      if (i.has(mode)) return mode[1] == 'm' ? "rd" : mode[1] == 'p' ? "ru" : mode;
    return "rn";
  }

  const AsmStatement& statement_;
  PtxCode code_;
};

}  // namespace kernelbatch::host
