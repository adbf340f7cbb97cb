#include "core/inline/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/inline/arguments.hpp"

namespace kernelbatch {
namespace {

/// Default tolerance: a few roundings of elementwise work, or of a short sum.
Tolerance default_tolerance(DType dtype) {
  Tolerance tolerance;
  if (!is_floating(dtype)) {
    tolerance.mode = CompareMode::kExact;
    tolerance.reason = "integers are exact";
    return tolerance;
  }
  tolerance.rtol = 64 * unit_roundoff(dtype);
  tolerance.atol = tolerance.rtol * 1e-3;
  tolerance.reason = "64 roundings of the dtype; set verify.tolerance for more";
  return tolerance;
}

}  // namespace

ArrayPlace::~ArrayPlace() = default;

InlineArrays::InlineArrays(std::vector<InlineInput> inputs, std::vector<InlineBuffer> buffers)
    : inputs_(std::move(inputs)), buffers_(std::move(buffers)) {
  for (const InlineBuffer& each : buffers_) {
    if (input(each.name) != nullptr)
      throw SpecError(fmt::format("'{}' is both an input and an output", each.name));
    if (each.of.empty()) continue;
    const InlineBuffer* base = buffer(each.of);
    if (base == nullptr || !base->of.empty())
      throw SpecError(fmt::format("output '{}' is a view of '{}', which is no output with memory",
                                  each.name, each.of));
    view_of(form_only(base->form), each.steps);
  }
}

InlineArrays InlineArrays::with(const std::vector<InlineBuffer>& scratch) const {
  InlineArrays all = *this;
  for (const InlineBuffer& each : scratch) {
    if (all.input(each.name) != nullptr || all.buffer(each.name) != nullptr)
      throw SpecError(fmt::format("scratch array '{}' has the name of another array", each.name));
    all.buffers_.push_back(each);
  }
  return all;
}

const InlineInput* InlineArrays::input(std::string_view name) const {
  const auto found = std::ranges::find(inputs_, name, &InlineInput::name);
  return found == inputs_.end() ? nullptr : &*found;
}

const InlineBuffer* InlineArrays::buffer(std::string_view name) const {
  const auto found = std::ranges::find(buffers_, name, &InlineBuffer::name);
  return found == buffers_.end() ? nullptr : &*found;
}

Array InlineArrays::array_of(const InlineArgument& argument, const ArrayPlace& place) const {
  if (const InlineInput* given = input(argument.array))
    return view_of(place.input(*given), argument.steps);
  if (const InlineBuffer* view = buffer(argument.array); view != nullptr && !view->of.empty())
    return view_of(view_of(place.output(view->of), view->steps), argument.steps);
  return view_of(place.output(argument.array), argument.steps);
}

OutputArray output_of(const std::string& name, const ArrayForm& form) {
  OutputArray output;
  output.name = name;
  output.dtype = form.dtype;
  output.shape = form.shape;
  output.tolerance = default_tolerance(form.dtype);
  return output;
}

const OutputArray* find_output(const std::vector<OutputArray>& outputs, std::string_view name) {
  const auto found = std::ranges::find(outputs, name, &OutputArray::name);
  return found == outputs.end() ? nullptr : &*found;
}

}  // namespace kernelbatch
