#include "core/kernel/launch/operand.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace kernelbatch {

std::vector<ArrayForm> CallArguments::results(const Shape& shape) const {
  std::vector<ArrayForm> forms;
  for (std::size_t k = 0; k < types.out.size(); ++k)
    forms.push_back({types.out[k], out.empty() ? shape : out[k].array().shape()});
  return forms;
}

CallArguments resolve_arguments(const std::string& kernel, const std::vector<Parameter>& in,
                                const std::vector<Parameter>& out,
                                std::span<const Argument> arguments) {
  if (arguments.size() != in.size() && arguments.size() != in.size() + out.size())
    throw SpecError(
        fmt::format("wrong number of arguments for '{}': expected {} or {} (with outputs), "
                    "got {}",
                    kernel, in.size(), in.size() + out.size(), arguments.size()));
  CallArguments call;
  call.in = arguments.first(in.size());
  call.out = arguments.subspan(in.size());
  for (std::size_t k = 0; k < call.out.size(); ++k)
    if (!call.out[k].is_array())
      throw SpecError(fmt::format("output '{}' of '{}' must be an array", out[k].name, kernel));
  call.types = solve_types(in, out, call.in, call.out);
  std::byte room[16];
  for (std::size_t k = 0; k < call.in.size(); ++k) {
    if (call.in[k].is_array()) continue;
    if (in[k].is_raw)
      throw SpecError(
          fmt::format("raw parameter '{}' of '{}' must be an array", in[k].name, kernel));
    call.in[k].write_scalar(call.types.in[k], room, in[k].name);  // throws if it does not fit
  }
  return call;
}

void require_on_device(const Device& device, const std::string& kernel,
                       const std::vector<Parameter>& in, const std::vector<Parameter>& out,
                       std::span<const Argument> arguments) {
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (arguments[k].is_array() && arguments[k].array().device() != &device)
      throw SpecError(fmt::format("argument '{}' of '{}' is not on the stream's device",
                                  (k < in.size() ? in[k] : out[k - in.size()]).name, kernel));
}

std::vector<Operand> operands_of(const std::vector<Parameter>& in,
                                 const std::vector<Parameter>& out, const ResolvedTypes& types,
                                 std::span<const Argument> arguments) {
  std::vector<Operand> operands;
  int slot = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const bool is_output = k >= in.size();
    const std::size_t at = is_output ? k - in.size() : k;
    Operand operand{is_output ? &out[at] : &in[at], is_output ? types.out[at] : types.in[at],
                    &arguments[k], is_output, -1};
    if (operand.is_looped() && !is_output) operand.slot = slot++;
    operands.push_back(operand);
  }
  return operands;
}

WithOutputs::WithOutputs(Device& device, std::span<const Argument> inputs,
                         std::span<const ArrayForm> outputs)
    : arguments_(inputs.begin(), inputs.end()) {
  outputs_.reserve(outputs.size());  // arguments point to its elements
  for (const ArrayForm& form : outputs)
    arguments_.emplace_back(
        outputs_.emplace_back(Array::on_device(device, form.dtype, form.shape)));
}

std::vector<Array> given_outputs(std::span<const Argument> outputs) {
  std::vector<Array> list;
  for (const Argument& output : outputs) list.push_back(output.array());
  return list;
}

}  // namespace kernelbatch
