#include "core/kernel/fuse/rows_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/argument_bytes.hpp"
#include "core/kernel/chunk_pipeline.hpp"
#include "core/kernel/fuse/rows.hpp"
#include "core/kernel/layout_argument.hpp"
#include "core/kernel/loop_plan.hpp"

namespace kernelbatch {

LaunchPlan& RowsKernel::plan(Device& device, std::span<const Argument> arguments) {
  const Graph& graph = *typed_.graph;
  const Shape& shape = typed_.shape;
  const auto inputs = static_cast<std::size_t>(graph.inputs);
  const int split = shape.count() - static_cast<int>(typed_.axes.size());
  LoopPlan outer, inner;
  outer.strides.resize(arguments.size());
  inner.strides.resize(arguments.size());
  for (int axis = 0; axis < shape.count(); ++axis) {
    LoopPlan& part = axis < split ? outer : inner;
    part.extents.push_back(shape[axis]);
    part.count *= shape[axis];
    // An output with one value per row has stride 0 along it.
    for (std::size_t k = 0; k < arguments.size(); ++k)
      part.strides[k].push_back(broadcast_strides(arguments[k].array(), shape)[axis]);
  }
  for (std::size_t out = inputs; out < arguments.size(); ++out)
    require_own_elements(arguments[out].array(), fmt::format("out{}", out - inputs));
  auto plan = std::make_unique<LaunchPlan>(device, arguments);
  if (outer.count == 0) return launches_.add(std::move(plan));
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

  const DeviceProperties& properties = device.properties();
  RowsShape rows = shape_rows(inner.count, properties.loop_block, properties.loop_lanes);
  rows.rank = outer.extents.count();
  rows.is_wide = outer.is_wide();
  StructBytes bytes;
  const auto add_pointer = [&](std::size_t argument, const std::string& name) {
    plan->patch(argument, bytes.append_value(static_cast<void*>(nullptr)),
                arguments[argument].dtype(), name);
  };
  for (int id = 0; id < graph.size(); ++id)
    if (graph.node(id).kind == Node::Kind::kInput)
      add_pointer(static_cast<std::size_t>(graph.node(id).input),
                  fmt::format("x{}", graph.node(id).input));
  for (std::size_t k = 0; k < graph.outputs.size(); ++k)
    add_pointer(inputs + k, fmt::format("out{}", k));
  bytes.append_value(outer.count);
  bytes.append_value(inner.count);
  const LayoutArgument layout(outer, rows.is_wide);
  layout.append_to(bytes);
  for (const Strides& strides : inner.strides) bytes.append_value(strides[0]);
  const std::vector<std::byte> packed = bytes.finish();
  plan->add_parameter(packed.data(), packed.size());
  for (std::size_t in = 0; in < inputs; ++in)
    for (std::size_t out = inputs; out < arguments.size(); ++out)
      plan->keep_apart(in, out, arguments);
  plan->require_apart(arguments);

  const std::string key =
      fmt::format("{} {} {} {}", rows.block, rows.items, rows.rank, rows.is_wide);
  auto found = programs_.find(key);
  if (found == programs_.end()) {
    KernelSource source{
        name_,   rows_source(typed_, rows, name_, layout, row_inputs_, packed.size()),
        {name_}, {},
        true,    {}};
    found = programs_.emplace(key, Program(std::move(source))).first;
  }
  LaunchShape launch;
  launch.block.x = static_cast<std::uint32_t>(rows.block);
  launch.grid.x = static_cast<std::uint32_t>(
      std::min<std::int64_t>(outer.count, std::int64_t{properties.loop_blocks} * 4));
  plan->set_kernel(found->second.kernel(device, name_), launch);
  return launches_.add(std::move(plan));
}

void RowsKernel::launch(Stream& stream, std::span<const Argument> arguments) {
  Device& device = stream.device();
  LaunchPlan* known =
      launches_.find([&](const LaunchPlan& each) { return each.fits(device, arguments); });
  if (known == nullptr) {
    for (const Argument& argument : arguments) {
      refuse_staged(argument, name_);
      if (argument.array().device() != &device)
        throw SpecError(
            fmt::format("fuse: '{}' was given an array that is not on the stream's device", name_));
    }
    known = &plan(device, arguments);
  }
  known->require_apart(arguments);
  known->launch(stream, arguments);
}

}  // namespace kernelbatch
