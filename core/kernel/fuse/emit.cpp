#include "core/kernel/fuse/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace kernelbatch {
namespace {

std::string c_name(DType dtype) { return std::string(info(dtype).c_name); }

std::string real_text(double value) {
  if (std::isnan(value)) return "__longlong_as_double(0x7ff8000000000000LL)";
  if (std::isinf(value))
    return fmt::format("__longlong_as_double({}LL)",
                       value > 0 ? "0x7ff0000000000000" : "(long long)0xfff0000000000000");
  const std::string text = fmt::format("{:.17g}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string whole_text(WideInteger value) {
  // The least number has no literal of its own.
  if (value == INT64_MIN) return "(-9223372036854775807LL - 1)";
  return fmt::format(fmt::runtime(value > INT64_MAX ? "{}ULL" : "{}LL"), value);
}

std::string constant_text(const Constant& constant) {
  struct Writer {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(WideInteger value) const { return whole_text(value); }
    std::string operator()(double value) const { return real_text(value); }
    std::string operator()(const std::complex<double>& value) const {
      return fmt::format("complex<double>({}, {})", real_text(value.real()),
                         real_text(value.imag()));
    }
  };
  return std::visit(Writer{}, constant);
}

std::string cast(const std::string& text, DType from, DType to) {
  if (from == to) return text;
  const bool to_complex = info(to).kind == DTypeKind::kComplex;
  if (to == DType::kBool) {
    if (info(from).kind == DTypeKind::kComplex)
      return fmt::format("({0} != {1}(0))", text, c_name(from));
    return fmt::format("(static_cast<{}>({}) != 0)",
                       is_reduced_float(from) ? "float" : c_name(from), text);
  }
  if (to_complex && info(from).kind != DTypeKind::kComplex)
    return fmt::format("{}(static_cast<{}>({}))", c_name(to), c_name(real_of(to)),
                       is_reduced_float(from) ? "static_cast<float>(" + text + ")" : text);
  if (is_reduced_float(from))
    return fmt::format("static_cast<{}>(static_cast<float>({}))", c_name(to), text);
  if (is_reduced_float(to)) return fmt::format("{}(static_cast<float>({}))", c_name(to), text);
  return fmt::format("static_cast<{}>({})", c_name(to), text);
}

std::string constant_value(const Constant& constant, DType as) {
  const WideInteger* whole = std::get_if<WideInteger>(&constant);
  if (whole != nullptr && as == DType::kBool) return *whole == 0 ? "false" : "true";
  // As Python does it: an integer becomes a real number first.
  if (whole != nullptr && is_floating(as))
    return cast(real_text(static_cast<double>(*whole)), DType::kFloat64, as);
  return cast(constant_text(constant), dtype_of(constant), as);
}

/// Unsigned arithmetic wraps, and its low bits are those of signed numbers.
DType wrapping_of(DType dtype) { return size_of(dtype) == 8 ? DType::kUInt64 : DType::kUInt32; }

/// How two parts `a.{0}` and `b.{0}` of a reduction become one, and what changes nothing.
struct Operator {
  std::string_view combine;
  std::string identity;  ///< empty: there is none
};

Operator operator_of(ReduceKind kind, const std::string& type) {
  switch (kind) {
    case ReduceKind::kSum:
    case ReduceKind::kMean:
      return {"a.{0} + b.{0}", "static_cast<" + type + ">(0)"};
    case ReduceKind::kProd:
      return {"a.{0} * b.{0}", "static_cast<" + type + ">(1)"};
    case ReduceKind::kMax:
      return {"_maximum(a.{0}, b.{0})", ""};
    case ReduceKind::kMin:
      return {"_minimum(a.{0}, b.{0})", ""};
    case ReduceKind::kAny:
      return {"a.{0} || b.{0}", "false"};
    case ReduceKind::kAll:
      return {"a.{0} && b.{0}", "true"};
    case ReduceKind::kVar:
    case ReduceKind::kStd:
      break;
  }
  throw std::logic_error("a reduction of several values has no operator");
}

/// What computes a node: its own operation, or that of a power which has one (NumPy chooses the
/// same ones: a half of -inf is nan, as of a square root, where pow() has inf).
const Operation& computing_operation(const TypedGraph& typed, const Node& node) {
  if (node.operation->name != "power") return *node.operation;
  const Node& exponent = typed.node(node.operands[1]);
  if (exponent.kind != Node::Kind::kConstant) return *node.operation;
  if (exponent.constant == Constant(WideInteger{2}) || exponent.constant == Constant(2.0))
    return *find_operation("square");
  if (exponent.constant == Constant(0.5)) return *find_operation("sqrt");
  return *node.operation;
}

/// Count, mean and sum of squared deviations, joined by T. Chan, G. Golub, R. LeVeque, 1979.
struct MomentsText {
  std::string members, initial, combine, variance;
};

MomentsText moments_text(std::size_t number, const std::string& type, const std::string& element,
                         const std::string& value, int ddof) {
  const std::string count = fmt::format("{}.n{}", value, number);
  const std::string divisor =
      ddof == 0 ? count : fmt::format("({0} > {1} ? {0} - {1} : 0)", count, ddof);
  return {fmt::format("  {0} n{1}, m{1}, s{1};\n", type, number),
          fmt::format("{}(1), {}, {}(0)", type, element, type),
          fmt::format("  c.n{0} = a.n{0} + b.n{0};\n"
                      "  const {1} d{0} = b.m{0} - a.m{0};\n"
                      "  const {1} w{0} = c.n{0} != 0 ? b.n{0} / c.n{0} : {1}(0);\n"
                      "  c.m{0} = a.m{0} + d{0} * w{0};\n"
                      "  c.s{0} = a.s{0} + b.s{0} + d{0} * d{0} * a.n{0} * w{0};\n",
                      number, type),
          fmt::format("({}.s{} / {})", value, number, divisor)};
}

}  // namespace

std::string Emitter::value(int id, DType as) const {
  const Node& node = typed_.node(id);
  if (node.kind == Node::Kind::kConstant) return constant_value(node.constant, as);
  return cast(fmt::format("_t{}", id), typed_.typed(id).dtype, as);
}

bool Emitter::compare_apart(int id, std::array<std::string, 2>& sides) const {
  const std::vector<int>& operands = typed_.node(id).operands;
  const DType compute = typed_.typed(id).compute;
  for (std::size_t k = 0; k < 2; ++k) {
    const Node& node = typed_.node(operands[k]);
    const WideInteger* value = std::get_if<WideInteger>(&node.constant);
    if (node.kind != Node::Kind::kConstant || value == nullptr || !is_integer(compute) ||
        in_range(compute, *value))
      continue;
    // Every number of the dtype lies on one side of this one.
    sides[k] = *value > 0 ? "1" : "-1";
    sides[1 - k] = "0";
    return true;
  }
  const auto is_of = [&](int operand, DTypeKind kind) {
    return typed_.node(operand).kind != Node::Kind::kConstant &&
           info(typed_.typed(operand).dtype).kind == kind;
  };
  for (std::size_t k = 0; k < 2; ++k) {
    const int left = operands[k], right = operands[1 - k];
    if (compute != DType::kFloat64 || !is_of(left, DTypeKind::kSigned) ||
        !is_of(right, DTypeKind::kUnsigned))
      continue;
    // No integer has both ranges, and a double has neither exactly.
    sides[k] =
        fmt::format("_order({}, {})", value(left, DType::kInt64), value(right, DType::kUInt64));
    sides[1 - k] = "0";
    return true;
  }
  return false;
}

std::string Emitter::expression(int id) const {
  const Node& node = typed_.node(id);
  const TypedNode& typed = typed_.typed(id);
  if (node.kind == Node::Kind::kCast) return value(node.operands[0], node.dtype);
  const Operation& operation = computing_operation(typed_, node);
  if (operation.rule == TypeRule::kRound && !is_floating(typed.compute))
    return value(node.operands[0], typed.dtype);
  // Floats of few bits are computed in float, each result rounded.
  const bool in_float = is_reduced_float(typed.compute);
  const bool wraps = operation.has(kWraps);
  DType compute = in_float ? accumulator_of(typed.compute) : typed.compute;
  if (wraps && is_integer(compute) && compute != DType::kBool) compute = wrapping_of(compute);
  std::array<std::string, 2> sides;
  const bool is_apart = operation.rule == TypeRule::kCompare && compare_apart(id, sides);
  std::string text;
  const std::string& pattern = operation.text;
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] != '$') {
      text += pattern[k];
      continue;
    }
    const auto operand = static_cast<std::size_t>(pattern[++k] - '0');
    const bool is_condition = operation.rule == TypeRule::kSelect && operand == 0;
    const DType as = is_condition ? DType::kBool : compute;
    // A number has the operands' dtype, too, before it is widened.
    const Node& from = typed_.node(node.operands[operand]);
    const bool is_rounded = in_float && !is_condition && from.kind == Node::Kind::kConstant;
    text += "(" +
            (is_apart     ? sides[operand]
             : is_rounded ? cast(constant_value(from.constant, typed.compute), typed.compute, as)
                          : value(node.operands[operand], as)) +
            ")";
  }
  if (typed.dtype == DType::kBool) return fmt::format("static_cast<bool>({})", text);
  if (in_float) return fmt::format("{}(static_cast<float>({}))", c_name(typed.dtype), text);
  if (info(typed.dtype).kind == DTypeKind::kComplex) return text;
  return fmt::format("static_cast<{}>({})", c_name(typed.dtype), text);
}

void Emitter::write(int id, std::string& text) {
  const Node& node = typed_.node(id);
  if (node.kind == Node::Kind::kConstant || written_.contains(id)) return;
  const std::string leaf = leaf_(id);
  if (leaf.empty())
    for (const int operand : node.operands) write(operand, text);
  text += fmt::format("const {} _t{} = {};\n", c_name(typed_.typed(id).dtype), id,
                      leaf.empty() ? expression(id) : leaf);
  written_.insert(id);
}

std::string Emitter::statements(int id) {
  std::string text;
  write(id, text);
  return text;
}

CombinedReduction combined_reduction(const TypedGraph& typed, const std::vector<int>& reductions,
                                     const Emitter& elements, const std::string& type,
                                     const std::string& value, const std::string& count) {
  CombinedReduction text;
  std::string members, combine;
  std::vector<std::string> initial, identity;
  bool has_identity = true;
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
    const std::string got = fmt::format("{}.{}", value, r);
    if (has_moments) {
      const MomentsText moments = moments_text(k, acc, element, value, node.axes.ddof);
      members += moments.members;
      initial.push_back(moments.initial);
      identity.push_back(fmt::format("{0}(0), {0}(0), {0}(0)", acc));
      combine += moments.combine;
      const std::string& variance = moments.variance;
      text.results.push_back(
          cast(node.reduce == ReduceKind::kStd ? fmt::format("sqrt{}", variance) : variance,
               result.compute, result.dtype));
      continue;
    }
    members += fmt::format("  {} {};\n", acc, r);
    initial.push_back(element);
    const Operator op = operator_of(node.reduce, acc);
    if (op.identity.empty())
      has_identity = false;
    else
      identity.push_back(op.identity);
    combine += fmt::format(fmt::runtime("  c.{0} = " + std::string(op.combine) + ";\n"), r);
    const std::string final_text =
        node.reduce == ReduceKind::kMean ? fmt::format("{} / {}({})", got, acc, count) : got;
    text.results.push_back(cast(final_text, compute, result.dtype));
  }
  align(alignment);
  text.definition = fmt::format(
      "struct {0} {{\n{1}}};\n"
      "KERNELBATCH_INLINE {0} _combine(const {0}& a, const {0}& b) {{\n  {0} c;\n{2}  return "
      "c;\n}}\n",
      type, members, combine);
  text.element = fmt::format("{}{{{}}}", type, fmt::join(initial, ", "));
  if (has_identity) text.identity = fmt::format("{}{{{}}}", type, fmt::join(identity, ", "));
  return text;
}

}  // namespace kernelbatch
