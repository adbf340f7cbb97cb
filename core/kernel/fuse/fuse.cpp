#include "core/kernel/fuse/fuse.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/kernel/fuse/fused_plan.hpp"
#include "core/kernel/launch/operand.hpp"

namespace kernelbatch {

struct FusedKernel::Signature {
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
  FusedPlan plan;

  bool fits(std::span<const Argument> inputs) const noexcept {
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k].array().dtype() != dtypes[k] || !(inputs[k].array().shape() == shapes[k]))
        return false;
    return true;
  }
};

FusedKernel::FusedKernel(Graph graph, std::string name)
    : graph_(std::make_unique<const Graph>(std::move(graph))), name_(std::move(name)) {}
FusedKernel::FusedKernel(const FusedKernel& other) : FusedKernel(*other.graph_, other.name_) {}
FusedKernel::FusedKernel(FusedKernel&&) noexcept = default;
FusedKernel::~FusedKernel() = default;

FusedPlan& FusedKernel::plan(std::span<const Argument> inputs) const {
  if (static_cast<int>(inputs.size()) != graph_->inputs)
    throw SpecError(fmt::format("fuse: '{}' takes {} arrays, {} were given", name_, graph_->inputs,
                                inputs.size()));
  for (const Argument& input : inputs)
    if (!input.is_array())
      throw SpecError(
          fmt::format("fuse: '{}' takes arrays and was given {}: a number is written "
                      "into the expression",
                      name_, input.describe()));
  if (Signature* known = signatures_.find([&](const Signature& each) { return each.fits(inputs); }))
    return known->plan;
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
  for (const Argument& input : inputs) {
    dtypes.push_back(input.dtype());
    shapes.push_back(input.array().shape());
  }
  return signatures_
      .add(std::unique_ptr<Signature>(
          new Signature{dtypes, shapes, FusedPlan(*graph_, name_, dtypes, shapes)}))
      .plan;
}

std::vector<ArrayForm> FusedKernel::results(std::span<const Array> inputs) const {
  return plan(std::vector<Argument>(inputs.begin(), inputs.end())).outputs();
}

void FusedKernel::launch(Stream& stream, std::span<const Argument> inputs,
                         std::span<const Argument> outputs) const {
  FusedPlan& chosen = plan(inputs);
  const std::vector<ArrayForm>& forms = chosen.outputs();
  if (outputs.size() != forms.size())
    throw SpecError(fmt::format("fuse: '{}' gives {} arrays, {} were passed to take them", name_,
                                forms.size(), outputs.size()));
  for (std::size_t k = 0; k < forms.size(); ++k) {
    if (!outputs[k].is_array())
      throw SpecError(fmt::format("fuse: output {} of '{}' must be an array", k, name_));
    const Array& given = outputs[k].array();
    if (given.dtype() != forms[k].dtype || !(given.shape() == forms[k].shape))
      throw SpecError(fmt::format("fuse: output {} of '{}' is {} {}, the expression gives {} {}", k,
                                  name_, name_of(given.dtype()), to_text(given.shape()),
                                  name_of(forms[k].dtype), to_text(forms[k].shape)));
  }
  chosen.launch(stream, inputs, outputs);
}

void FusedKernel::launch(Stream& stream, std::span<const Argument> inputs,
                         const std::vector<Array>& outputs) const {
  output_arguments_.assign(outputs.begin(), outputs.end());
  launch(stream, inputs, std::span<const Argument>(output_arguments_));
}

std::vector<Array> FusedKernel::call(Stream& stream, std::span<const Array> inputs,
                                     std::span<const Array> outputs) const {
  const std::vector<Argument> in(inputs.begin(), inputs.end());
  if (!outputs.empty()) {
    const std::vector<Argument> out(outputs.begin(), outputs.end());
    launch(stream, in, std::span<const Argument>(out));
    return {outputs.begin(), outputs.end()};
  }
  WithOutputs all(stream.device(), in, plan(in).outputs());
  launch(stream, in, all.arguments().subspan(in.size()));
  return all.take_outputs();
}

}  // namespace kernelbatch
