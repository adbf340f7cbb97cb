// Parts of PTX's text: operands, instructions, declarations, statements.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch::host {

/// Operand of an instruction. Registers of an asm statement's operands are "%0", special ones
/// "%tid.x", others have their `.reg` name.
struct PtxOperand {
  enum class Kind { kRegister, kNumber, kAddress, kVector, kList, kNone };
  Kind kind = Kind::kRegister;
  bool is_negated = false;           ///< !p
  std::string text;                  ///< a name, a number; an address's register or variable
  long long offset = 0;              ///< of an address, or of a variable: `x+4`
  std::vector<PtxOperand> elements;  ///< of {a, b} and (a, b); coordinates of [a, {x, y}]
};

struct PtxInstruction {
  std::string guard;  ///< of @p; empty if it always runs
  bool is_guard_negated = false;
  std::string opcode;              ///< as written: "ld.global.ca.v2.f32"
  std::vector<std::string> parts;  ///< "ld", "global", "ca", "v2", "f32"
  /// d|p counts as two operands, the second marked by `has_second_result`.
  std::vector<PtxOperand> operands;
  bool has_second_result = false;
  int line = 0;

  bool has(std::string_view part) const;
};

/// Value of an element: a number, or the address of `name` plus `offset`.
struct PtxInitial {
  std::string number;
  std::string name;
  long long offset = 0;
};

struct PtxVariable {
  std::string space;  ///< reg param local shared global const
  std::string type;   ///< "pred", "b32"
  std::string name;
  std::size_t elements = 1;   ///< of `a[2][3]`, and of vectors
  std::size_t alignment = 0;  ///< 0: that of the type
  bool is_array = false;      ///< also without a size, in `extern` declarations
  bool is_range = false;      ///< `r<3>`: r0, r1, r2
  bool is_extern = false;
  std::vector<PtxInitial> initial = {};
  int line = 0;
};

struct PtxStatement {
  enum class Kind {
    kNothing,
    kInstruction,
    kLabel,
    kOpen,
    kClose,
    kVariables,
    kPlace,
    kTargets,
    kPrototype
  };
  Kind kind = Kind::kNothing;
  int line = 0;
  PtxInstruction instruction = {};
  std::string name = {};                    ///< of a label, a table of targets, a prototype
  std::vector<PtxVariable> variables = {};  ///< declared; parameters of a prototype
  std::vector<PtxVariable> results = {};    ///< of a prototype
  std::vector<std::string> targets = {};    ///< labels of `.branchtargets`
  int file = 0, file_line = 0;              ///< of `.loc`
};

using PtxBody = std::vector<PtxStatement>;

/// The PTX of an asm statement. Throws SpecError with the line and what is wrong.
PtxBody read_ptx(std::string_view code);

}  // namespace kernelbatch::host
