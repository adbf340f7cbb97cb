#include "core/kernel/elementwise/kernel.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/kernel/elementwise/policy.hpp"
#include "core/kernel/elementwise/source.hpp"
#include "core/kernel/elementwise/staged.hpp"
#include "core/kernel/launch/planned_kernel.hpp"

namespace kernelbatch {

/// Elementwise kernels, for PlannedKernel.
class ElementwiseForm {
 public:
  using How = std::optional<std::int64_t>;  ///< the loop's size if every array is raw
  struct Extra {};
  struct Resolved {
    CallArguments call;
    Shape shape;
    std::vector<ArrayForm> results() const { return call.results(shape); }
  };

  explicit ElementwiseForm(ElementwiseDefinition definition)
      : definition_(std::make_unique<ElementwiseDefinition>(std::move(definition))) {}

  const ElementwiseDefinition& definition() const noexcept { return *definition_; }
  const std::string& name() const noexcept { return definition_->name; }
  std::size_t inputs() const noexcept { return definition_->in.size(); }
  std::size_t outputs() const noexcept { return definition_->out.size(); }
  bool copies_overlap() const noexcept { return definition_->options.copy_overlap; }
  const std::vector<std::string>& options() const noexcept { return definition_->options.options; }
  /// The form of a twin; nothing if there is none.
  std::optional<ElementwiseForm> twin(Twin wanted) const {
    std::optional<ElementwiseDefinition> other;
    if (wanted == Twin::kNoArithmetic) other = without_arithmetic(*definition_);
    if (wanted == Twin::kNoLoads) other = without_loads(*definition_);
    if (!other) return std::nullopt;
    return ElementwiseForm(std::move(*other));
  }

  Resolved resolve(std::span<const Argument> arguments, const How& size) const;
  void require_on_device(const Device& device, std::span<const Argument> arguments) const {
    kernelbatch::require_on_device(device, name(), definition_->in, definition_->out, arguments);
  }
  PlannedLaunch plan(LaunchPlan& launch, Resolved&& resolved, std::span<const Argument> arguments,
                     const How&, const DeviceProperties& device, Extra&) const;
  void before_launch(Stream&, LaunchPlan&, const Extra&) const {}
  void launch_staged(Stream& stream, const Resolved& resolved, std::span<const Argument> arguments,
                     const How&) {
    if (!staged_) staged_ = std::make_unique<StagedElementwise>(*definition_);
    staged_->launch(stream, resolved.shape, arguments);
  }

 private:
  std::unique_ptr<ElementwiseDefinition> definition_;  ///< does not move: others refer to it
  std::unique_ptr<StagedElementwise> staged_;
};

ElementwiseForm::Resolved ElementwiseForm::resolve(std::span<const Argument> arguments,
                                                   const How& size) const {
  const auto& in = definition_->in;
  const auto& out = definition_->out;
  const std::string& name = definition_->name;
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

PlannedLaunch ElementwiseForm::plan(LaunchPlan& launch, Resolved&& resolved,
                                    std::span<const Argument> arguments, const How&,
                                    const DeviceProperties& device, Extra&) const {
  const ElementwiseLoop loop = plan_elementwise(*definition_, std::move(resolved.call.types),
                                                resolved.shape, arguments, device);
  loop.add_parameters(launch);
  PlannedLaunch planned;
  for (const Operand& operand : loop.operands) planned.is_looped.push_back(operand.is_looped());
  if (loop.plan.count == 0) return planned;
  planned.text = elementwise_source(*definition_, loop);
  planned.shape = loop.launch_shape(*definition_, device);
  return planned;
}

class ElementwiseKernel::Calls : public PlannedKernel<ElementwiseForm> {
 public:
  using PlannedKernel::PlannedKernel;
};

ElementwiseKernel::ElementwiseKernel(const ElementwiseText& text)
    : ElementwiseKernel(
          ElementwiseDefinition(text.in, text.out, text.operation, text.name, text.options)) {}
ElementwiseKernel::ElementwiseKernel(ElementwiseDefinition definition)
    : calls_(std::make_unique<Calls>(ElementwiseForm(std::move(definition)))) {}
ElementwiseKernel::ElementwiseKernel(const ElementwiseKernel& other)
    : ElementwiseKernel(other.calls_->form().definition()) {}
ElementwiseKernel::ElementwiseKernel(ElementwiseKernel&&) noexcept = default;
ElementwiseKernel& ElementwiseKernel::operator=(ElementwiseKernel&&) noexcept = default;
ElementwiseKernel::~ElementwiseKernel() = default;

std::vector<ArrayForm> ElementwiseKernel::results(std::span<const Argument> arguments,
                                                  std::optional<std::int64_t> size) const {
  return calls_->results(arguments, size);
}

void ElementwiseKernel::launch(Stream& stream, std::span<const Argument> arguments,
                               std::optional<std::int64_t> size) const {
  calls_->launch(stream, arguments, size);
}

std::vector<Array> ElementwiseKernel::call(Stream& stream, std::span<const Argument> arguments,
                                           std::optional<std::int64_t> size) const {
  return calls_->call(stream, arguments, size);
}

const std::vector<Parameter>& ElementwiseKernel::inputs() const noexcept {
  return calls_->form().definition().in;
}
const std::vector<Parameter>& ElementwiseKernel::outputs() const noexcept {
  return calls_->form().definition().out;
}
const std::string& ElementwiseKernel::name() const noexcept { return calls_->form().name(); }

}  // namespace kernelbatch
