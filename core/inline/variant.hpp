// One variant of `workload: inline`, checked against the arrays of its case.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/inline/arrays.hpp"
#include "core/inline/kernel.hpp"

namespace kernelbatch {

/// A kernel with arguments that fit it.
struct FittedStep {
  std::unique_ptr<InlineKernel> kernel;
  std::vector<InlineArgument> arguments = {};  ///< all, including outputs
  std::vector<InlineTexture> textures = {};
  std::vector<InlineSurface> surfaces = {};
  std::vector<InlineGlobal> globals = {};
  std::vector<InlineAddress> addresses = {};
  std::vector<TextPlace> texts = {};  ///< of the job
};

/// Kernels that are launched one after another.
struct FittedVariant {
  std::string name;
  InlineArrays arrays;  ///< of the case, and the variant's scratch arrays
  std::vector<FittedStep> steps = {};
  std::vector<OutputArray> outputs = {};
};

/// Checks everything that is known without running: names, types, shapes, numbers of arguments.
/// Infers outputs that the job does not declare. Throws SpecError, in
/// steps with their places.
FittedVariant fit_variant(const InlineVariantDefinition& definition, const InlineArrays& arrays);

}  // namespace kernelbatch
