#include "core/kernel/fuse/fused_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/fuse/combined_reduction.hpp"
#include "core/kernel/fuse/emit.hpp"
#include "core/kernel/fuse/helper_functions.hpp"
#include "core/kernel/fuse/rows.hpp"
#include "core/kernel/fuse/rows_values.hpp"
#include "core/kernel/reduction/source.hpp"

namespace kernelbatch {
namespace {

/// One block per row cannot hide the latency of a single huge row.
constexpr std::int64_t kLongestRow = std::int64_t{1} << 22;

/// The inputs that are used before a reduction, and those used after (or without) one.
struct InputUse {
  std::vector<bool> before, after;
};

void visit(const TypedGraph& typed, int id, bool is_before, InputUse& use) {
  const Node& node = typed.node(id);
  if (node.kind == Node::Kind::kInput)
    (is_before ? use.before : use.after)[static_cast<std::size_t>(node.input)] = true;
  for (const int operand : node.operands)
    visit(typed, operand, is_before || node.kind == Node::Kind::kReduce, use);
}

InputUse input_use(const TypedGraph& typed) {
  const auto count = static_cast<std::size_t>(typed.graph->inputs);
  InputUse use{std::vector<bool>(count, false), std::vector<bool>(count, false)};
  for (const int output : typed.graph->outputs) visit(typed, output, false, use);
  return use;
}

std::string parameter(DType dtype, const std::string& name) {
  return fmt::format("{} {}", name_of(dtype), name);
}

std::string input_leaf(const TypedGraph& typed, int id) {
  const Node& node = typed.node(id);
  return node.kind == Node::Kind::kInput ? fmt::format("x{}", node.input) : "";
}

/// True if one pass suffices: every reduction depends only on inputs, and later operations need
/// only the reductions.
bool fits_one_reduction(const TypedGraph& typed, const InputUse& use,
                        std::span<const Shape> shapes) {
  const Shape& out = typed.typed(typed.reductions[0]).shape;
  for (const int id : typed.reductions)
    if (typed.typed(id).phase != 1 || !(typed.typed(id).shape == out)) return false;
  for (const int output : typed.graph->outputs)
    if (!typed.typed(output).follows_reduce || !(typed.typed(output).shape == out)) return false;
  for (std::size_t k = 0; k < shapes.size(); ++k)
    if (use.after[k] && (use.before[k] || !(shapes[k] == out))) return false;
  return true;
}

}  // namespace

FusedPlan::FusedPlan(const Graph& graph, const std::string& name, std::span<const DType> dtypes,
                     std::span<const Shape> shapes)
    : name_(name), typed_(type_graph(graph, dtypes, shapes)) {
  for (const int output : graph.outputs)
    outputs_.push_back({typed_.typed(output).dtype, typed_.typed(output).shape});
  const InputUse use = input_use(typed_);
  if (typed_.reductions.empty())
    make_elementwise();
  else if (fits_one_reduction(typed_, use, shapes))
    make_reduction(use.before);
  else
    make_rows(shapes);
}

void FusedPlan::make_elementwise() {
  const Graph& graph = *typed_.graph;
  Emitter emitter(typed_, [this](int id) { return input_leaf(typed_, id); });
  std::string body, in_params, out_params;
  for (int id = 0; id < graph.size(); ++id) {
    if (graph.node(id).kind != Node::Kind::kInput || !typed_.typed(id).is_needed) continue;
    in_params += (in_params.empty() ? "" : ", ") +
                 parameter(typed_.typed(id).dtype, fmt::format("x{}", graph.node(id).input));
    order_.push_back(static_cast<std::size_t>(graph.node(id).input));
  }
  std::string assignments;
  for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
    out_params += (k == 0 ? "" : ", ") + parameter(outputs_[k].dtype, fmt::format("out{}", k));
    body += emitter.statements(graph.outputs[k]);
    assignments += fmt::format("out{} = {};\n", k, emitter.value(graph.outputs[k]));
  }
  body += assignments;
  elementwise_ = std::make_unique<ElementwiseKernel>(
      ElementwiseText{.in = in_params,
                      .out = out_params,
                      .operation = body,
                      .name = name_,
                      .options = {.preamble = helper_functions(body)}});
}

void FusedPlan::make_reduction(const std::vector<bool>& before) {
  kind_ = Kind::kReduction;
  const Graph& graph = *typed_.graph;
  Emitter elements(typed_, [this](int id) { return input_leaf(typed_, id); });
  std::string in_params, out_params, map;
  for (int id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.kind != Node::Kind::kInput || !typed_.typed(id).is_needed) continue;
    const auto at = static_cast<std::size_t>(node.input);
    in_params += (in_params.empty() ? "" : ", ") + std::string(before[at] ? "" : "raw ") +
                 parameter(typed_.typed(id).dtype, fmt::format("x{}", node.input));
    order_.push_back(at);
  }
  for (const int id : typed_.reductions) map += elements.statements(graph.node(id).operands[0]);
  const CombinedReduction text =
      combined_reduction(typed_, typed_.reductions, elements, "_Fused", "a", "_reduced_count");
  if (text.size > kLargestReduceType)
    throw SpecError(fmt::format(
        "fuse: '{}' cannot be fused: reductions side by side hold {} bytes "
        "for each output, one kernel at most {}",
        to_text(graph.node(typed_.reductions.back()).reduce), text.size, kLargestReduceType));
  map += fmt::format("return {};", text.element);

  Emitter results(typed_, [this](int id) -> std::string {
    const Node& node = typed_.node(id);
    return node.kind == Node::Kind::kInput ? fmt::format("x{}[_i]", node.input) : "";
  });
  results.assume({typed_.reductions.begin(), typed_.reductions.end()});
  std::string post;
  for (std::size_t k = 0; k < typed_.reductions.size(); ++k)
    post +=
        fmt::format("const {} _t{} = {};\n", info(typed_.typed(typed_.reductions[k]).dtype).c_name,
                    typed_.reductions[k], text.results[k]);
  std::string assignments;
  for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
    out_params += (k == 0 ? "" : ", ") + parameter(outputs_[k].dtype, fmt::format("out{}", k));
    post += results.statements(graph.outputs[k]);
    assignments += fmt::format("out{} = {};\n", k, results.value(graph.outputs[k]));
  }
  how_.axes = typed_.axes;
  how_.keepdims = graph.node(typed_.reductions[0]).axes.keepdims;
  post += assignments;
  reduction_ = std::make_unique<ReductionKernel>(ReductionText{
      .in = in_params,
      .out = out_params,
      .map = map,
      .reduce = "_combine(a, b)",
      .post_map = post,
      .identity = text.identity.empty() ? std::nullopt : std::optional(text.identity),
      .name = name_,
      .options = {.preamble = helper_functions(map + text.definition + post) + text.definition,
                  .reduce_type = "_Fused",
                  .commutes = true,
                  .reduce_bytes = text.bytes}});
}

void FusedPlan::make_rows(std::span<const Shape> shapes) {
  kind_ = Kind::kRows;
  const int axes = typed_.shape.count();
  const auto refuse = [&](const std::string& why) {
    throw SpecError(fmt::format("fuse: '{}' cannot be fused with what uses its result: {}",
                                to_text(typed_.node(typed_.reductions[0]).reduce), why));
  };
  // A result without the reduced axes broadcasts with others without them.
  for (int id = 0; id < typed_.graph->size(); ++id) {
    const Node& node = typed_.node(id);
    if (!typed_.typed(id).is_needed) continue;
    const auto has_dropped = [&](int operand) { return typed_.has_dropped_axes(operand); };
    const auto fits = [&](int operand) {
      return typed_.node(operand).kind == Node::Kind::kConstant || has_dropped(operand);
    };
    if (std::ranges::any_of(node.operands, has_dropped) &&
        (node.kind == Node::Kind::kReduce || !std::ranges::all_of(node.operands, fits)))
      refuse("it must keep its axes (keepdims) to line up with the elements");
  }
  std::int64_t length = 1;
  Shape row_shape = typed_.shape;
  for (const int axis : typed_.axes) {
    length *= typed_.shape[axis];
    row_shape[axis] = 1;
  }
  if (length == 0) refuse("rows are empty");
  if (length > kLongestRow)
    refuse(
        fmt::format("rows of {} elements are too long for one block each (at most {}); use two "
                    "kernels",
                    length, kLongestRow));
  for (const int output : typed_.graph->outputs) {
    const Shape& shape = typed_.typed(output).shape;
    Shape padded;
    for (int k = shape.count(); k < axes; ++k) padded.push_back(1);
    for (const std::int64_t extent : shape) padded.push_back(extent);
    if (!(shape == typed_.shape) && !(padded == row_shape) && element_count(shape) != 1 &&
        !typed_.has_dropped_axes(output))
      refuse(
          fmt::format("a result has shape {}, neither that of the elements {} nor of the rows {}",
                      to_text(shape), to_text(typed_.shape), to_text(row_shape)));
  }
  std::vector<bool> row_inputs;
  for (const Shape& shape : shapes) {
    const int missing = axes - shape.count();
    bool is_row = true;
    for (const int axis : typed_.axes)
      is_row = is_row && (axis < missing || shape[axis - missing] == 1);
    row_inputs.push_back(is_row);
  }
  const std::vector<bool> has_row_value = row_nodes(typed_, row_inputs);
  for (const int output : typed_.graph->outputs)
    if (has_row_value[static_cast<std::size_t>(output)] &&
        typed_.typed(output).shape == typed_.shape && length > 1)
      refuse("a result has the shape of the elements and one value per row");
  rows_ = std::make_unique<RowsKernel>(typed_, name_, std::move(row_inputs));
}

void FusedPlan::launch(Stream& stream, std::span<const Argument> inputs,
                       std::span<const Argument> outputs) {
  arguments_.clear();
  if (kind_ == Kind::kRows)
    arguments_.insert(arguments_.end(), inputs.begin(), inputs.end());
  else
    for (const std::size_t at : order_) arguments_.push_back(inputs[at]);
  arguments_.insert(arguments_.end(), outputs.begin(), outputs.end());
  switch (kind_) {
    case Kind::kElementwise:
      elementwise_->launch(stream, arguments_);
      break;
    case Kind::kReduction:
      reduction_->launch(stream, arguments_, how_);
      break;
    case Kind::kRows:
      rows_->launch(stream, arguments_);
      break;
  }
}

}  // namespace kernelbatch
