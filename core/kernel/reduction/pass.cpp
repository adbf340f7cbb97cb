#include "core/kernel/reduction/pass.hpp"

#include "core/kernel/launch/layout_argument.hpp"

namespace kernelbatch {

namespace {

InputStep last_step(const Strides& strides, const Array& input) {
  const std::int64_t stride = strides[strides.count() - 1];
  if (stride == 0) return InputStep::kConstant;
  return stride == static_cast<std::int64_t>(size_of(input.dtype())) ? InputStep::kDense
                                                                     : InputStep::kStrided;
}

}  // namespace

InputStep ReductionPass::step_along(std::size_t slot) const noexcept {
  return last_step(loops.inner.strides[slot], inputs[slot]);
}

InputStep ReductionPass::step_across(std::size_t slot) const noexcept {
  return last_step(loops.outer.strides[slot], inputs[slot]);
}

ReductionPass::Parameter ReductionPass::parameter() const {
  Parameter parameter;
  StructBytes& bytes = parameter.bytes;
  constexpr void* kLater = nullptr;
  for (const Operand& operand : operands) {
    const std::string type = operand.c_type(), name = operand.name();
    const std::string pointed =
        operand.is_output || operand.parameter->is_non_const ? type : "const " + type;
    std::size_t offset = 0;
    if (operand.is_scalar()) {
      constexpr std::byte kZero[16] = {};
      offset = bytes.append(type, "_s_" + name, kZero, size_of(operand.dtype),
                            info(operand.dtype).alignment);
    } else if (operand.parameter->is_raw) {
      const std::vector<std::int64_t> words = view_words(operand.array());
      offset = bytes.append(view_type(operand.array(), pointed), "_v_" + name, words.data(),
                            words.size() * sizeof words[0], alignof(std::int64_t));
    } else {
      offset = bytes.append_value(pointed + "*", "_p_" + name, kLater);
    }
    parameter.operands.push_back(offset);
  }
  const auto add_count = [&](const char* name, std::int64_t value, const char* comment) {
    bytes.append_value("long long", name, value, comment);
  };
  add_count("_in_count", in_count, "elements of the inputs' common shape");
  add_count("_out_count", loops.outer.count, "outputs");
  add_count("_count", loops.inner.count, "elements reduced to one output");
  add_count("_splits", schedule.splits, "blocks that share one output");
  add_count("_split_count", schedule.split_count, "elements of each split but the last");
  parameter.partials = bytes.append_value("_type_reduce*", "_partials", kLater, "[output][split]");
  parameter.tickets = bytes.append_value("unsigned*", "_tickets", kLater,
                                         "[group of outputs]: splits that are done");
  const LayoutArgument outer(loops.outer, is_wide), inner(loops.inner, is_wide);
  bytes.append_struct(outer.type(), "_outer", outer.bytes());
  bytes.append_struct(inner.type(), "_inner", inner.bytes());
  return parameter;
}

ReductionPass plan_pass(const ReductionDefinition& definition, ResolvedTypes types,
                        const Shape& shape, const std::vector<int>& axes, bool keepdims,
                        std::span<const Argument> arguments, const DeviceProperties& device) {
  ReductionPass pass;
  pass.operands = operands_of(definition.in, definition.out, types, arguments);
  pass.types = std::move(types);
  pass.counts_inputs = definition.counts_inputs;
  pass.in_count = element_count(shape);
  for (const Operand& operand : pass.operands)
    if (!operand.is_output && operand.is_looped()) pass.inputs.push_back(operand.array());
  std::vector<Array> looped = pass.inputs;
  // The linear index of an element is its offset in a fictitious byte array.
  if (pass.counts_inputs) looped.push_back(Array::of_memory(nullptr, DType::kInt8, shape));
  pass.loops = plan_reduction(looped, shape, axes, keepdims);
  for (Operand& operand : pass.operands) {
    if (!operand.is_output || !operand.is_looped()) continue;
    operand.slot = static_cast<int>(pass.loops.outer.strides.size());
    add_output(pass.loops, operand.array(), shape, axes, keepdims);
    require_own_elements(operand.array(), operand.name());
  }
  finish_outer(pass.loops);
  std::vector<const Array*> arrays;
  for (std::size_t k = 0; k < looped.size(); ++k)
    arrays.push_back(k < pass.inputs.size() ? &pass.inputs[k] : nullptr);
  for (const Operand& operand : pass.operands)
    if (operand.is_output && operand.is_looped()) arrays.push_back(&operand.array());
  pass.schedule = schedule_reduction(
      pass.loops, pass.inputs, arrays,
      {definition.commutes, definition.reduces_small, definition.reduced_bytes(pass.types.out[0])},
      device);
  pass.is_wide = pass.loops.outer.is_wide() || pass.loops.inner.is_wide();
  return pass;
}

}  // namespace kernelbatch
