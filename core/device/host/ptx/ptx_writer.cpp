#include "core/device/host/ptx/ptx_writer.hpp"

namespace kernelbatch::host {

std::string PtxWriter::number(std::string text, const PtxType& type) {
  const bool is_float_bits = text.size() > 2 && text[0] == '0' &&
                             std::string_view("fFdD").find(text[1]) != std::string_view::npos;
  if (is_float_bits) return "0x" + text.substr(2) + "ull";
  if (type.kind == 'f' && type.bits >= 32) {
    if (text.find_first_of(".eE") == std::string::npos) text += ".0";
    return fmt::format("__kernelbatch_ptx_out(({}){})", type.cpp, text);
  }
  if (text.ends_with('U') || text.ends_with('u')) text.pop_back();
  return fmt::format("(unsigned long long){}ll", text);
}

const PtxSymbol& PtxWriter::symbol(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  if (name.starts_with("%envreg") ||
      (name.starts_with('%') &&
       (name.find('.') != std::string::npos || !std::isdigit(name.back()))))
    throw UnsupportedError(
        fmt::format("needs cuda: the special register '{}' is not on the host device", name));
  throw SpecError(fmt::format("'{}' is not declared", name));
}

std::string PtxWriter::address(const PtxInstruction& i, const PtxOperand& operand,
                               bool in_shared) const {
  if (operand.kind != PtxOperand::Kind::kAddress || !operand.elements.empty()) refuse(i);
  if (operand.text.empty()) return fmt::format("(char*){}ull", operand.offset);
  const PtxSymbol& found = symbol(operand.text);
  if (found.kind != PtxSymbol::Kind::kRegister)
    return fmt::format("((char*){} + {}ll)", found.cpp, operand.offset);
  return fmt::format(
      "({} + {}ll)",
      in_shared ? in_shared_memory(i, found.cpp) : fmt::format("(char*){}", found.cpp),
      operand.offset);
}

std::string PtxWriter::declare_registers(const PtxVariable& variable, bool is_initialized) {
  const PtxType* const type = ptx_type(variable.type);
  if (type == nullptr)
    throw UnsupportedError(fmt::format(
        "needs cuda: registers of type '.{}' are not on the host device", variable.type));
  const std::string_view cpp = type->kind == 'p'   ? "bool"
                               : type->bits == 64  ? "unsigned long long"
                               : type->bits == 32  ? "unsigned"
                               : type->bits == 128 ? "unsigned __int128"
                                                   : "unsigned short";
  std::string text;
  const std::size_t count = variable.is_range ? variable.elements : 1;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name =
        variable.is_range ? fmt::format("{}{}", variable.name, k) : variable.name;
    const std::string variable_name = cpp_name(name);
    add(name, {.kind = PtxSymbol::Kind::kRegister, .cpp = variable_name});
    text += fmt::format("{}{}{}", k == 0 ? fmt::format("{} ", cpp) : ", ", variable_name,
                        is_initialized ? " = 0" : "");
  }
  return count == 0 ? "" : text + "; ";
}

std::string PtxWriter::declare(const PtxVariable& variable) {
  if (variable.space != "reg")
    throw UnsupportedError(
        fmt::format("needs cuda: '.{}' in inline PTX is not on the host device", variable.space));
  return declare_registers(variable, scopes_.size() <= 2);
}

std::string PtxWriter::body(const PtxBody& statements) {
  using enum PtxStatement::Kind;
  std::string text;
  const auto labels_from = [&](std::size_t k) {
    int depth = 0;
    for (; k < statements.size() && depth >= 0; ++k) {
      depth += statements[k].kind == kOpen ? 1 : statements[k].kind == kClose ? -1 : 0;
      if (depth == 0 && statements[k].kind == kLabel)
        text += fmt::format("__label__ {}; ", label_of(statements[k].name));
    }
  };
  labels_from(0);
  for (std::size_t k = 0; k < statements.size(); ++k) {
    const PtxStatement& each = statements[k];
    text += before(each);
    if (each.kind == kOpen) {
      enter_scope();
      text += "{ ";
      labels_from(k + 1);
    } else if (each.kind == kClose) {
      leave_scope();
      text += "} ";
    } else if (each.kind == kVariables) {
      for (const PtxVariable& variable : each.variables) text += declare(variable);
    } else if (each.kind == kLabel) {
      text += fmt::format("{}:; ", label_of(each.name));
    } else if (each.kind == kInstruction) {
      const PtxInstruction& i = each.instruction;
      const std::string guard =
          i.guard.empty()
              ? ""
              : fmt::format("if ({}{}) ", i.is_guard_negated ? "!" : "", symbol(i.guard).cpp);
      text += fmt::format("{}{{ {} }} ", guard, instruction(i));
    }
  }
  return text;
}

std::string PtxWriter::instruction(const PtxInstruction& i) const {
  const std::string_view name = i.parts.front();
  if (name == "bra") {
    if (i.operands.size() != 1) refuse(i);
    return fmt::format("goto {};", label_of(i.operands[0].text));
  }
  if (is_one_of(name, {"exit", "ret"})) return leave(i);
  if (name == "call") return call(i);
  if (name == "brx") return branch_to_one_of(i);
  if (name == "trap") return "__trap();";
  if (name == "nanosleep") return "__nanosleep(1); __kernelbatch_yield();";
  if (is_one_of(name, {"brkpt", "pmevent", "prefetch", "prefetchu", "applypriority", "discard",
                       "setmaxnreg", "griddepcontrol", "createpolicy"}))
    return "";
  if (is_one_of(name, {"mov", "cvta", "selp", "slct", "isspacep", "mapa"})) return move(i);
  if (is_one_of(name, {"setp", "set"})) return compare(i);
  if (name == "cvt") return convert(i);
  if (is_one_of(name, {"ld", "ldu", "st"})) return memory(i);
  if (is_one_of(name, {"atom", "red"})) return atomic(i);
  if (is_one_of(name, {"bar", "barrier", "membar", "fence"})) return barrier(i);
  if (name == "mbarrier") return memory_barrier(i);
  if (is_one_of(name, {"shfl", "vote", "match", "activemask", "redux", "elect"})) return warp(i);
  if (name == "cp") return copy(i);
  if (name == "tensormap") return tensor_map(i);
  if (is_one_of(name, {"mma", "ldmatrix", "stmatrix", "movmatrix"})) return matrix(i);
  if (name == "wmma") return wmma(i);
  if (name == "tex") return texture(i);
  if (is_one_of(name, {"suld", "sust"})) return surface(i);
  if (name.starts_with('v') && (name.ends_with('2') || name.ends_with('4'))) return simd_video(i);
  if (name == "wgmma" && has_windows()) return warp_group(i);
  return arithmetic(i);
}

}  // namespace kernelbatch::host
