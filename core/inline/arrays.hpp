// Inputs and outputs of one case of `workload: inline`, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/inline/definition.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Memory of the arrays: on a device, or none if only types and shapes matter.
class ArrayPlace {
 public:
  virtual ~ArrayPlace();
  virtual Array input(const InlineInput& given) const = 0;
  virtual Array output(const std::string& name) const = 0;
};

class InlineArrays {
 public:
  /// Throws SpecError for a name of both an input and an output, and for a view of no output.
  InlineArrays(std::vector<InlineInput> inputs, std::vector<InlineBuffer> buffers);

  /// The same arrays and these. Throws SpecError for a name that is taken.
  InlineArrays with(const std::vector<InlineBuffer>& scratch) const;

  const std::vector<InlineInput>& inputs() const noexcept { return inputs_; }
  const std::vector<InlineBuffer>& buffers() const noexcept { return buffers_; }
  /// Null if there is none of that name.
  const InlineInput* input(std::string_view name) const;
  const InlineBuffer* buffer(std::string_view name) const;
  Array array_of(const InlineArgument& argument, const ArrayPlace& place) const;

 private:
  std::vector<InlineInput> inputs_;
  std::vector<InlineBuffer> buffers_;
};

/// An output with the default tolerance of its dtype.
OutputArray output_of(const std::string& name, const ArrayForm& form);
/// Null if there is none of that name.
const OutputArray* find_output(const std::vector<OutputArray>& outputs, std::string_view name);

}  // namespace kernelbatch
