#include "core/device/host/ptx/ptx_products.hpp"

#include <fmt/format.h>

#include <set>

namespace kernelbatch::host {
namespace {

std::set<std::string> names_in_blocks(const PtxBody& body) {
  std::set<std::string> names;
  int depth = 0;
  for (const PtxStatement& each : body) {
    if (each.kind == PtxStatement::Kind::kOpen) ++depth;
    if (each.kind == PtxStatement::Kind::kClose) --depth;
    for (const PtxVariable& variable : each.variables)
      for (std::size_t k = 0; depth > 0 && k < (variable.is_range ? variable.elements : 1); ++k)
        names.insert(variable.is_range ? fmt::format("{}{}", variable.name, k) : variable.name);
  }
  return names;
}

bool is_move(const PtxStatement& statement) {
  const PtxInstruction& i = statement.instruction;
  return statement.kind == PtxStatement::Kind::kInstruction && i.parts.front() == "mov" &&
         i.operands.size() == 2 && i.operands[0].kind == PtxOperand::Kind::kRegister &&
         i.operands[1].kind == PtxOperand::Kind::kRegister;
}

}  // namespace

PtxProducts::PtxProducts(const PtxBody& body) {
  std::set<std::string> excluded;
  const auto add = [&](const std::string& name) {
    return !excluded.contains(name) &&
           numbers_.try_emplace(name, static_cast<int>(numbers_.size())).second;
  };
  for (const PtxStatement& each : body) {
    const PtxInstruction& i = each.instruction;
    if (each.kind != PtxStatement::Kind::kInstruction || i.parts.front() != "wgmma" ||
        !i.has("mma_async") || i.operands.empty())
      continue;
    if (numbers_.empty()) excluded = names_in_blocks(body);
    for (const PtxOperand& result : i.operands[0].elements) add(result.text);
  }
  for (bool grows = !numbers_.empty(); grows;) {
    grows = false;
    for (const PtxStatement& each : body)
      if (is_move(each) && number(each.instruction.operands[1].text) >= 0)
        grows = add(each.instruction.operands[0].text) || grows;
  }
}

}  // namespace kernelbatch::host
