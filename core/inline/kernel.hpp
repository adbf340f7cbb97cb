// The kinds of inline kernels behind one interface.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/inline/definition.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

class InlineKernel {
 public:
  virtual ~InlineKernel();
  virtual VariantKind kind() const noexcept = 0;
  /// Names of the parameters that arguments are found for where the job lists none; nothing where
  /// it must list them.
  virtual std::optional<std::vector<std::string>> inputs() const { return std::nullopt; }
  /// Names of the outputs that the kernel can infer; empty where all must be arguments.
  virtual std::vector<std::string> outputs() const { return {}; }
  /// Dtypes and shapes of outputs(), from the inputs alone. Throws SpecError.
  virtual std::vector<ArrayForm> results(std::span<const Argument> inputs) const;
  /// Throws SpecError for arguments, outputs among them, that do not fit.
  virtual void check(std::span<const Argument>) const {}
  /// Queues the work; outputs stand behind the inputs.
  virtual void call(Stream& stream, std::span<const Argument> arguments) const = 0;
  /// The dtype that a number without one takes as argument `at`; nothing = that of its kind.
  virtual std::optional<DType> number_dtype(std::size_t at) const;
  /// Whether the text says that argument `at` is not written to: a pointer to const.
  virtual bool is_read_only(std::size_t at) const;
  /// A variable of the kernel's module. Throws SpecError where it has none.
  virtual Array global(Device& device, const std::string& name, const ArrayForm& form) const;
};

/// `inputs` are the job's. Throws SpecError for a definition that is not valid.
std::unique_ptr<InlineKernel> make_inline_kernel(const InlineKernelDefinition& definition,
                                                 const std::vector<InlineInput>& inputs);

}  // namespace kernelbatch
