// InlineProblem: the kernels of one case of `workload: inline`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/inline/kernel.hpp"

namespace kernelbatch {

/// Inputs, buffers and variants of one case. Every method that adds something checks everything
/// that is known without running: names, types, shapes, numbers of arguments. Throws SpecError
/// without a place.
class InlineProblem final : public Problem {
 public:
  InlineProblem(std::vector<InlineInput> inputs, std::vector<InlineBuffer> buffers);
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
  struct Variant {
    std::string name;
    std::unique_ptr<InlineKernel> kernel;
    std::vector<InlineArgument> arguments;  ///< all, including outputs
    std::vector<InlineTexture> textures;
    std::vector<InlineSurface> surfaces;
    std::vector<InlineGlobal> globals;
    std::vector<OutputArray> outputs;
    std::vector<TextPlace> texts;  ///< of the job
  };

  /// Where the arrays of the inputs and outputs are.
  struct Place {
    virtual ~Place() = default;
    virtual Array input(const InlineInput& given) const = 0;
    virtual Array output(const std::string& name) const = 0;
  };
  struct Forms;
  struct OnDevice;

  const InlineInput* input(std::string_view name) const;
  const InlineBuffer* buffer(std::string_view name) const;
  const Variant& variant(std::string_view name) const;
  OutputArray declared(const InlineBuffer& buffer) const;
  std::vector<InlineArgument> arguments_by_name(const std::vector<std::string>& names) const;
  void require_writable_outputs(const Variant& variant) const;
  void require_known(const std::string& name, const Variant& variant) const;
  void add_output(const std::string& name, Variant& variant) const;
  Array array_of(const InlineArgument& argument, const Place& place) const;
  Work copy_values(Run& run) const;

  std::vector<InlineInput> inputs_;
  std::vector<InlineBuffer> buffers_;
  std::vector<Variant> variants_;
  InlineReference reference_;
  std::vector<OutputArray> reference_outputs_;
};

}  // namespace kernelbatch
