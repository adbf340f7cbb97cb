#include "core/kernel/fuse/emit.hpp"

#include <fmt/format.h>

#include <array>

#include "core/kernel/fuse/value_text.hpp"

namespace kernelbatch {
namespace {

/// The operation that computes a node: its own, or a dedicated one for some powers (NumPy chooses
/// the same ones: -inf to the power of 0.5 is nan, as for a square root, where pow() returns inf).
const Operation& computing_operation(const TypedGraph& typed, const Node& node) {
  if (node.operation->name != "power") return *node.operation;
  const Node& exponent = typed.node(node.operands[1]);
  if (exponent.kind != Node::Kind::kConstant) return *node.operation;
  if (exponent.constant == Constant(WideInteger{2}) || exponent.constant == Constant(2.0))
    return *find_operation("square");
  if (exponent.constant == Constant(0.5)) return *find_operation("sqrt");
  return *node.operation;
}

/// A function correct to about 18 bits instead of 24, in a fraction of the time; empty if there is
/// none.
std::string rough_text(const Operation& operation) {
  if (operation.name == "exp") return "_rough_exp($0)";
  if (operation.name == "tanh") return "_rough_tanh($0)";
  return "";
}

}  // namespace

std::vector<bool> rounded_to_16_bits(const TypedGraph& typed) {
  const Graph& graph = *typed.graph;
  std::vector<bool> result(static_cast<std::size_t>(graph.size()), true);
  for (const int output : graph.outputs) result[static_cast<std::size_t>(output)] = false;
  for (int id = graph.size() - 1; id >= 0; --id) {
    const auto at = static_cast<std::size_t>(id);
    if (is_reduced_float(typed.typed(id).dtype)) result[at] = true;
    if (result[at] || !typed.typed(id).is_needed) continue;
    for (const int operand : graph.node(id).operands)
      result[static_cast<std::size_t>(operand)] = false;
  }
  return result;
}

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
    // Every number of the dtype is on the same side of this one.
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
    // No integer type covers both ranges, and a double represents neither exactly.
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
  // Reduced-precision floats are computed in float, with each result rounded.
  const bool in_float = is_reduced_float(typed.compute);
  const bool wraps = operation.has(kWraps);
  DType compute = in_float ? accumulator_of(typed.compute) : typed.compute;
  if (wraps && is_integer(compute) && compute != DType::kBool) compute = wrapping_of(compute);
  std::array<std::string, 2> sides;
  const bool is_apart = operation.rule == TypeRule::kCompare && compare_apart(id, sides);
  std::string text = special_ ? special_(id) : std::string();
  std::string pattern = text.empty() ? operation.text : std::string();
  if (is_short_[static_cast<std::size_t>(id)] && compute == DType::kFloat32)
    if (const std::string rough = rough_text(operation); !rough.empty() && !pattern.empty())
      pattern = rough;
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] != '$') {
      text += pattern[k];
      continue;
    }
    const auto operand = static_cast<std::size_t>(pattern[++k] - '0');
    const bool is_condition = operation.rule == TypeRule::kSelect && operand == 0;
    const DType as = is_condition ? DType::kBool : compute;
    // A constant is also rounded to the operands' dtype before it is widened.
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

}  // namespace kernelbatch
