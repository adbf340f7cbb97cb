#include "core/device/host/text/ptx_translation.hpp"

#include "core/device/host/text/ptx_writer.hpp"

namespace kernelbatch::host {

std::string PtxWriter::text() {
  std::string before = "do { ", after, labels;
  std::set<std::string> declared;
  const auto declare = [&](const std::string& name) {
    if (declared.insert(name).second) before += fmt::format("unsigned long long {} = 0; ", name);
  };
  for (std::size_t k = 0; k < statement_.operands.size(); ++k) {
    const AsmOperand& operand = statement_.operands[k];
    const std::string name = register_name(fmt::format("%{}", k));
    declare(name);
    if (operand.is_read)
      after += fmt::format("{} = __kernelbatch_ptx_read({}); ", name, operand.expression);
  }
  for (const PtxRegister& each : code_.registers) declare(register_name(each.name));
  declare("__kernelbatch_carry");
  for (const PtxInstruction& each : code_.instructions) {
    if (each.opcode.ends_with(':')) {
      const std::string label = label_of(each.opcode.substr(0, each.opcode.size() - 1));
      labels += fmt::format("__label__ {}; ", label);
      after += fmt::format("{}:; ", label);
      continue;
    }
    const std::string guard = each.guard.empty()
                                  ? ""
                                  : fmt::format("if ({}{}) ", each.is_guard_negated ? "!" : "",
                                                register_name(each.guard));
    after += fmt::format("{}{{ {} }} ", guard, instruction(each));
  }
  for (std::size_t k = 0; k < statement_.operands.size(); ++k)
    if (statement_.operands[k].is_written)
      after += fmt::format("__kernelbatch_ptx_write({}, {}); ", statement_.operands[k].expression,
                           register_name(fmt::format("%{}", k)));
  return "do { " + labels + before.substr(5) + after + "} while (0)";
}

std::string PtxWriter::instruction(const PtxInstruction& i) const {
  const std::string_view name = i.parts.front();
  if (name == "bra") {
    if (i.operands.size() != 1) refuse(i);
    return fmt::format("goto {};", label_of(i.operands[0].text));
  }
  if (is_one_of(name, {"exit", "ret"})) refuse(i);
  if (name == "trap") return "__trap();";
  if (name == "nanosleep") return "__nanosleep(1);";
  if (is_one_of(name, {"brkpt", "pmevent", "prefetch", "prefetchu", "applypriority", "discard",
                       "setmaxnreg", "griddepcontrol"}))
    return "";
  if (is_one_of(name, {"mov", "cvta", "selp", "slct", "isspacep", "mapa"})) return move(i);
  if (is_one_of(name, {"setp", "set"})) return compare(i);
  if (name == "cvt") return convert(i);
  if (is_one_of(name, {"ld", "ldu", "st"})) return memory(i);
  if (is_one_of(name, {"atom", "red"})) return atomic(i);
  if (is_one_of(name, {"bar", "barrier", "membar", "fence", "mbarrier"})) return barrier(i);
  if (is_one_of(name, {"shfl", "vote", "match", "activemask", "redux", "elect"})) return warp(i);
  if (name == "cp") return copy(i);
  if (is_one_of(name, {"mma", "ldmatrix"})) return matrix(i);
  return arithmetic(i);
}

std::string translate_ptx(const AsmStatement& statement) { return PtxWriter(statement).text(); }

}  // namespace kernelbatch::host
