#include "core/kernel/fuse/combined_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/kernel/fuse/value_text.hpp"

namespace kernelbatch {
namespace {

/// How two values are combined, and the neutral element.
struct Operator {
  std::string_view combine;
  std::string neutral;
  bool has_identity = true;  ///< `neutral` is the result of no elements
};

Operator operator_of(ReduceKind kind, DType compute) {
  switch (kind) {
    case ReduceKind::kSum:
    case ReduceKind::kMean:
      return {"{a} + {b}", "static_cast<" + c_name(compute) + ">(0)"};
    case ReduceKind::kProd:
      return {"{a} * {b}", "static_cast<" + c_name(compute) + ">(1)"};
    case ReduceKind::kMax:
      return {"_maximum({a}, {b})", least_value(compute), false};
    case ReduceKind::kMin:
      return {"_minimum({a}, {b})", largest_value(compute), false};
    case ReduceKind::kAny:
      return {"{a} || {b}", "false"};
    case ReduceKind::kAll:
      return {"{a} && {b}", "true"};
    case ReduceKind::kVar:
    case ReduceKind::kStd:
      break;
  }
  throw std::logic_error("a reduction of several values has no operator");
}

std::string combined(const Operator& op, const std::string& a, const std::string& b) {
  return fmt::format(fmt::runtime(op.combine), fmt::arg("a", a), fmt::arg("b", b));
}

/// Count, mean and sum of squared deviations, joined by T. Chan, G. Golub, R. LeVeque, 1979.
void append_moments(CombinedReduction& text, std::string& members, std::string& combine,
                    std::vector<std::string>& initial, std::size_t number, const std::string& type,
                    const std::string& element) {
  members += fmt::format("  {0} n{1}, m{1}, s{1};\n", type, number);
  initial.push_back(fmt::format("{0}(1), {1}, {0}(0)", type, element));
  combine += fmt::format(
      "  c.n{0} = a.n{0} + b.n{0};\n"
      "  const {1} d{0} = b.m{0} - a.m{0};\n"
      "  const {1} w{0} = c.n{0} != 0 ? b.n{0} / c.n{0} : {1}(0);\n"
      "  c.m{0} = a.m{0} + d{0} * w{0};\n"
      "  c.s{0} = a.s{0} + b.s{0} + d{0} * d{0} * a.n{0} * w{0};\n",
      number, type);
  text.add += fmt::format("_part.m{} += {};\n", number, element);
  text.settle += fmt::format(
      "_part.n{0} = static_cast<{1}>(_count);\n"
      "if (_count > 0) _part.m{0} /= _part.n{0};\n",
      number, type);
  text.spread += fmt::format("const {1} _d{0} = {2} - _part.m{0};\n_part.s{0} += _d{0} * _d{0};\n",
                             number, type, element);
}

std::string variance_text(std::size_t number, const std::string& value, int ddof) {
  const std::string count = fmt::format("{}.n{}", value, number);
  const std::string divisor =
      ddof == 0 ? count : fmt::format("({0} > {1} ? {0} - {1} : 0)", count, ddof);
  return fmt::format("({}.s{} / {})", value, number, divisor);
}

/// True if `id` applies the named operation.
bool applies(const TypedGraph& typed, int id, const char* name) {
  const Node& node = typed.node(id);
  return node.kind == Node::Kind::kApply && node.operation->name == name;
}

}  // namespace

std::vector<OnlineSum> online_sums(const TypedGraph& typed, const std::vector<int>& reductions,
                                   const std::vector<int>& next) {
  std::vector<OnlineSum> found;
  for (const int id : next) {
    const Node& sum = typed.node(id);
    const int exponential = sum.operands[0];
    if (sum.reduce != ReduceKind::kSum || sum.axes.dtype || !applies(typed, exponential, "exp"))
      return {};
    const int distance = typed.node(exponential).operands[0];
    if (!applies(typed, distance, "subtract")) return {};
    const int x = typed.node(distance).operands[0], maximum = typed.node(distance).operands[1];
    const auto at = std::ranges::find(reductions, maximum);
    const DType dtype = typed.typed(id).dtype;
    if (at == reductions.end() || typed.node(maximum).reduce != ReduceKind::kMax ||
        typed.node(maximum).operands[0] != x || typed.typed(x).dtype != dtype ||
        (dtype != DType::kFloat32 && dtype != DType::kFloat64))
      return {};
    found.push_back({id, x, static_cast<std::size_t>(at - reductions.begin()),
                     dtype == DType::kFloat32 &&
                         rounded_to_16_bits(typed)[static_cast<std::size_t>(exponential)]});
  }
  return found;
}

bool takes_one_pass(const TypedGraph& typed) {
  std::vector<int> first, second;
  for (const int id : typed.reductions) {
    const int phase = typed.typed(id).phase;
    if (phase > 2) return false;
    (phase == 2 ? second : first).push_back(id);
  }
  return second.empty() || !online_sums(typed, first, second).empty();
}

CombinedReduction combined_reduction(const TypedGraph& typed, const std::vector<int>& reductions,
                                     const Emitter& elements, const std::string& type,
                                     const std::string& value, const std::string& count,
                                     const std::vector<OnlineSum>& online) {
  CombinedReduction text;
  std::string members, combine;
  std::vector<std::string> initial, neutral;
  // The order of two values that are combined has no effect.
  bool has_identity = true, is_symmetric = true;
  std::size_t alignment = 1;
  const auto align = [&](std::size_t to) { text.size = (text.size + to - 1) / to * to; };
  for (std::size_t k = 0; k < reductions.size(); ++k) {
    const Node& node = typed.node(reductions[k]);
    const TypedNode& result = typed.typed(reductions[k]);
    const int operand = node.operands[0];
    // A sum or product of integers wraps.
    const bool wraps = (node.reduce == ReduceKind::kSum || node.reduce == ReduceKind::kProd) &&
                       is_integer(result.compute) && result.compute != DType::kBool;
    const DType compute = wraps ? wrapping_of(result.compute) : result.compute;
    const std::string acc = c_name(compute);
    const std::string r = fmt::format("r{}", k);
    const bool has_moments = node.reduce == ReduceKind::kVar || node.reduce == ReduceKind::kStd;
    text.bytes += (has_moments ? 3 : 1) * std::max(8, static_cast<int>(size_of(compute)));
    align(info(compute).alignment);
    alignment = std::max(alignment, info(compute).alignment);
    text.size += (has_moments ? 3 : 1) * size_of(compute);
    const DType from = node.axes.dtype.value_or(typed.typed(operand).dtype);
    const std::string element = cast(elements.value(operand, from), from, compute);
    is_symmetric = is_symmetric && !has_moments && info(compute).kind != DTypeKind::kComplex;
    if (has_moments) {
      append_moments(text, members, combine, initial, k, acc, element);
      neutral.push_back(fmt::format("{0}(0), {0}(0), {0}(0)", acc));
      const std::string variance = variance_text(k, value, node.axes.ddof);
      text.results.push_back(
          cast(node.reduce == ReduceKind::kStd ? fmt::format("sqrt{}", variance) : variance,
               result.compute, result.dtype));
      continue;
    }
    members += fmt::format("  {} {};\n", acc, r);
    initial.push_back(element);
    const Operator op = operator_of(node.reduce, compute);
    has_identity = has_identity && op.has_identity;
    neutral.push_back(op.neutral);
    combine += fmt::format("  c.{} = {};\n", r, combined(op, "a." + r, "b." + r));
    text.add += fmt::format("const {0} _e{1} = {2};\n_part.{3} = {4};\n", acc, k, element, r,
                            combined(op, "_part." + r, fmt::format("_e{}", k)));
    const std::string got = fmt::format("{}.{}", value, r);
    const std::string final_text =
        node.reduce == ReduceKind::kMean ? fmt::format("{} / {}({})", got, acc, count) : got;
    text.results.push_back(cast(final_text, compute, result.dtype));
  }
  for (std::size_t k = 0; k < online.size(); ++k) {
    const std::string type_of = c_name(typed.typed(online[k].sum).compute);
    const std::string e = fmt::format("e{}", k), m = fmt::format("r{}", online[k].maximum_of);
    members += fmt::format("  {} {};\n", type_of, e);
    neutral.push_back(fmt::format("{}(0)", type_of));
    // One exponential: that of the larger maximum is 1.
    combine += fmt::format(
        "  const bool is_less{0} = a.{1} < b.{1};\n"
        "  const {2} scale{0} = exp((is_less{0} ? a.{1} : b.{1}) - _finite(c.{1}));\n"
        "  c.{0} = is_less{0} ? a.{0} * scale{0} + b.{0} : a.{0} + b.{0} * scale{0};\n",
        e, m, type_of);
    text.settle += fmt::format("const {} _largest{} = _finite(_part.{});\n", type_of, k, m);
    text.spread += fmt::format(
        "_part.{} += {}({} - _largest{});\n", e, online[k].is_short ? "_rough_exp" : "exp",
        elements.value(online[k].element, typed.typed(online[k].sum).compute), k);
    text.results.push_back(fmt::format("_online_sum({0}.{1}, {0}.{2})", value, e, m));
  }
  align(alignment);
  text.definition = fmt::format(
      "struct {0} {{\n{1}  static constexpr bool is_symmetric = {3};\n}};\n"
      "KERNELBATCH_INLINE {0} _combine(const {0}& a, const {0}& b) {{\n  {0} c;\n{2}  return "
      "c;\n}}\n",
      type, members, combine, is_symmetric);
  text.element = fmt::format("{}{{{}}}", type, fmt::join(initial, ", "));
  text.neutral = fmt::format("{}{{{}}}", type, fmt::join(neutral, ", "));
  if (has_identity) text.identity = text.neutral;
  return text;
}

}  // namespace kernelbatch
