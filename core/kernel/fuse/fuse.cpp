#include "core/kernel/fuse/fuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/kernel/fuse/emit.hpp"
#include "core/kernel/fuse/rows.hpp"
#include "core/kernel/loop_plan.hpp"

namespace kernelbatch {
namespace {

/// A block per row cannot hide a single huge row.
constexpr std::int64_t kLongestRow = std::int64_t{1} << 22;

/// Which inputs are used before a reduction, and which after (or without) one.
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

}  // namespace

/// How one signature is run.
struct FusedKernel::Plan {
  enum class Kind { kElementwise, kReduction, kRows };
  Kind kind = Kind::kElementwise;
  std::vector<DType> out_dtypes;
  std::vector<Shape> out_shapes;
  std::vector<std::size_t> order;  ///< inputs in the order of the kernel's parameters
  std::unique_ptr<ElementwiseKernel> elementwise;
  std::unique_ptr<ReductionKernel> reduction;
  ReductionCall how;
  TypedGraph typed;
  std::vector<bool> row_inputs;
  mutable std::map<std::string, Program> programs;  ///< of kRows

  void make_elementwise(const std::string& name);
  void make_reduction(const std::string& name, const InputUse& use);
  void make_rows(std::span<const Shape> shapes);
  bool fits_one_reduction(const InputUse& use, std::span<const Shape> shapes) const;
};

void FusedKernel::Plan::make_elementwise(const std::string& name) {
  const Graph& graph = *typed.graph;
  Emitter emitter(typed, [this](int id) { return input_leaf(typed, id); });
  std::string body, in_params, out_params;
  for (int id = 0; id < graph.size(); ++id) {
    if (graph.node(id).kind != Node::Kind::kInput || !typed.typed(id).is_needed) continue;
    in_params += (in_params.empty() ? "" : ", ") +
                 parameter(typed.typed(id).dtype, fmt::format("x{}", graph.node(id).input));
    order.push_back(static_cast<std::size_t>(graph.node(id).input));
  }
  std::string assignments;
  for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
    out_params += (k == 0 ? "" : ", ") + parameter(out_dtypes[k], fmt::format("out{}", k));
    body += emitter.statements(graph.outputs[k]);
    assignments += fmt::format("out{} = {};\n", k, emitter.value(graph.outputs[k]));
  }
  elementwise =
      std::make_unique<ElementwiseKernel>(in_params, out_params, body + assignments, name,
                                          ElementwiseOptions{.preamble = expression_preamble()});
}

/// One pass: every reduction looks at inputs alone, and what follows needs only them.
bool FusedKernel::Plan::fits_one_reduction(const InputUse& use,
                                           std::span<const Shape> shapes) const {
  const Shape& out = typed.typed(typed.reductions[0]).shape;
  for (const int id : typed.reductions)
    if (typed.typed(id).phase != 1 || !(typed.typed(id).shape == out)) return false;
  for (const int output : typed.graph->outputs)
    if (!typed.typed(output).follows_reduce || !(typed.typed(output).shape == out)) return false;
  for (std::size_t k = 0; k < shapes.size(); ++k)
    if (use.after[k] && (use.before[k] || !(shapes[k] == out))) return false;
  return true;
}

void FusedKernel::Plan::make_reduction(const std::string& name, const InputUse& use) {
  kind = Kind::kReduction;
  const Graph& graph = *typed.graph;
  Emitter elements(typed, [this](int id) { return input_leaf(typed, id); });
  std::string in_params, out_params, map;
  for (int id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.kind != Node::Kind::kInput || !typed.typed(id).is_needed) continue;
    const auto at = static_cast<std::size_t>(node.input);
    in_params += (in_params.empty() ? "" : ", ") + std::string(use.before[at] ? "" : "raw ") +
                 parameter(typed.typed(id).dtype, fmt::format("x{}", node.input));
    order.push_back(at);
  }
  for (const int id : typed.reductions) map += elements.statements(graph.node(id).operands[0]);
  const ReductionText text = reduction_text(typed, typed.reductions, elements, "_Fused", "a",
                                            "(_in_ind.size() / _out_ind.size())");
  map += fmt::format("return {};", text.element);

  Emitter results(typed, [this](int id) -> std::string {
    const Node& node = typed.node(id);
    return node.kind == Node::Kind::kInput ? fmt::format("x{}[_i]", node.input) : "";
  });
  results.assume({typed.reductions.begin(), typed.reductions.end()});
  std::string post;
  for (std::size_t k = 0; k < typed.reductions.size(); ++k)
    post +=
        fmt::format("const {} _t{} = {};\n", info(typed.typed(typed.reductions[k]).dtype).c_name,
                    typed.reductions[k], text.results[k]);
  std::string assignments;
  for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
    out_params += (k == 0 ? "" : ", ") + parameter(out_dtypes[k], fmt::format("out{}", k));
    post += results.statements(graph.outputs[k]);
    assignments += fmt::format("out{} = {};\n", k, results.value(graph.outputs[k]));
  }
  how.axes = typed.axes;
  how.keepdims = graph.node(typed.reductions[0]).axes.keepdims;
  reduction = std::make_unique<ReductionKernel>(
      in_params, out_params, map, "_combine(a, b)", post + assignments,
      text.identity.empty() ? std::nullopt : std::optional(text.identity), name,
      ReductionOptions{.preamble = expression_preamble() + text.definition,
                       .reduce_type = "_Fused"});
}

void FusedKernel::Plan::make_rows(std::span<const Shape> shapes) {
  kind = Kind::kRows;
  const int axes = typed.shape.count();
  const int reduced = static_cast<int>(typed.axes.size());
  const auto refuse = [&](const std::string& why) {
    throw SpecError(fmt::format("fuse: '{}' cannot be fused with what uses its result: {}",
                                to_text(typed.node(typed.reductions[0]).reduce), why));
  };
  for (int k = 0; k < reduced; ++k)
    if (typed.axes[static_cast<std::size_t>(k)] != axes - reduced + k)
      refuse("only reductions over the last axes can be followed by work on every element");
  for (const int id : typed.reductions)
    if (!typed.node(id).axes.keepdims && reduced != axes)
      refuse("it must keep its axes (keepdims) to line up with the elements");
  std::int64_t length = 1;
  Shape row_shape = typed.shape;
  for (int axis = axes - reduced; axis < axes; ++axis) {
    length *= typed.shape[axis];
    row_shape[axis] = 1;
  }
  if (length == 0) refuse("rows are empty");
  if (length > kLongestRow)
    refuse(
        fmt::format("rows of {} elements are too long for one block each (at most {}); use two "
                    "kernels",
                    length, kLongestRow));
  for (const int output : typed.graph->outputs) {
    const Shape& shape = typed.typed(output).shape;
    if (!(shape == typed.shape) && !(shape == row_shape) && element_count(shape) != 1)
      refuse(
          fmt::format("a result has shape {}, neither that of the elements {} nor of the rows {}",
                      to_text(shape), to_text(typed.shape), to_text(row_shape)));
  }
  for (const Shape& shape : shapes) {
    const int missing = axes - shape.count();
    bool is_row = true;
    for (int axis = axes - reduced; axis < axes; ++axis)
      is_row = is_row && (axis < missing || shape[axis - missing] == 1);
    row_inputs.push_back(is_row);
  }
  const std::vector<bool> has_row_value = row_nodes(typed, row_inputs);
  for (const int output : typed.graph->outputs)
    if (has_row_value[static_cast<std::size_t>(output)] &&
        typed.typed(output).shape == typed.shape && length > 1)
      refuse("a result has the shape of the elements and one value per row");
}

FusedKernel::FusedKernel(Graph graph, std::string name)
    : graph_(std::make_unique<const Graph>(std::move(graph))), name_(std::move(name)) {}
FusedKernel::FusedKernel(FusedKernel&&) noexcept = default;
FusedKernel::~FusedKernel() = default;

const FusedKernel::Plan& FusedKernel::plan(std::span<const Array> inputs) const {
  std::string key;
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
  for (const Array& input : inputs) {
    dtypes.push_back(input.dtype());
    shapes.push_back(input.shape());
    key += fmt::format("{}{} ", name_of(input.dtype()), to_text(input.shape()));
  }
  std::unique_ptr<Plan>& slot = plans_[key];
  if (slot) return *slot;
  auto plan = std::make_unique<Plan>();
  plan->typed = type_graph(*graph_, dtypes, shapes);
  for (const int output : graph_->outputs) {
    plan->out_dtypes.push_back(plan->typed.typed(output).dtype);
    plan->out_shapes.push_back(plan->typed.typed(output).shape);
  }
  const InputUse use = input_use(plan->typed);
  if (plan->typed.reductions.empty())
    plan->make_elementwise(name_);
  else if (plan->fits_one_reduction(use, shapes))
    plan->make_reduction(name_, use);
  else
    plan->make_rows(shapes);
  slot = std::move(plan);
  return *slot;
}

std::vector<Array> FusedKernel::call(Stream& stream, std::span<const Array> inputs,
                                     std::span<const Array> outputs) const {
  if (static_cast<int>(inputs.size()) != graph_->inputs)
    throw SpecError(fmt::format("fuse: '{}' takes {} arrays, {} were given", name_, graph_->inputs,
                                inputs.size()));
  const Plan& chosen = plan(inputs);
  std::vector<Array> results(outputs.begin(), outputs.end());
  if (results.empty())
    for (std::size_t k = 0; k < chosen.out_dtypes.size(); ++k)
      results.push_back(
          Array::on_device(stream.device(), chosen.out_dtypes[k], chosen.out_shapes[k]));
  if (results.size() != chosen.out_dtypes.size())
    throw SpecError(fmt::format("fuse: '{}' gives {} arrays, {} were passed to take them", name_,
                                chosen.out_dtypes.size(), results.size()));
  for (std::size_t k = 0; k < results.size(); ++k)
    if (results[k].dtype() != chosen.out_dtypes[k] || !(results[k].shape() == chosen.out_shapes[k]))
      throw SpecError(fmt::format("fuse: output {} of '{}' is {} {}, the expression gives {} {}", k,
                                  name_, name_of(results[k].dtype()), to_text(results[k].shape()),
                                  name_of(chosen.out_dtypes[k]), to_text(chosen.out_shapes[k])));
  if (chosen.kind == Plan::Kind::kRows)
    return call_rows(stream, chosen, inputs, std::move(results));
  std::vector<Argument> arguments;
  for (const std::size_t at : chosen.order) arguments.emplace_back(inputs[at]);
  for (const Array& result : results) arguments.emplace_back(result);
  if (chosen.kind == Plan::Kind::kElementwise) return chosen.elementwise->call(stream, arguments);
  return chosen.reduction->call(stream, arguments, chosen.how);
}

std::vector<Array> FusedKernel::call_rows(Stream& stream, const Plan& chosen,
                                          std::span<const Array> inputs,
                                          std::vector<Array> outputs) const {
  const Shape& shape = chosen.typed.shape;
  const int split = shape.count() - static_cast<int>(chosen.typed.axes.size());
  std::vector<Array> arrays(inputs.begin(), inputs.end());
  arrays.insert(arrays.end(), outputs.begin(), outputs.end());
  LoopPlan outer, inner;
  outer.strides.resize(arrays.size());
  inner.strides.resize(arrays.size());
  for (int axis = 0; axis < shape.count(); ++axis) {
    LoopPlan& part = axis < split ? outer : inner;
    part.extents.push_back(shape[axis]);
    part.count *= shape[axis];
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      // An output with one value per row stands still along it.
      part.strides[k].push_back(broadcast_strides(arrays[k], shape)[axis]);
    }
  }
  if (outer.count == 0) return outputs;
  merge_axes(outer.extents, outer.strides);
  merge_axes(inner.extents, inner.strides);
  if (inner.extents.count() > 1)
    throw SpecError(
        fmt::format("fuse: '{}' cannot walk the reduced axes of its arrays as one: pass "
                    "contiguous arrays",
                    name_));
  for (LoopPlan* part : {&outer, &inner})
    if (part->extents.empty()) {
      part->extents.push_back(1);
      for (Strides& strides : part->strides) strides.push_back(0);
    }
  for (std::size_t in = 0; in < inputs.size(); ++in)
    for (std::size_t out = 0; out < outputs.size(); ++out)
      require_no_overlap(inputs[in], outputs[out], fmt::format("x{}", in),
                         fmt::format("out{}", out));

  const DeviceProperties& device = stream.device().properties();
  RowsShape rows = shape_rows(inner.count, device.loop_block, device.loop_lanes);
  rows.rank = outer.extents.count();
  rows.is_wide = outer.is_wide();
  StructBytes bytes;
  for (int id = 0; id < graph_->size(); ++id)
    if (graph_->node(id).kind == Node::Kind::kInput)
      bytes.append_value(inputs[static_cast<std::size_t>(graph_->node(id).input)].data());
  for (const Array& output : outputs) bytes.append_value(output.data());
  bytes.append_value(outer.count);
  bytes.append_value(inner.count);
  const auto add = [&](std::int64_t value) {
    rows.is_wide ? bytes.append_value(value) : bytes.append_value(static_cast<std::int32_t>(value));
  };
  for (const std::int64_t extent : outer.extents) add(extent);
  for (const Strides& strides : outer.strides)
    for (const std::int64_t stride : strides) add(stride);
  for (const Strides& strides : inner.strides) bytes.append_value(strides[0]);
  std::vector<std::byte> packed = bytes.finish();

  const std::string key =
      fmt::format("{} {} {} {}", rows.block, rows.items, rows.rank, rows.is_wide);
  auto found = chosen.programs.find(key);
  if (found == chosen.programs.end()) {
    KernelSource source{
        name_,   rows_source(chosen.typed, rows, name_, chosen.row_inputs, packed.size()),
        {name_}, {},
        true,    {}};
    found = chosen.programs.emplace(key, Program(std::move(source))).first;
  }
  LaunchShape launch;
  launch.block.x = static_cast<std::uint32_t>(rows.block);
  launch.grid.x = static_cast<std::uint32_t>(
      std::min<std::int64_t>(outer.count, std::int64_t{device.loop_blocks} * 4));
  void* const pointers[] = {packed.data()};
  found->second.kernel(stream.device(), name_).launch(launch, pointers, stream);
  return outputs;
}

}  // namespace kernelbatch
