#include "core/kernel/fuse/typing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/reduction/policy.hpp"

namespace kernelbatch {
namespace {

bool is_constant(const Graph& graph, int id) {
  return graph.node(id).kind == Node::Kind::kConstant;
}

/// Common dtype of some operands: determined by arrays; constants are weak.
DType common_dtype(const TypedGraph& typed, std::span<const int> operands) {
  bool has_array = false;
  DType dtype = DType::kBool;
  for (const int id : operands) {
    if (is_constant(*typed.graph, id)) continue;
    dtype = has_array ? promote(dtype, typed.typed(id).dtype) : typed.typed(id).dtype;
    has_array = true;
  }
  for (const int id : operands) {
    if (!is_constant(*typed.graph, id)) continue;
    const Constant& value = typed.node(id).constant;
    dtype = has_array ? promote(dtype, value) : promote(dtype, dtype_of(value));
  }
  return dtype;
}

void require(bool condition, const std::string& operation, const std::string& why) {
  if (!condition) throw SpecError(fmt::format("fuse: '{}' cannot be fused: {}", operation, why));
}

/// Weak numbers take the dtype of the other operand, an array, and must be in its range.
void require_range(const TypedGraph& typed, const std::string& operation,
                   std::span<const int> operands, DType dtype) {
  for (const int id : operands) {
    const WideInteger* value = std::get_if<WideInteger>(&typed.node(id).constant);
    if (is_constant(*typed.graph, id) && value != nullptr && is_integer(dtype))
      require(in_range(dtype, *value), operation,
              fmt::format("{} is out of range for {}", *value, name_of(dtype)));
  }
}

/// A power of integers is an integer.
void require_power(const TypedGraph& typed, const Node& node, DType dtype) {
  const Constant& exponent = typed.node(node.operands[1]).constant;
  const WideInteger* value = std::get_if<WideInteger>(&exponent);
  if (is_constant(*typed.graph, node.operands[1]) && value != nullptr && is_integer(dtype))
    require(*value >= 0, "power",
            fmt::format("integers to a negative power; write {}.0 for a real result", *value));
}

/// The dtype in which an operation computes operands of dtype `common`.
DType compute_of(const Operation& operation, DType common) {
  if (common != DType::kBool) return common;
  require(!operation.has(kNoBool), operation.name,
          operation.name == "sign" || operation.name == "positive"
              ? "its operand is bool"
              : "bool values cannot be subtracted; use ^ or ~");
  if (operation.has(kBoolIsHalf)) return DType::kFloat16;
  return operation.has(kBoolIsInt8) ? DType::kInt8 : common;
}

void type_apply(TypedGraph& typed, const Node& node, TypedNode& result) {
  const Operation& operation = *node.operation;
  const std::span<const int> operands(node.operands);
  const auto values = operation.rule == TypeRule::kSelect ? operands.subspan(1) : operands;
  const DType common = compute_of(operation, common_dtype(typed, values));
  const bool is_complex = info(common).kind == DTypeKind::kComplex;
  const bool is_order = operation.rule == TypeRule::kCompare || operation.name.ends_with("imum");
  require(!is_complex || !operation.has(kRealOnly), operation.name,
          is_order ? "complex numbers have no order" : "not available for complex numbers");
  result.dtype = result.compute = common;
  switch (operation.rule) {
    case TypeRule::kPromote:
    case TypeRule::kSelect:
      require_range(typed, operation.name, values, common);
      if (operation.name == "power") require_power(typed, node, common);
      break;
    case TypeRule::kFloat:
      result.dtype = result.compute = floating_of(common);
      break;
    case TypeRule::kDivide:
      result.dtype = result.compute = is_floating(common) ? common : DType::kFloat64;
      break;
    case TypeRule::kRound:
      break;
    case TypeRule::kCompare:
      result.dtype = DType::kBool;
      break;
    case TypeRule::kLogical:
      result.compute = result.dtype = DType::kBool;
      break;
    case TypeRule::kIntegers:
      require(!is_floating(common), operation.name,
              fmt::format("its operands are {}, not integers", name_of(common)));
      require_range(typed, operation.name, values, common);
      break;
    case TypeRule::kReal:
      result.dtype = real_of(common);
      break;
    case TypeRule::kAngle:
      result.compute = common == DType::kBool ? DType::kFloat64 : floating_of(common);
      result.dtype = real_of(result.compute);
      break;
    case TypeRule::kTest:
      result.compute = floating_of(common);
      result.dtype = DType::kBool;
      break;
  }
  std::vector<Shape> shapes;
  for (const int id : operands)
    if (!is_constant(*typed.graph, id)) shapes.push_back(typed.typed(id).shape);
  result.shape = broadcast_shapes(shapes);
}

void type_reduce(TypedGraph& typed, const Node& node, TypedNode& result) {
  const std::string name = to_text(node.reduce);
  const TypedNode& operand = typed.typed(node.operands[0]);
  require(!is_constant(*typed.graph, node.operands[0]), name, "a constant has no axes");
  const DType from = node.axes.dtype.value_or(operand.dtype);
  const bool is_complex = info(from).kind == DTypeKind::kComplex;
  require(is_complex || info(operand.dtype).kind != DTypeKind::kComplex || !node.axes.dtype, name,
          "a complex number cannot become a real one; use real() or abs()");
  switch (node.reduce) {
    case ReduceKind::kSum:
    case ReduceKind::kProd:
      result.dtype = node.axes.dtype ? from : sum_of(from);
      break;
    case ReduceKind::kMax:
    case ReduceKind::kMin:
      require(!is_complex, name, "complex numbers have no order");
      result.dtype = from;
      break;
    case ReduceKind::kMean:
    case ReduceKind::kVar:
    case ReduceKind::kStd:
      require(!is_complex || node.reduce == ReduceKind::kMean, name,
              "not available for complex numbers");
      require(!node.axes.dtype || is_floating(from), name,
              fmt::format("its dtype {} has no fractions", name_of(from)));
      result.dtype = is_floating(from) ? from : DType::kFloat64;
      break;
    case ReduceKind::kAny:
    case ReduceKind::kAll:
      result.dtype = DType::kBool;
      break;
  }
  result.compute = accumulator_of(result.dtype);
  const std::vector<int> axes =
      normalise_axes(node.axes.axes, node.axes.all, operand.shape.count(), name);
  for (int axis = 0; axis < operand.shape.count(); ++axis) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    const bool has_none = is_reduced && operand.shape[axis] == 0;
    require(!has_none || (node.reduce != ReduceKind::kMax && node.reduce != ReduceKind::kMin), name,
            "there is no element to reduce");
    if (!is_reduced)
      result.shape.push_back(operand.shape[axis]);
    else if (node.axes.keepdims)
      result.shape.push_back(1);
  }
}

void mark_needed(TypedGraph& typed, int id) {
  TypedNode& node = typed.nodes[static_cast<std::size_t>(id)];
  if (node.is_needed) return;
  node.is_needed = true;
  for (const int operand : typed.node(id).operands) mark_needed(typed, operand);
}

/// All reductions of one kernel read the same elements.
void check_reductions(TypedGraph& typed) {
  bool is_first = true;
  for (int id = 0; id < typed.graph->size(); ++id) {
    const Node& node = typed.node(id);
    if (!typed.typed(id).is_needed || node.kind != Node::Kind::kReduce) continue;
    typed.reductions.push_back(id);
    const Shape& shape = typed.typed(node.operands[0]).shape;
    const std::vector<int> axes =
        normalise_axes(node.axes.axes, node.axes.all, shape.count(), to_text(node.reduce));
    if (is_first) {
      typed.shape = shape;
      typed.axes = axes;
      is_first = false;
      continue;
    }
    require(
        shape == typed.shape, to_text(node.reduce),
        fmt::format("it reduces shape {}, an earlier reduction {}: one kernel loops over one shape",
                    to_text(shape), to_text(typed.shape)));
    require(
        axes == typed.axes, to_text(node.reduce),
        fmt::format("it reduces axes ({}), an earlier reduction ({}): one kernel reduces the same "
                    "axes",
                    fmt::join(axes, ", "), fmt::join(typed.axes, ", ")));
  }
}

}  // namespace

bool TypedGraph::has_dropped_axes(int id) const {
  const auto reduced = static_cast<int>(axes.size());
  if (reduced == 0 || axes.back() == reduced - 1 || !typed(id).follows_reduce) return false;
  return typed(id).shape.count() == shape.count() - reduced;
}

TypedGraph type_graph(const Graph& graph, std::span<const DType> dtypes,
                      std::span<const Shape> shapes) {
  TypedGraph typed;
  typed.graph = &graph;
  typed.nodes.resize(static_cast<std::size_t>(graph.size()));
  for (int id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    TypedNode result;
    for (const int operand : node.operands) {
      const TypedNode& before = typed.typed(operand);
      result.follows_reduce = result.follows_reduce || before.follows_reduce;
      result.phase = std::max(result.phase, before.phase);
    }
    switch (node.kind) {
      case Node::Kind::kInput: {
        const auto at = static_cast<std::size_t>(node.input);
        result.dtype = result.compute = dtypes[at];
        result.shape = shapes[at];
        break;
      }
      case Node::Kind::kConstant:
        result.dtype = result.compute = dtype_of(node.constant);
        break;
      case Node::Kind::kCast:
        result.dtype = result.compute = node.dtype;
        result.shape = typed.typed(node.operands[0]).shape;
        require(info(node.dtype).kind == DTypeKind::kComplex ||
                    info(typed.typed(node.operands[0]).dtype).kind != DTypeKind::kComplex,
                "astype", "a complex number cannot become a real one; use real() or abs()");
        require_range(typed, "astype", node.operands, node.dtype);
        break;
      case Node::Kind::kApply:
        type_apply(typed, node, result);
        break;
      case Node::Kind::kReduce:
        type_reduce(typed, node, result);
        result.follows_reduce = true;
        ++result.phase;
        break;
    }
    typed.nodes[static_cast<std::size_t>(id)] = result;
  }
  if (graph.outputs.empty()) throw SpecError("fuse: the function returns nothing");
  for (const int output : graph.outputs) {
    require(graph.node(output).kind != Node::Kind::kConstant, "a constant",
            "the result is no array");
    mark_needed(typed, output);
  }
  check_reductions(typed);
  if (typed.reductions.empty()) {
    typed.shape = typed.typed(graph.outputs[0]).shape;
    for (const int output : graph.outputs)
      require(typed.typed(output).shape == typed.shape, "the results",
              fmt::format("they have shapes {} and {}: one kernel writes one shape",
                          to_text(typed.shape), to_text(typed.typed(output).shape)));
  }
  return typed;
}

}  // namespace kernelbatch
