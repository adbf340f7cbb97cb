// Parses the PTX in a kernel's text into instructions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch::host {

/// Operand of an instruction. Registers of the statement's operands are "%0", special ones
/// "%tid.x", others have their `.reg` name.
struct PtxOperand {
  enum class Kind { kRegister, kNumber, kAddress, kVector, kNone };
  Kind kind = Kind::kRegister;
  bool is_negated = false;           ///< !p
  std::string text;                  ///< a name, a number; an address's register
  long long offset = 0;              ///< of an address
  std::vector<PtxOperand> elements;  ///< of {a, b}
};

struct PtxInstruction {
  std::string guard;  ///< of @p; empty if it always runs
  bool is_guard_negated = false;
  std::string opcode;              ///< as written: "ld.global.ca.v2.f32"
  std::vector<std::string> parts;  ///< "ld", "global", "ca", "v2", "f32"
  /// d|p counts as two operands, the second marked by `has_second_result`.
  std::vector<PtxOperand> operands;
  bool has_second_result = false;

  bool has(std::string_view part) const;
};

struct PtxRegister {
  std::string name;
  std::string type;  ///< "pred", "b32"
};

struct PtxCode {
  /// In the order of the text: a label is an instruction whose opcode is "name:".
  std::vector<PtxInstruction> instructions;
  std::vector<PtxRegister> registers;
};

/// Throws UnsupportedError for text that is not an instruction.
PtxCode read_ptx(std::string_view code);

}  // namespace kernelbatch::host
