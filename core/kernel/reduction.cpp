#include "core/kernel/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/overlap_copies.hpp"
#include "core/kernel/reduction_pass.hpp"
#include "core/kernel/reduction_source.hpp"
#include "core/kernel/streamed_reduction.hpp"

namespace kernelbatch {

struct ReductionKernel::Plan {
  Plan(const Device& device, std::span<const Argument> arguments, const ReductionCall& call)
      : launch(device, arguments), how(call) {}

  LaunchPlan launch;
  ReductionCall how;
  // Which calls were found right: with outputs, and without.
  bool serves_given = false, serves_inputs = false;
  std::vector<ArrayForm> outputs;
  // What a split reduction needs of its stream's workspace; 0 where one block does it all.
  std::int64_t partial_bytes = 0, tickets = 0;
  ReductionPass::Packed packed;
};

/// A call's types, what is reduced and what comes out.
struct ReductionKernel::Resolved {
  CallArguments call;
  Shape shape, out_shape;
  std::vector<int> axes;
};

ReductionKernel::ReductionKernel(const ReductionText& text)
    : definition_(text.in, text.out, text.map, text.reduce, text.post_map, text.identity, text.name,
                  text.options) {}
ReductionKernel::ReductionKernel(const ReductionKernel& other) : definition_(other.definition_) {}
ReductionKernel::ReductionKernel(ReductionKernel&&) noexcept = default;
ReductionKernel& ReductionKernel::operator=(ReductionKernel&&) noexcept = default;
ReductionKernel::~ReductionKernel() = default;

ReductionKernel::Resolved ReductionKernel::resolve(std::span<const Argument> arguments,
                                                   const ReductionCall& how) const {
  const auto& out = definition_.out;
  const std::string& name = definition_.name;
  for (std::size_t k = 0; k < std::min(arguments.size(), definition_.in.size()); ++k)
    if (arguments[k].is_handle())
      throw SpecError(
          fmt::format("argument '{}' of '{}' is {}, which a reduction cannot take: use "
                      "ElementwiseKernel or RawKernel",
                      definition_.in[k].name, name, arguments[k].describe()));
  Resolved resolved{resolve_arguments(name, definition_.in, out, arguments), {}, {}, {}};
  std::vector<Shape> shapes;
  for (std::size_t k = 0; k < resolved.call.in.size(); ++k)
    if (resolved.call.in[k].is_array() && !definition_.in[k].is_raw)
      shapes.push_back(resolved.call.in[k].array().shape());
  if (shapes.empty())
    throw SpecError(
        fmt::format("'{}': no input array that is not raw decides what to reduce", name));
  resolved.shape = broadcast_shapes(shapes);
  resolved.axes = how.axes
                      ? normalise_axes(how.axes->numbers(), false, resolved.shape.count(), name)
                      : normalise_axes({}, true, resolved.shape.count(), name);
  std::int64_t reduced = 1;
  for (int axis = 0; axis < resolved.shape.count(); ++axis) {
    const bool goes = std::ranges::find(resolved.axes, axis) != resolved.axes.end();
    if (goes) reduced *= resolved.shape[axis];
    if (!goes || how.keepdims) resolved.out_shape.push_back(goes ? 1 : resolved.shape[axis]);
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (resolved.call.out.empty()) {
      if (out[k].is_raw)
        throw SpecError(fmt::format("raw output '{}' of '{}' must be given", out[k].name, name));
    } else if (const Shape& given = resolved.call.out[k].array().shape();
               !out[k].is_raw && !(given == resolved.out_shape)) {
      throw SpecError(fmt::format("output '{}' of '{}' has shape {}, the reduction gives {}",
                                  out[k].name, name, to_text(given), to_text(resolved.out_shape)));
    }
  }
  if (reduced == 0 && element_count(resolved.out_shape) > 0 && !definition_.identity)
    throw SpecError(fmt::format("zero-size array to reduction '{}', which has no identity", name));
  return resolved;
}

std::vector<ArrayForm> ReductionKernel::results(std::span<const Argument> arguments,
                                                const ReductionCall& how) const {
  const Resolved resolved = resolve(arguments, how);
  return resolved.call.results(resolved.out_shape);
}

ReductionKernel::Plan& ReductionKernel::plan(Device& device, Resolved&& resolved,
                                             std::span<const Argument> arguments,
                                             const ReductionCall& how) const {
  if (Plan* known = plans_.find(
          [&](const Plan& plan) { return plan.how == how && plan.launch.fits(device, arguments); }))
    return *known;
  auto plan = std::make_unique<Plan>(device, arguments, how);
  const ReductionPass pass = plan_pass(definition_, std::move(resolved.call.types), resolved.shape,
                                       resolved.axes, how.keepdims, arguments, device.properties());
  plan->packed = pass.add_parameters(plan->launch);
  for (std::size_t in = 0; in < definition_.in.size(); ++in)
    for (std::size_t out = definition_.in.size(); out < arguments.size(); ++out)
      if (pass.operands[in].is_looped() && pass.operands[out].is_looped())
        plan->launch.keep_apart(in, out, arguments);
  if (!definition_.options.copy_overlap) plan->launch.require_apart(arguments);
  for (std::size_t out = definition_.in.size(); out < arguments.size(); ++out)
    plan->outputs.push_back({arguments[out].dtype(), arguments[out].array().shape()});
  if (pass.loops.outer.count > 0) {
    const ReductionSchedule& schedule = pass.schedule;
    if (schedule.splits > 1) {
      const std::size_t each =
          definition_.options.reduce_type.empty() ? size_of(pass.types.out[0]) : kLargestReduceType;
      plan->partial_bytes =
          pass.loops.outer.count * schedule.splits * static_cast<std::int64_t>(each);
      plan->tickets = schedule.groups;
    }
    const std::string key = pass.key();
    auto found = programs_.find(key);
    if (found == programs_.end()) {
      KernelSource source{definition_.name,
                          reduction_source(definition_, pass, plan->packed.bytes),
                          {definition_.name},
                          definition_.options.options,
                          true,
                          {}};
      found = programs_.emplace(key, Program(std::move(source))).first;
    }
    LaunchShape shape;
    shape.grid.x = static_cast<std::uint32_t>(schedule.blocks);
    shape.block.x = static_cast<std::uint32_t>(schedule.threads());
    plan->launch.set_kernel(found->second.kernel(device, definition_.name), shape);
  }
  return plans_.add(std::move(plan));
}

void ReductionKernel::use_workspace(Stream& stream, Plan& plan) const {
  Device& device = stream.device();
  Workspace& workspace = workspaces_[&stream];
  // Another stream may have got the address of one that is gone, on another device.
  if (workspace.partials.device() != &device) workspace = {};
  if (workspace.partials.size() < plan.partial_bytes)
    workspace.partials = Array::on_device(device, DType::kInt8, {plan.partial_bytes});
  if (workspace.tickets.size() < plan.tickets) {
    workspace.tickets = Array::on_device(device, DType::kUInt32, {plan.tickets});
    device.fill(workspace.tickets.data(), 0, workspace.tickets.bytes(), stream);
  }
  const std::byte* const partials = workspace.partials.data();
  const std::byte* const tickets = workspace.tickets.data();
  plan.launch.write(plan.packed.partials, &partials, sizeof partials);
  plan.launch.write(plan.packed.tickets, &tickets, sizeof tickets);
}

void ReductionKernel::run(Stream& stream, Plan& plan, std::span<const Argument> arguments,
                          const ReductionCall& how) const {
  if (!plan.launch.overlaps(arguments)) {
    if (plan.tickets > 0) use_workspace(stream, plan);
    plan.launch.launch(stream, arguments);
    return;
  }
  if (!definition_.options.copy_overlap) plan.launch.require_apart(arguments);
  if (!copier_) copier_ = make_overlap_copier();
  const OverlapCopies copies(stream, *copier_, plan.launch, arguments);
  launch(stream, copies.arguments(), how);
}

void ReductionKernel::stream_through(Stream& stream, const Resolved& resolved,
                                     std::span<const Argument> arguments,
                                     const ReductionCall& how) const {
  if (!streamed_) streamed_ = std::make_unique<StreamedReduction>(definition_);
  streamed_->launch(
      stream,
      {resolved.shape, resolved.axes, how.keepdims, resolved.out_shape, resolved.call.types.out[0]},
      arguments);
}

void ReductionKernel::launch(Stream& stream, std::span<const Argument> arguments,
                             const ReductionCall& how) const {
  Device& device = stream.device();
  Plan* known =
      arguments.size() != definition_.in.size() + definition_.out.size()
          ? nullptr
          : plans_.find([&](const Plan& each) {
              return each.serves_given && each.how == how && each.launch.fits(device, arguments);
            });
  if (known == nullptr) {
    Resolved resolved = resolve(arguments, how);
    if (resolved.call.out.empty())
      throw SpecError(fmt::format("launch of '{}' needs its outputs: {} were not given",
                                  definition_.name, definition_.out.size()));
    if (has_staged(arguments)) return stream_through(stream, resolved, arguments, how);
    require_on_device(device, definition_.name, definition_.in, definition_.out, arguments);
    known = &plan(device, std::move(resolved), arguments, how);
    known->serves_given = true;
  }
  run(stream, *known, arguments, how);
}

std::vector<Array> ReductionKernel::call(Stream& stream, std::span<const Argument> arguments,
                                         const ReductionCall& how) const {
  if (arguments.size() == definition_.in.size() + definition_.out.size()) {
    launch(stream, arguments, how);
    return given_outputs(arguments.subspan(definition_.in.size()));
  }
  Device& device = stream.device();
  if (Plan* known = plans_.find([&](const Plan& each) {
        return each.serves_inputs && each.how == how && each.launch.fits(device, arguments);
      });
      known != nullptr && arguments.size() == definition_.in.size()) {
    WithOutputs all(device, arguments, known->outputs);
    run(stream, *known, all.arguments(), how);
    return all.take_outputs();
  }
  Resolved resolved = resolve(arguments, how);
  if (!has_staged(arguments))
    require_on_device(device, definition_.name, definition_.in, definition_.out, arguments);
  WithOutputs all(device, arguments, resolved.call.results(resolved.out_shape));
  if (has_staged(arguments)) {
    stream_through(stream, resolved, all.arguments(), how);
    return all.take_outputs();
  }
  Plan& made = plan(device, std::move(resolved), all.arguments(), how);
  made.serves_inputs = true;
  run(stream, made, all.arguments(), how);
  return all.take_outputs();
}

}  // namespace kernelbatch
