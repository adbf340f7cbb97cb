// Operand: one parameter of a kernel with its argument in a call.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/kernel/launch/argument.hpp"
#include "core/kernel/text/parameter.hpp"
#include "core/kernel/text/type_solver.hpp"

namespace kernelbatch {

struct Operand {
  const Parameter* parameter = nullptr;
  DType dtype = DType::kFloat64;
  const Argument* argument = nullptr;
  bool is_output = false;
  int slot = -1;  ///< number among the arrays that the loop reads and writes

  bool is_scalar() const noexcept { return !argument->is_array(); }
  bool is_looped() const noexcept { return !is_scalar() && !parameter->is_raw; }
  const Array& array() const noexcept { return argument->array(); }
  const std::string& name() const noexcept { return parameter->name; }
  std::string c_type() const { return std::string(info(dtype).c_name); }
};

/// A call's arguments matched with a kernel's parameters.
struct CallArguments {
  ResolvedTypes types;
  std::span<const Argument> in, out;  ///< `out` is empty if outputs are to be allocated

  std::vector<ArrayForm> results(const Shape& shape) const;
};

/// Throws SpecError if the number of arguments is neither that of the inputs nor that of inputs and
/// outputs, if an output or the argument of a raw parameter is not an array, or if types conflict.
CallArguments resolve_arguments(const std::string& kernel, const std::vector<Parameter>& in,
                                const std::vector<Parameter>& out,
                                std::span<const Argument> arguments);

/// Throws SpecError naming the first array that is not on the device.
void require_on_device(const Device& device, const std::string& kernel,
                       const std::vector<Parameter>& in, const std::vector<Parameter>& out,
                       std::span<const Argument> arguments);

/// Inputs, then outputs, which are all given. Inputs that the loop reads have slots from 0.
std::vector<Operand> operands_of(const std::vector<Parameter>& in,
                                 const std::vector<Parameter>& out, const ResolvedTypes& types,
                                 std::span<const Argument> arguments);

/// A call's arguments with its outputs, allocated if the call gives none.
class WithOutputs {
 public:
  WithOutputs(Device& device, std::span<const Argument> inputs, std::span<const ArrayForm> outputs);
  std::span<const Argument> arguments() const noexcept { return arguments_; }
  std::vector<Array> take_outputs() noexcept { return std::move(outputs_); }

 private:
  std::vector<Array> outputs_;
  std::vector<Argument> arguments_;
};

/// The outputs given to a call.
std::vector<Array> given_outputs(std::span<const Argument> outputs);

}  // namespace kernelbatch
