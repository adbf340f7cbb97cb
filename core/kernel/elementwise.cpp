#include "core/kernel/elementwise.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/kernel/elementwise_loop.hpp"
#include "core/kernel/elementwise_source.hpp"
#include "core/kernel/overlap_copies.hpp"
#include "core/kernel/streamed_elementwise.hpp"

namespace kernelbatch {

struct ElementwiseKernel::Plan {
  Plan(const Device& device, std::span<const Argument> arguments,
       std::optional<std::int64_t> loop_size)
      : launch(device, arguments), size(loop_size) {}

  LaunchPlan launch;
  std::optional<std::int64_t> size;
  // Calls that passed the checks: with outputs, and without.
  bool serves_given = false, serves_inputs = false;
  std::vector<ArrayForm> outputs;
};

/// A call's types and shape.
struct ElementwiseKernel::Resolved {
  CallArguments call;
  Shape shape;
};

ElementwiseKernel::ElementwiseKernel(const ElementwiseText& text)
    : definition_(text.in, text.out, text.operation, text.name, text.options) {}
ElementwiseKernel::ElementwiseKernel(const ElementwiseKernel& other)
    : definition_(other.definition_) {}
ElementwiseKernel::ElementwiseKernel(ElementwiseKernel&&) noexcept = default;
ElementwiseKernel& ElementwiseKernel::operator=(ElementwiseKernel&&) noexcept = default;
ElementwiseKernel::~ElementwiseKernel() = default;

ElementwiseKernel::Resolved ElementwiseKernel::resolve(std::span<const Argument> arguments,
                                                       std::optional<std::int64_t> size) const {
  const auto& in = definition_.in;
  const auto& out = definition_.out;
  const std::string& name = definition_.name;
  Resolved resolved{resolve_arguments(name, in, out, arguments), {}};
  std::vector<Shape> shapes;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Parameter& parameter = k < in.size() ? in[k] : out[k - in.size()];
    if (arguments[k].is_array() && !parameter.is_raw)
      shapes.push_back(arguments[k].array().shape());
  }
  if (size && !shapes.empty())
    throw SpecError(fmt::format("'{}': size can be given only if every array is raw", name));
  if (!size && shapes.empty())
    throw SpecError(
        fmt::format("'{}': the loop's size is undecided: every array is raw, so give size", name));
  if (size && *size < 0) throw SpecError(fmt::format("'{}': size {} is negative", name, *size));
  resolved.shape = size ? Shape{*size} : broadcast_shapes(shapes);
  for (std::size_t k = 0; k < resolved.call.out.size(); ++k) {
    const Shape& given = resolved.call.out[k].array().shape();
    if (!out[k].is_raw && !(given == resolved.shape))
      throw SpecError(fmt::format("output '{}' of '{}' has shape {}, the operands broadcast to {}",
                                  out[k].name, name, to_text(given), to_text(resolved.shape)));
  }
  return resolved;
}

std::vector<ArrayForm> ElementwiseKernel::results(std::span<const Argument> arguments,
                                                  std::optional<std::int64_t> size) const {
  const Resolved resolved = resolve(arguments, size);
  return resolved.call.results(resolved.shape);
}

ElementwiseKernel::Plan& ElementwiseKernel::plan(Device& device, Resolved&& resolved,
                                                 std::span<const Argument> arguments,
                                                 std::optional<std::int64_t> size) const {
  if (Plan* known = plans_.find([&](const Plan& plan) {
        return plan.size == size && plan.launch.fits(device, arguments);
      }))
    return *known;
  auto plan = std::make_unique<Plan>(device, arguments, size);
  const ElementwiseLoop loop = plan_elementwise(definition_, std::move(resolved.call.types),
                                                resolved.shape, arguments, device.properties());
  loop.add_parameters(plan->launch);
  for (std::size_t in = 0; in < definition_.in.size(); ++in)
    for (std::size_t out = definition_.in.size(); out < arguments.size(); ++out)
      if (loop.operands[in].is_looped() && loop.operands[out].is_looped())
        plan->launch.keep_apart(in, out, arguments);
  if (!definition_.options.copy_overlap) plan->launch.require_apart(arguments);
  for (std::size_t out = definition_.in.size(); out < arguments.size(); ++out)
    plan->outputs.push_back({arguments[out].dtype(), arguments[out].array().shape()});
  if (loop.plan.count > 0) {
    const std::string key = loop.key();
    auto found = programs_.find(key);
    if (found == programs_.end()) {
      KernelSource source{definition_.name,
                          elementwise_source(definition_, loop),
                          {definition_.name},
                          definition_.options.options,
                          true,
                          {}};
      found = programs_.emplace(key, Program(std::move(source))).first;
    }
    plan->launch.set_kernel(found->second.kernel(device, definition_.name),
                            loop.launch_shape(definition_, device.properties()));
  }
  return plans_.add(std::move(plan));
}

void ElementwiseKernel::run(Stream& stream, Plan& plan, std::span<const Argument> arguments,
                            std::optional<std::int64_t> size) const {
  if (!plan.launch.overlaps(arguments)) {
    plan.launch.launch(stream, arguments);
    return;
  }
  if (!definition_.options.copy_overlap) plan.launch.require_apart(arguments);
  if (!copier_) copier_ = make_overlap_copier();
  const OverlapCopies copies(stream, *copier_, plan.launch, arguments);
  launch(stream, copies.arguments(), size);
}

void ElementwiseKernel::stream_through(Stream& stream, const Shape& shape,
                                       std::span<const Argument> arguments) const {
  if (!streamed_) streamed_ = std::make_unique<StreamedElementwise>(definition_);
  streamed_->launch(stream, shape, arguments);
}

void ElementwiseKernel::launch(Stream& stream, std::span<const Argument> arguments,
                               std::optional<std::int64_t> size) const {
  Device& device = stream.device();
  Plan* known =
      arguments.size() != definition_.in.size() + definition_.out.size()
          ? nullptr
          : plans_.find([&](const Plan& each) {
              return each.serves_given && each.size == size && each.launch.fits(device, arguments);
            });
  if (known == nullptr) {
    Resolved resolved = resolve(arguments, size);
    if (resolved.call.out.size() != definition_.out.size())
      throw SpecError(fmt::format("launch of '{}' needs its outputs: {} were not given",
                                  definition_.name, definition_.out.size()));
    if (has_staged(arguments)) return stream_through(stream, resolved.shape, arguments);
    require_on_device(device, definition_.name, definition_.in, definition_.out, arguments);
    known = &plan(device, std::move(resolved), arguments, size);
    known->serves_given = true;
  }
  run(stream, *known, arguments, size);
}

std::vector<Array> ElementwiseKernel::call(Stream& stream, std::span<const Argument> arguments,
                                           std::optional<std::int64_t> size) const {
  if (arguments.size() == definition_.in.size() + definition_.out.size()) {
    launch(stream, arguments, size);
    return given_outputs(arguments.subspan(definition_.in.size()));
  }
  Device& device = stream.device();
  if (Plan* known = plans_.find([&](const Plan& each) {
        return each.serves_inputs && each.size == size && each.launch.fits(device, arguments);
      });
      known != nullptr && arguments.size() == definition_.in.size()) {
    WithOutputs all(device, arguments, known->outputs);
    run(stream, *known, all.arguments(), size);
    return all.take_outputs();
  }
  Resolved resolved = resolve(arguments, size);
  if (!has_staged(arguments))
    require_on_device(device, definition_.name, definition_.in, definition_.out, arguments);
  WithOutputs all(device, arguments, resolved.call.results(resolved.shape));
  if (has_staged(arguments)) {
    stream_through(stream, resolved.shape, all.arguments());
    return all.take_outputs();
  }
  Plan& made = plan(device, std::move(resolved), all.arguments(), size);
  made.serves_inputs = true;
  run(stream, made, all.arguments(), size);
  return all.take_outputs();
}

}  // namespace kernelbatch
