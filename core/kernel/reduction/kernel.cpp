#include "core/kernel/reduction/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/error.hpp"
#include "core/kernel/launch/planned_kernel.hpp"
#include "core/kernel/reduction/pass.hpp"
#include "core/kernel/reduction/source.hpp"
#include "core/kernel/reduction/staged.hpp"

namespace kernelbatch {

/// Reductions, for PlannedKernel.
class ReductionForm {
 public:
  using How = ReductionCall;
  /// Workspace that a split reduction needs in its stream; 0 if one block per output suffices.
  struct Extra {
    std::int64_t partial_bytes = 0, tickets = 0;
    std::size_t partials_at = 0, tickets_at = 0;  ///< offsets of their addresses in the parameter
  };
  struct Resolved {
    CallArguments call;
    Shape shape, out_shape;
    std::vector<int> axes;
    std::vector<ArrayForm> results() const { return call.results(out_shape); }
  };

  explicit ReductionForm(ReductionDefinition definition)
      : definition_(std::make_unique<ReductionDefinition>(std::move(definition))) {}

  const ReductionDefinition& definition() const noexcept { return *definition_; }
  const std::string& name() const noexcept { return definition_->name; }
  std::size_t inputs() const noexcept { return definition_->in.size(); }
  std::size_t outputs() const noexcept { return definition_->out.size(); }
  bool copies_overlap() const noexcept { return definition_->options.copy_overlap; }
  const std::vector<std::string>& options() const noexcept { return definition_->options.options; }
  /// The form of a twin; nothing if there is none.
  std::optional<ReductionForm> twin(Twin wanted) const {
    if (wanted != Twin::kNoArithmetic) return std::nullopt;
    if (auto other = without_arithmetic(*definition_)) return ReductionForm(std::move(*other));
    return std::nullopt;
  }

  Resolved resolve(std::span<const Argument> arguments, const How& how) const;
  void require_on_device(const Device& device, std::span<const Argument> arguments) const {
    kernelbatch::require_on_device(device, name(), definition_->in, definition_->out, arguments);
  }
  PlannedLaunch plan(LaunchPlan& launch, Resolved&& resolved, std::span<const Argument> arguments,
                     const How& how, const DeviceProperties& device, Extra& extra) const;
  void before_launch(Stream& stream, LaunchPlan& launch, const Extra& extra) {
    if (extra.tickets > 0) use_workspace(stream, launch, extra);
  }
  void launch_staged(Stream& stream, const Resolved& resolved, std::span<const Argument> arguments,
                     const How& how);

 private:
  void use_workspace(Stream& stream, LaunchPlan& launch, const Extra& extra);

  std::unique_ptr<ReductionDefinition> definition_;  ///< does not move: others refer to it
  std::unique_ptr<StagedReduction> staged_;
  /// Partial results and tickets per stream; grows and never shrinks; tickets are always zero
  /// between calls.
  struct Workspace {
    Array partials, tickets;
  };
  std::map<Stream*, Workspace> workspaces_;
};

ReductionForm::Resolved ReductionForm::resolve(std::span<const Argument> arguments,
                                               const How& how) const {
  const auto& out = definition_->out;
  const std::string& name = definition_->name;
  for (std::size_t k = 0; k < std::min(arguments.size(), definition_->in.size()); ++k)
    if (arguments[k].is_handle())
      throw SpecError(
          fmt::format("argument '{}' of '{}' is {}, which a reduction cannot take: use "
                      "ElementwiseKernel or RawKernel",
                      definition_->in[k].name, name, arguments[k].describe()));
  Resolved resolved{resolve_arguments(name, definition_->in, out, arguments), {}, {}, {}};
  std::vector<Shape> shapes;
  for (std::size_t k = 0; k < resolved.call.in.size(); ++k)
    if (resolved.call.in[k].is_array() && !definition_->in[k].is_raw)
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
  if (reduced == 0 && element_count(resolved.out_shape) > 0 && !definition_->identity)
    throw SpecError(fmt::format("zero-size array to reduction '{}', which has no identity", name));
  return resolved;
}

PlannedLaunch ReductionForm::plan(LaunchPlan& launch, Resolved&& resolved,
                                  std::span<const Argument> arguments, const How& how,
                                  const DeviceProperties& device, Extra& extra) const {
  const ReductionPass pass = plan_pass(*definition_, std::move(resolved.call.types), resolved.shape,
                                       resolved.axes, how.keepdims, arguments, device);
  const ReductionPass::Parameter parameter = pass.parameter();
  const std::size_t at = launch.add_parameter(parameter.bytes);
  for (std::size_t k = 0; k < pass.operands.size(); ++k)
    launch.patch(k, at + parameter.operands[k], pass.operands[k].dtype, pass.operands[k].name());
  extra.partials_at = at + parameter.partials;
  extra.tickets_at = at + parameter.tickets;
  PlannedLaunch planned;
  for (const Operand& operand : pass.operands) planned.is_looped.push_back(operand.is_looped());
  if (pass.loops.outer.count == 0) return planned;
  const ReductionSchedule& schedule = pass.schedule;
  if (schedule.splits > 1) {
    const std::size_t each =
        definition_->options.reduce_type.empty() ? size_of(pass.types.out[0]) : kLargestReduceType;
    extra.partial_bytes =
        pass.loops.outer.count * schedule.splits * static_cast<std::int64_t>(each);
    extra.tickets = schedule.groups;
  }
  planned.text = reduction_source(*definition_, pass, parameter.bytes);
  planned.shape.grid.x = static_cast<std::uint32_t>(schedule.blocks);
  planned.shape.block.x = static_cast<std::uint32_t>(schedule.threads());
  return planned;
}

void ReductionForm::use_workspace(Stream& stream, LaunchPlan& launch, const Extra& extra) {
  Device& device = stream.device();
  Workspace& workspace = workspaces_[&stream];
  // A stream on another device may have the address of a destroyed one.
  if (workspace.partials.device() != &device) workspace = {};
  if (workspace.partials.size() < extra.partial_bytes)
    workspace.partials = Array::on_device(device, DType::kInt8, {extra.partial_bytes});
  if (workspace.tickets.size() < extra.tickets) {
    workspace.tickets = Array::on_device(device, DType::kUInt32, {extra.tickets});
    device.fill(workspace.tickets.data(), 0, workspace.tickets.bytes(), stream);
  }
  const std::byte* const partials = workspace.partials.data();
  const std::byte* const tickets = workspace.tickets.data();
  launch.write(extra.partials_at, &partials, sizeof partials);
  launch.write(extra.tickets_at, &tickets, sizeof tickets);
}

void ReductionForm::launch_staged(Stream& stream, const Resolved& resolved,
                                  std::span<const Argument> arguments, const How& how) {
  if (!staged_) staged_ = std::make_unique<StagedReduction>(*definition_);
  staged_->launch(
      stream,
      {resolved.shape, resolved.axes, how.keepdims, resolved.out_shape, resolved.call.types.out[0]},
      arguments);
}

class ReductionKernel::Calls : public PlannedKernel<ReductionForm> {
 public:
  using PlannedKernel::PlannedKernel;
};

ReductionKernel::ReductionKernel(const ReductionText& text)
    : ReductionKernel(ReductionDefinition(text.in, text.out, text.map, text.reduce, text.post_map,
                                          text.identity, text.name, text.options)) {}
ReductionKernel::ReductionKernel(ReductionDefinition definition)
    : calls_(std::make_unique<Calls>(ReductionForm(std::move(definition)))) {}
ReductionKernel::ReductionKernel(const ReductionKernel& other)
    : ReductionKernel(other.calls_->form().definition()) {}
ReductionKernel::ReductionKernel(ReductionKernel&&) noexcept = default;
ReductionKernel& ReductionKernel::operator=(ReductionKernel&&) noexcept = default;
ReductionKernel::~ReductionKernel() = default;

std::vector<ArrayForm> ReductionKernel::results(std::span<const Argument> arguments,
                                                const ReductionCall& how) const {
  return calls_->results(arguments, how);
}

void ReductionKernel::launch(Stream& stream, std::span<const Argument> arguments,
                             const ReductionCall& how) const {
  calls_->launch(stream, arguments, how);
}

std::vector<Array> ReductionKernel::call(Stream& stream, std::span<const Argument> arguments,
                                         const ReductionCall& how) const {
  return calls_->call(stream, arguments, how);
}

const std::vector<Parameter>& ReductionKernel::inputs() const noexcept {
  return calls_->form().definition().in;
}
const std::vector<Parameter>& ReductionKernel::outputs() const noexcept {
  return calls_->form().definition().out;
}
const std::string& ReductionKernel::name() const noexcept { return calls_->form().name(); }

}  // namespace kernelbatch
