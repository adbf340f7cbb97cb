#include "core/kernel/fuse/rows_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "core/base/error.hpp"
#include "core/kernel/fuse/combined_reduction.hpp"
#include "core/kernel/fuse/rows.hpp"
#include "core/kernel/fuse/rows_layout.hpp"
#include "core/kernel/fuse/rows_values.hpp"
#include "core/kernel/fuse/variance.hpp"
#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/launch/chunk_pipeline.hpp"
#include "core/kernel/launch/layout_argument.hpp"
#include "core/kernel/launch/planned_kernel.hpp"
#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
/// Kernels of row-wise expressions, for PlannedKernel. All outputs are given.
class RowsForm {
 public:
  using How = std::monostate;
  struct Extra {};
  struct Resolved {
    std::vector<ArrayForm> results() const { return {}; }
  };

  RowsForm(const TypedGraph& typed, std::string name, std::vector<bool> row_inputs)
      : typed_(&typed), name_(std::move(name)), row_inputs_(std::move(row_inputs)) {
    if (std::shared_ptr<const Graph> graph = expand_variances(typed)) {
      std::vector<DType> dtypes(inputs());
      std::vector<Shape> shapes(inputs());
      for (int id = 0; id < typed.graph->size(); ++id)
        if (const Node& node = typed.node(id); node.kind == Node::Kind::kInput) {
          dtypes[static_cast<std::size_t>(node.input)] = typed.typed(id).dtype;
          shapes[static_cast<std::size_t>(node.input)] = typed.typed(id).shape;
        }
      expanded_graph_ = std::move(graph);
      expanded_ = type_graph(*expanded_graph_, dtypes, shapes);
    }
  }

  const std::string& name() const noexcept { return name_; }
  std::size_t inputs() const noexcept { return static_cast<std::size_t>(typed_->graph->inputs); }
  std::size_t outputs() const noexcept { return typed_->graph->outputs.size(); }
  bool copies_overlap() const noexcept { return false; }
  std::vector<std::string> options() const { return {}; }

  Resolved resolve(std::span<const Argument> arguments, const How&) const {
    for (const Argument& argument : arguments) refuse_staged(argument, name_);
    return {};
  }
  void require_on_device(const Device& device, std::span<const Argument> arguments) const {
    for (const Argument& argument : arguments)
      if (argument.array().device() != &device)
        throw SpecError(
            fmt::format("fuse: '{}' was given an array that is not on the stream's device", name_));
  }
  PlannedLaunch plan(LaunchPlan& launch, Resolved&&, std::span<const Argument> arguments,
                     const How&, const DeviceProperties& device, Extra&) const;
  void before_launch(Stream&, LaunchPlan&, const Extra&) const {}
  void launch_staged(Stream&, const Resolved&, std::span<const Argument>, const How&) const {}

 private:
  /// Name in messages.
  std::string name_of(std::size_t argument) const {
    return argument < inputs() ? fmt::format("x{}", argument)
                               : fmt::format("out{}", argument - inputs());
  }
  /// Strides of an array along the axes of the elements.
  Strides strides_of(std::size_t argument, const Array& array) const;
  RowsLoops loops_of(std::span<const Argument> arguments) const;

  const TypedGraph* typed_;
  /// The same graph without variances, for kept rows and for one thread per row; null if there are
  /// none.
  std::shared_ptr<const Graph> expanded_graph_;
  TypedGraph expanded_;
  std::string name_;
  std::vector<bool> row_inputs_;
};

Strides RowsForm::strides_of(std::size_t argument, const Array& array) const {
  if (argument < inputs() || !typed_->has_dropped_axes(typed_->graph->outputs[argument - inputs()]))
    return broadcast_strides(array, typed_->shape);
  Strides strides;
  int own = 0;
  for (int axis = 0; axis < typed_->shape.count(); ++axis) {
    const bool is_reduced = std::ranges::find(typed_->axes, axis) != typed_->axes.end();
    strides.push_back(is_reduced ? 0 : array.strides()[own++]);
  }
  return strides;
}

RowsLoops RowsForm::loops_of(std::span<const Argument> arguments) const {
  const Shape& shape = typed_->shape;
  RowsLoops loops;
  for (LoopPlan* part : {&loops.outer, &loops.inner}) part->strides.resize(arguments.size());
  for (int axis = 0; axis < shape.count(); ++axis) {
    const bool is_reduced = std::ranges::find(typed_->axes, axis) != typed_->axes.end();
    LoopPlan& part = is_reduced ? loops.inner : loops.outer;
    part.extents.push_back(shape[axis]);
    part.count *= shape[axis];
    // An output with one value per row has stride 0 along the row.
    for (std::size_t k = 0; k < arguments.size(); ++k)
      part.strides[k].push_back(strides_of(k, arguments[k].array())[axis]);
  }
  if (loops.outer.count == 0) return loops;
  for (LoopPlan* part : {&loops.outer, &loops.inner}) {
    // Texts of rows never use the index of a row or element.
    sort_axes(part->extents, part->strides);
    merge_axes(part->extents, part->strides);
    if (!part->extents.empty()) continue;
    part->extents.push_back(1);
    for (Strides& strides : part->strides) strides.push_back(0);
  }
  return loops;
}

PlannedLaunch RowsForm::plan(LaunchPlan& launch, Resolved&&, std::span<const Argument> arguments,
                             const How&, const DeviceProperties& device, Extra&) const {
  for (std::size_t out = 0; out < outputs(); ++out)
    require_own_elements(arguments[inputs() + out].array(), name_of(inputs() + out));
  const RowsLoops loops = loops_of(arguments);
  const LoopPlan& outer = loops.outer;
  PlannedLaunch planned{.is_looped = std::vector<bool>(arguments.size(), true)};
  if (outer.count == 0) return planned;

  // Inputs and outputs with one element per row.
  std::vector<bool> is_row = row_inputs_;
  const std::vector<bool> nodes = row_nodes(*typed_, row_inputs_);
  for (const int output : typed_->graph->outputs)
    is_row.push_back(nodes[static_cast<std::size_t>(output)]);
  RowsProblem problem{.rows = outer.count,
                      .length = loops.inner.count,
                      .kept = bytes_kept(*typed_, row_inputs_),
                      .kept_words = bytes_kept(*typed_, row_inputs_, 4) / 4,
                      .reductions = static_cast<int>(typed_->reductions.size()),
                      .gives_rows = std::ranges::all_of(
                          typed_->graph->outputs,
                          [&](int output) { return nodes[static_cast<std::size_t>(output)]; }),
                      .takes_one_pass = takes_one_pass(*typed_),
                      .has_exponentials = has_exponentials(*typed_, row_inputs_),
                      .has_bfloat16 = std::ranges::any_of(arguments, [](const Argument& argument) {
                        return argument.dtype() == DType::kBFloat16;
                      })};
  const RowsLayout rows_layout =
      describe_layout(problem, loops, arguments, inputs(), is_row, device);
  const RowsSchedule schedule = schedule_rows(problem, device);
  const bool is_expanded = expanded_graph_ && (schedule.is_kept || !device.is_simt());
  const TypedGraph& typed = is_expanded ? expanded_ : *typed_;
  const Graph& graph = *typed.graph;
  const bool is_wide = outer.is_wide() || loops.inner.is_wide();
  StructBytes parameter;
  std::vector<std::pair<std::size_t, std::size_t>> addresses;  // arguments and their offsets
  const auto add_pointer = [&](std::size_t argument, const std::string& type, std::string name) {
    constexpr void* kLater = nullptr;
    addresses.emplace_back(argument, parameter.append_value(type + "*", name, kLater));
  };
  const auto c_type = [&](int id) { return std::string(info(typed.typed(id).dtype).c_name); };
  for (int id = 0; id < graph.size(); ++id)
    if (const Node& node = graph.node(id); node.kind == Node::Kind::kInput)
      add_pointer(static_cast<std::size_t>(node.input), "const " + c_type(id),
                  fmt::format("_p{}", node.input));
  for (std::size_t k = 0; k < outputs(); ++k)
    add_pointer(inputs() + k, c_type(graph.outputs[k]), fmt::format("_q{}", k));
  parameter.append_value("long long", "_rows", outer.count);
  parameter.append_value("long long", "_length", loops.inner.count);
  const LayoutArgument layout(outer, is_wide);
  parameter.append_struct(layout.type(), "_outer", layout.bytes());
  const LayoutArgument inner(loops.inner, is_wide);
  if (inner.rank() > 1) {
    parameter.append_struct(inner.type(), "_inner", inner.bytes());
  } else {
    std::vector<std::int64_t> steps;
    for (const Strides& strides : loops.inner.strides) steps.push_back(strides[0]);
    parameter.append_list("long long", "_stride", steps);  // bytes along the row
  }
  const std::size_t at = launch.add_parameter(parameter);
  for (const auto& [argument, offset] : addresses)
    launch.patch(argument, at + offset, arguments[argument].dtype(), name_of(argument));

  planned.text = rows_source({.typed = typed,
                              .schedule = schedule,
                              .outer = layout,
                              .inner = inner,
                              .parameter = parameter,
                              .is_row = row_inputs_,
                              .layout = rows_layout,
                              .is_wide = is_wide},
                             name_);
  const std::int64_t most =
      device.is_simt() ? kMostBlocks / schedule.blocks : std::int64_t{device.loop_blocks} * 4;
  planned.shape.fits_device = schedule.fetches_ahead;
  planned.shape.block.x = static_cast<std::uint32_t>(schedule.threads());
  planned.shape.grid.x =
      static_cast<std::uint32_t>(std::min(schedule.groups, most) * schedule.blocks);
  planned.shape.cluster.x = static_cast<std::uint32_t>(schedule.blocks);
  if (schedule.is_staged)
    planned.shape.shared_bytes =
        static_cast<std::size_t>(schedule.rows * loops.inner.count * problem.staged);
  if (schedule.fetches_ahead)
    planned.shape.shared_bytes = static_cast<std::size_t>(schedule.threads() * schedule.items *
                                                          schedule.pack * problem.kept);
  return planned;
}

class RowsKernel::Calls : public PlannedKernel<RowsForm> {
 public:
  using PlannedKernel::PlannedKernel;
};

RowsKernel::RowsKernel(const TypedGraph& typed, std::string name, std::vector<bool> row_inputs)
    : calls_(std::make_unique<Calls>(RowsForm(typed, std::move(name), std::move(row_inputs)))) {}
RowsKernel::~RowsKernel() = default;

void RowsKernel::launch(Stream& stream, std::span<const Argument> arguments) {
  calls_->launch(stream, arguments, {});
}

}  // namespace kernelbatch
