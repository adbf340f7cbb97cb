#include <array>
#include <utility>

#include "core/device/host/ptx/ptx_writer.hpp"

// Instructions of a warp or a block: exchanges, votes, barriers, matrices.
namespace kernelbatch::host {

std::string PtxWriter::warp(const PtxInstruction& i) const {
  const std::string_view name = i.parts.front();
  const PtxType& pred = *ptx_type("pred");
  const PtxType& b32 = *ptx_type("b32");
  const auto mask = [&](std::size_t k) { return value(i, k, b32); };
  if (name == "activemask") return assign(i, "__activemask()");
  if (!i.has("sync")) refuse(i);
  const std::size_t first = i.has_second_result ? 2 : 1;
  if (name == "shfl") {
    const std::string mode = i.parts.at(2);
    return fmt::format(
        "bool __kernelbatch_valid; {} = __kernelbatch_ptx_shuffle('{}', {}, {}, {}, {}, "
        "__kernelbatch_valid);{}",
        target(i.operands.at(0)), mode.front(), mask(first), mask(first + 1), mask(first + 2),
        mask(first + 3),
        i.has_second_result ? fmt::format(" {} = __kernelbatch_valid;", target(i.operands.at(1)))
                            : "");
  }
  if (name == "vote") {
    const std::string p = value(i, 1, pred), m = mask(2);
    if (i.has("ballot")) return assign(i, fmt::format("__ballot_sync({}, {})", m, p));
    if (i.has("any")) return assign(i, fmt::format("__any_sync({}, {}) != 0", m, p));
    if (i.has("all")) return assign(i, fmt::format("__all_sync({}, {}) != 0", m, p));
    return assign(i, fmt::format("__kernelbatch_ptx_uniform({}, {})", m, p));
  }
  if (name == "match") {
    const PtxType& type = type_of(i);
    if (i.has("any"))
      return assign(i, fmt::format("__match_any_sync({}, {})", mask(2), value(i, 1, type)));
    return fmt::format(
        "int __kernelbatch_all; {} = __match_all_sync({}, {}, &__kernelbatch_all);{}",
        target(i.operands.at(0)), mask(first + 1), value(i, first, type),
        i.has_second_result ? fmt::format(" {} = __kernelbatch_all;", target(i.operands.at(1)))
                            : "");
  }
  if (name == "redux")
    return assign(i, fmt::format("__reduce_{}_sync({}, {})", i.parts.at(2), mask(2), value(i, 1)));
  if (name == "elect")
    return fmt::format(
        "const unsigned __kernelbatch_m = {}; {} = __ffs(__kernelbatch_m) - 1; {} = "
        "__kernelbatch_ptx_lane() == __ffs(__kernelbatch_m) - 1;",
        mask(2), target(i.operands.at(0)), target(i.operands.at(1)));
  refuse(i);
}

std::string PtxWriter::barrier(const PtxInstruction& i) const {
  const std::string_view name = i.parts.front();
  const PtxType& b32 = *ptx_type("b32");
  if (name == "membar" || name == "fence") return "__threadfence_system();";
  if (i.has("cluster")) {
    if (i.has("arrive")) return "__kernelbatch_cluster_arrive();";
    if (i.has("wait")) return "__kernelbatch_cluster_wait();";
    refuse(i);
  }
  if (i.has("warp")) return fmt::format("__syncwarp({});", value(i, 0, b32));
  if (i.has("red")) {
    const std::size_t last = i.operands.size() - 1;
    const std::string p = value(i, last, *ptx_type("pred"));
    if (i.operands.size() > 3) refuse(i);
    const std::string how = i.has("popc") ? "count" : i.has("and") ? "and" : "or";
    return fmt::format("{} = __syncthreads_{}({});", target(i.operands.at(0)), how, p);
  }
  if (!i.has("sync") && !i.has("arrive")) refuse(i);
  if (i.operands.empty()) refuse(i);
  const std::string number = value(i, 0, b32),
                    count = i.operands.size() > 1 ? value(i, 1, b32) : "0u";
  return fmt::format("__kernelbatch_named_barrier({}, {}, {});", number, count,
                     i.has("sync") ? "true" : "false");
}

std::string PtxWriter::warp_group(const PtxInstruction& i) const {
  if (i.has("commit_group")) return fmt::format("__kernelbatch_ptx_wgmma_commit({});", products());
  if (i.has("wait_group"))
    return fmt::format("__kernelbatch_ptx_wgmma_wait({}{}{});", value(i, 0, *ptx_type("b32")),
                       products().empty() ? "" : ", ", products());
  if (!i.has("mma_async")) return "";
  const std::string shape = i.parts.at(4);
  const std::string d = i.parts.at(5), a = i.parts.at(6);
  if (a != i.parts.at(7) || !is_one_of(a, {"f16", "bf16", "tf32", "s8", "u8"}) || i.has("sp") ||
      i.operands.at(0).kind != PtxOperand::Kind::kVector)
    refuse(i);
  const auto& results = i.operands[0].elements;
  const bool has_registers = i.operands.at(1).kind == PtxOperand::Kind::kVector;
  const PtxType& b64 = *ptx_type("b64");
  std::string before, after, first;
  for (std::size_t k = 0; k < results.size(); ++k) {
    // The result arrives with the wait for it.
    const std::string result = target(results[k]);
    const int number = product_number(results[k]);
    before += (k > 0 ? ", " : "") +
              (number < 0 ? result : fmt::format("{}._now({}, {})", products(), number, result));
    after += number < 0 ? fmt::format(" {} = __kernelbatch_d[{}];", result, k)
                        : fmt::format(" {}._begin({}, {}, __kernelbatch_d[{}]);", products(),
                                      number, result, k);
  }
  if (!has_registers) first = bits(i.operands[1], b64, i);
  for (std::size_t k = 0; has_registers && k < i.operands[1].elements.size(); ++k)
    first += (k > 0 ? ", " : "") + bits(i.operands[1].elements[k], b64, i);
  const auto option = [&](std::size_t k) {
    return k < i.operands.size() ? value(i, k, *ptx_type("s32")) : std::string("0");
  };
  // D, A, B, scale-d, imm-scale-a, imm-scale-b, imm-trans-a (not for registers), imm-trans-b
  const std::string sign =
      i.operands.size() > 4 ? fmt::format("{} * {}", option(4), option(5)) : "1";
  const std::string transposed_a = has_registers ? "0" : option(6);
  const std::string transposed_b = option(has_registers ? 6 : 7);
  return fmt::format(
      "unsigned long long __kernelbatch_d[] = {{{}}}, __kernelbatch_a[] = {{{}}}; "
      "__kernelbatch_ptx_wgmma<{}, __kernelbatch_ptx_type_{}, __kernelbatch_ptx_type_{}, "
      "{}>(__kernelbatch_d, __kernelbatch_a, {}, {}, {}, {}, {}, {});{}",
      before, first, shape.substr(4, shape.find('k') - 4), a, d, has_registers,
      bits(i.operands.at(2), b64, i), value(i, 3, *ptx_type("pred")), sign, transposed_a,
      transposed_b, in_shared_memory(i, "0u"), after);
}

/// The bits of an operand's registers, separated by commas.
std::string PtxWriter::list(const PtxInstruction& i, const PtxOperand& operand) const {
  const std::vector<PtxOperand> elements =
      operand.kind == PtxOperand::Kind::kVector ? operand.elements : std::vector{operand};
  std::string text;
  for (const PtxOperand& each : elements)
    text += (text.empty() ? "" : ", ") + bits(each, *ptx_type("b32"), i);
  return text;
}

/// Assigns the elements of `__kernelbatch_d` to an operand's registers.
std::string PtxWriter::give(const PtxOperand& operand) const {
  const std::vector<PtxOperand> elements =
      operand.kind == PtxOperand::Kind::kVector ? operand.elements : std::vector{operand};
  std::string text;
  for (std::size_t k = 0; k < elements.size(); ++k)
    text += fmt::format(" {} = __kernelbatch_d[{}];", target(elements[k]), k);
  return text;
}

std::string PtxWriter::matrix(const PtxInstruction& i) const {
  if (i.parts.front() == "ldmatrix") {
    if (!i.has("m8n8") || !i.has("b16")) refuse(i);
    const int count = i.has("x4") ? 4 : i.has("x2") ? 2 : 1;
    return fmt::format(
        "unsigned long long __kernelbatch_d[4]; __kernelbatch_ptx_ldmatrix<{}, "
        "{}>(__kernelbatch_d, {});{}",
        count, i.has("trans") ? "true" : "false", address(i, i.operands.at(1)),
        give(i.operands.at(0)));
  }
  if (i.parts.front() == "stmatrix") {
    if (!i.has("m8n8") || !i.has("b16")) refuse(i);
    return fmt::format(
        "const unsigned long long __kernelbatch_d[] = {{{}}}; __kernelbatch_ptx_stmatrix<{}, "
        "{}>({}, __kernelbatch_d);",
        list(i, i.operands.at(1)),
        i.has("x4")   ? 4
        : i.has("x2") ? 2
                      : 1,
        i.has("trans"), address(i, i.operands.at(0)));
  }
  if (i.parts.front() == "movmatrix")
    return assign(i, fmt::format("__kernelbatch_ptx_movmatrix({})", value(i, 1, *ptx_type("b32"))));
  // mma.sync.aligned.m16n8k16.row.col.D.A.B.C
  if (i.has("sp") || !i.has("row") || !i.has("col") || i.parts.size() < 10 || i.operands.size() < 4)
    refuse(i);
  const std::string shape = i.parts[3];
  const std::string d = i.parts[i.parts.size() - 4], a = i.parts[i.parts.size() - 3];
  if (a != i.parts[i.parts.size() - 2]) refuse(i);
  const bool is_tall = shape.starts_with("m16n8k");
  if (!is_tall && !(shape == "m8n8k4" && a == "f64")) refuse(i);
  if (!is_one_of(a, {"f16", "bf16", "tf32", "f64", "s8", "u8", "e4m3", "e5m2"}) ||
      !is_one_of(d, {"f16", "f32", "f64", "s32"}))
    refuse(i);
  return fmt::format(
      "unsigned long long __kernelbatch_a[] = {{{}}}, __kernelbatch_b[] = {{{}}}, "
      "__kernelbatch_c[] = {{{}}}, "
      "__kernelbatch_d[4]; __kernelbatch_ptx_mma<{}, {}, __kernelbatch_ptx_type_{}, "
      "__kernelbatch_ptx_type_{}>(__kernelbatch_d, "
      "__kernelbatch_a, __kernelbatch_b, __kernelbatch_c);{}",
      list(i, i.operands.at(1)), list(i, i.operands.at(2)), list(i, i.operands.at(3)),
      is_tall ? 16 : 8, shape.substr(shape.find('k') + 1), a, d, give(i.operands.at(0)));
}

}  // namespace kernelbatch::host
