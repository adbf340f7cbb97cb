// InlineProblem: the kernels of one case of `workload: inline`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/inline/variant.hpp"

namespace kernelbatch {

/// Arrays and variants of one case. Every method that adds something checks everything that is
/// known without running. Throws SpecError without a place.
class InlineProblem final : public Problem {
 public:
  explicit InlineProblem(InlineArrays arrays);
  ~InlineProblem() override;

  void add(const InlineVariantDefinition& variant);
  /// Call after adding all variants: throws SpecError for a declared output that no variant uses.
  void require_outputs_used() const;
  /// Call after adding all variants. Outputs are compared with the reference's of the same name. A
  /// file has no names, and the single output of a fusion is always `out`: in these cases the only
  /// output is compared with the only one of the reference. Single outputs with two different names
  /// are refused; other outputs are stored unverified.
  void set_reference(InlineReference reference);

  /// The work of a variant by name, including `reference`.
  Work prepare(std::string_view variant, Run& run) const;

  std::vector<OutputArray> outputs() const override { return {}; }
  std::vector<OutputArray> outputs_of(std::string_view variant) const override;
  Cost cost() const override { return {}; }
  /// Each argument array is moved once.
  Cost cost_of(std::string_view variant) const override;
  bool reference_follows_inputs() const override {
    return reference_.kind != InlineReference::Kind::kValues;
  }
  /// The arrays in host memory, by name.
  std::vector<std::pair<std::string, Array>> input_arrays() const;

 private:
  const FittedVariant& variant(std::string_view name) const;
  Work copy_values(Run& run) const;

  InlineArrays arrays_;
  std::vector<FittedVariant> variants_;
  InlineReference reference_;
  std::vector<OutputArray> reference_outputs_;
};

}  // namespace kernelbatch
