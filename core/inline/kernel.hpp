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
  /// Names of the parameters for which arguments are found if the job lists none; nothing if the
  /// job must list them.
  virtual std::optional<std::vector<std::string>> inputs() const { return std::nullopt; }
  /// Names of the outputs that the kernel can infer; empty if all must be arguments.
  virtual std::vector<std::string> outputs() const { return {}; }
  /// Dtypes and shapes of outputs(), from only the inputs. Throws SpecError.
  virtual std::vector<ArrayForm> results(std::span<const Argument> inputs) const;
  /// Throws SpecError for arguments that do not fit, including outputs.
  virtual void check(std::span<const Argument>) const {}
  /// Queues the work; outputs follow the inputs.
  virtual void call(Stream& stream, std::span<const Argument> arguments) const = 0;
  /// The dtype of a number without one as argument `at`; nothing = that of its kind.
  virtual std::optional<DType> number_dtype(std::size_t at) const;
  /// True if the text declares that argument `at` is not written: a pointer to const.
  virtual bool is_read_only(std::size_t at) const;
  /// A variable of the kernel's module. Throws SpecError if it has none.
  virtual Array global(Device& device, const std::string& name, const ArrayForm& form) const;
};

/// `inputs` are the job's. Throws SpecError for an invalid definition.
std::unique_ptr<InlineKernel> make_inline_kernel(const KernelDefinition& definition,
                                                 const std::vector<InlineInput>& inputs);

}  // namespace kernelbatch
