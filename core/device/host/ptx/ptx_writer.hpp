// Writes PTX's instructions as C++: one method for each family, in the files of this folder.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/device/host/ptx/ptx_code.hpp"
#include "core/device/host/ptx/ptx_types.hpp"

namespace kernelbatch::host {

[[noreturn]] inline void refuse(const PtxInstruction& instruction) {
  throw UnsupportedError(fmt::format(
      "needs cuda: the PTX instruction '{}' is not on the host device", instruction.opcode));
}

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, word) != list.end();
}

/// Coordinates of [handle, {x, y}].
const std::vector<PtxOperand>& coordinates_of(const PtxInstruction& i, const PtxOperand& operand);
/// The number in ".2d".
std::size_t dimensions_of(const PtxInstruction& i);

/// A name in scope.
struct PtxSymbol {
  enum class Kind { kRegister, kShared, kMemory, kFunction };
  Kind kind = Kind::kRegister;
  std::string cpp;  ///< a variable, the address of memory, a function
};

/// Writes statements as C++: a register is a variable of its width that holds the bits.
class PtxWriter {
 public:
  virtual ~PtxWriter() = default;
  PtxWriter() = default;
  PtxWriter(const PtxWriter&) = delete;
  PtxWriter& operator=(const PtxWriter&) = delete;

  static std::string cpp_name(std::string_view name) {
    std::string result = "__kernelbatch_p";
    for (const char c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        result += c;
      else
        result += c == '%' || c == '_' ? "_" : "_x";
    }
    return result;
  }
  static std::string label_of(std::string_view name) { return cpp_name(name) + "_l"; }
  static std::string number(std::string text, const PtxType& type);

 protected:
  std::string body(const PtxBody& statements);
  std::string instruction(const PtxInstruction& i) const;
  void enter_scope() { scopes_.emplace_back(); }
  void leave_scope() { scopes_.pop_back(); }
  void add(const std::string& name, PtxSymbol symbol) {
    scopes_.back().insert_or_assign(name, std::move(symbol));
  }
  const PtxSymbol& symbol(const std::string& name) const;
  std::string declare_registers(const PtxVariable& variable, bool is_initialized);

  /// Text before a statement, such as its place.
  virtual std::string before(const PtxStatement&) { return ""; }
  virtual std::string declare(const PtxVariable& variable);
  /// Pointer to what a register's address of shared memory means.
  virtual std::string in_shared_memory(const PtxInstruction&, const std::string& bits) const {
    return fmt::format("__kernelbatch_ptx_shared({}, 0)", bits);
  }
  /// True if addresses of shared memory begin at 0, as matrix descriptors require: those of dynamic
  /// memory.
  virtual bool has_windows() const { return false; }
  /// Address in shared memory of a generic one.
  virtual std::string to_shared(const std::string& bits) const {
    return fmt::format("__kernelbatch_ptx_to_shared({})", bits);
  }
  virtual std::string is_in_shared(const std::string& bits) const {
    return fmt::format("__kernelbatch_ptx_is_shared({})", bits);
  }
  virtual std::string map_address(const PtxInstruction& i) const { refuse(i); }
  virtual std::string call(const PtxInstruction& i) const { refuse(i); }
  virtual std::string leave(const PtxInstruction& i) const { refuse(i); }
  virtual std::string branch_to_one_of(const PtxInstruction& i) const { refuse(i); }
  virtual void note(const PtxStatement&) {}
  /// Number of a register that may hold a product of a warp group; -1 for others.
  virtual int product_number(const PtxOperand&) const { return -1; }
  /// The variable for a function's products; empty if it begins none.
  virtual std::string products() const { return ""; }

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
    if (const auto special = special_register(operand.text))
      return fmt::format("(unsigned long long)({})", *special);
    const PtxSymbol& found = symbol(operand.text);
    if (operand.is_negated) return fmt::format("!{}", found.cpp);
    if (const int number = product_number(operand); number >= 0)
      return fmt::format("__KERNELBATCH_PTX_PRODUCT({}, {})", number, found.cpp);
    if (found.kind == PtxSymbol::Kind::kRegister) return found.cpp;
    if (found.kind == PtxSymbol::Kind::kShared)
      return fmt::format(
          "((unsigned long long)(unsigned)({} - {}) + {}ll)", found.cpp,
          found.cpp.starts_with("(char*)&") ? "__kernelbatch_static" : "__kernelbatch_dynamic",
          operand.offset);
    return fmt::format("((unsigned long long){} + {}ll)", found.cpp, operand.offset);
  }

  /// An operand as a value of this type.
  std::string value(const PtxInstruction& i, std::size_t k, const PtxType& type) const {
    const std::string text = bits(i.operands.at(k), type, i);
    if (type.kind == 'p') return fmt::format("({} != 0)", text);
    const std::string read = fmt::format("__kernelbatch_ptx_in<{}>({})", type.cpp, text);
    return flushes(i, type) ? fmt::format("__kernelbatch_ptx_flush({})", read) : read;
  }
  std::string value(const PtxInstruction& i, std::size_t k) const {
    return value(i, k, type_of(i));
  }

  std::string target(const PtxOperand& operand) const {
    if (operand.kind == PtxOperand::Kind::kNone) return "__kernelbatch_carry";
    const PtxSymbol& found = symbol(operand.text);
    if (found.kind != PtxSymbol::Kind::kRegister)
      throw SpecError(fmt::format("'{}' is no register", operand.text));
    return found.cpp;
  }
  /// True if subnormal operands and results become zero.
  static bool flushes(const PtxInstruction& i, const PtxType& type) {
    return type.name == "f32" && i.has("ftz");
  }
  std::string assign(const PtxInstruction& i, const std::string& expression,
                     std::size_t operand = 0) const {
    return fmt::format("{} = __kernelbatch_ptx_out({});", target(i.operands.at(operand)),
                       expression);
  }

  static bool is_shared(const PtxInstruction& i) {
    return std::ranges::any_of(i.parts,
                               [](const std::string& part) { return part.starts_with("shared"); });
  }
  std::string address(const PtxInstruction& i, const PtxOperand& operand) const {
    return address(i, operand, is_shared(i));
  }
  std::string address(const PtxInstruction& i, const PtxOperand& operand, bool in_shared) const;
  std::string arithmetic(const PtxInstruction& i) const;
  std::string extended(const PtxInstruction& i) const;
  std::string floating(const PtxInstruction& i, const PtxType& type) const;
  std::string compare(const PtxInstruction& i) const;
  std::string convert(const PtxInstruction& i) const;
  std::string memory(const PtxInstruction& i) const;
  std::string vector(const std::string& place, const std::vector<PtxOperand>& elements,
                     std::string_view cpp, bool is_store, const PtxInstruction& i) const;
  std::string atomic(const PtxInstruction& i) const;
  std::string move(const PtxInstruction& i) const;
  std::string warp(const PtxInstruction& i) const;
  std::string barrier(const PtxInstruction& i) const;
  std::string copy(const PtxInstruction& i) const;
  std::string bulk_copy(const PtxInstruction& i) const;
  std::string tensor_copy(const PtxInstruction& i) const;
  std::string tensor_map(const PtxInstruction& i) const;
  std::string memory_barrier(const PtxInstruction& i) const;
  std::string warp_group(const PtxInstruction& i) const;
  std::string list(const PtxInstruction& i, const PtxOperand& operand) const;
  std::string give(const PtxOperand& operand) const;
  std::string matrix(const PtxInstruction& i) const;
  std::string wmma(const PtxInstruction& i) const;
  std::string texture(const PtxInstruction& i) const;
  std::string surface(const PtxInstruction& i) const;
  std::string simd_video(const PtxInstruction& i) const;
  std::string narrow(const PtxInstruction& i) const;
  std::string convert_pair(const PtxInstruction& i) const;
  static std::string rounding(const PtxInstruction& i) {
    for (const char* mode : {"rn", "rz", "rm", "rp"})
      if (i.has(mode)) return mode[1] == 'm' ? "rd" : mode[1] == 'p' ? "ru" : mode;
    return "rn";
  }

 private:
  std::vector<std::map<std::string, PtxSymbol, std::less<>>> scopes_;
};

}  // namespace kernelbatch::host
