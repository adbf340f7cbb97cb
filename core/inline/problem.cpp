#include "core/inline/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {

InlineProblem::InlineProblem(InlineArrays arrays) : arrays_(std::move(arrays)) {}

InlineProblem::~InlineProblem() = default;

void InlineProblem::add(const InlineVariantDefinition& definition) {
  variants_.push_back(fit_variant(definition, arrays_));
}

const FittedVariant& InlineProblem::variant(std::string_view name) const {
  const auto found = std::ranges::find(variants_, name, &FittedVariant::name);
  if (found == variants_.end())
    throw std::logic_error(fmt::format("there is no variant '{}'", name));
  return *found;
}

void InlineProblem::require_outputs_used() const {
  for (const InlineBuffer& each : arrays_.buffers()) {
    const std::string& whole = each.of.empty() ? each.name : each.of;
    const bool is_used = std::ranges::any_of(variants_, [&](const FittedVariant& variant) {
      return find_output(variant.outputs, whole) != nullptr;
    });
    if (!is_used) throw SpecError(fmt::format("no variant uses the output '{}'", each.name));
  }
}

void InlineProblem::set_reference(InlineReference reference) {
  reference_ = std::move(reference);
  switch (reference_.kind) {
    case InlineReference::Kind::kNone:
      break;
    case InlineReference::Kind::kValues:
      for (const auto& [name, array] : reference_.values)
        reference_outputs_.push_back(output_of(name, {array.dtype(), array.shape()}));
      break;
    case InlineReference::Kind::kVariant:
      reference_outputs_ = variant(reference_.variant).outputs;
      break;
    case InlineReference::Kind::kCpp:
      // Every output of any variant that its text names.
      for (const FittedVariant& each : variants_)
        for (const OutputArray& output : each.outputs)
          if (mentions(reference_.body, output.name) &&
              find_output(reference_outputs_, output.name) == nullptr)
            reference_outputs_.push_back(output);
      if (reference_outputs_.empty())
        throw SpecError("the C++ of 'reference' names none of the outputs");
      break;
  }
  // Name of a fusion's single output.
  constexpr std::string_view kUnnamed = "out";
  std::vector<std::string> unused;
  for (const OutputArray& output : reference_outputs_) unused.push_back(output.name);
  for (FittedVariant& each : variants_)
    for (OutputArray& output : each.outputs) {
      const OutputArray* same = find_output(reference_outputs_, output.name);
      if (same == nullptr && each.outputs.size() == 1 && reference_outputs_.size() == 1) {
        same = &reference_outputs_.front();
        if (!reference_.is_unnamed && output.name != kUnnamed && same->name != kUnnamed)
          throw SpecError(fmt::format(
              "output '{}' of variant '{}' is not '{}', which the reference gives: give them one "
              "name, or leave out 'reference'",
              output.name, each.name, same->name));
      }
      output.has_reference = same != nullptr;
      if (same == nullptr) continue;
      output.compared_with = same->name;
      std::erase(unused, same->name);
      if (!(same->shape == output.shape))
        throw SpecError(fmt::format("output '{}' of variant '{}' has shape {}, the reference {}",
                                    output.name, each.name, to_text(output.shape),
                                    to_text(same->shape)));
    }
  if (!unused.empty())
    throw SpecError(fmt::format("the reference gives '{}', which no variant computes", unused[0]));
}

std::vector<OutputArray> InlineProblem::outputs_of(std::string_view name) const {
  return name == "reference" ? reference_outputs_ : variant(name).outputs;
}

std::vector<std::pair<std::string, Array>> InlineProblem::input_arrays() const {
  std::vector<std::pair<std::string, Array>> arrays;
  for (const InlineInput& each : arrays_.inputs())
    if (!each.scalar) arrays.emplace_back(each.name, each.base);
  return arrays;
}

}  // namespace kernelbatch
