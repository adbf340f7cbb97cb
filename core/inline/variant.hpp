// One variant of `workload: inline`, checked against the arrays of its case.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/inline/arrays.hpp"
#include "core/inline/kernel.hpp"

namespace kernelbatch {

/// A kernel with arguments that fit it.
struct FittedVariant {
  std::string name;
  std::unique_ptr<InlineKernel> kernel;
  std::vector<InlineArgument> arguments = {};  ///< all, including outputs
  std::vector<InlineTexture> textures = {};
  std::vector<InlineSurface> surfaces = {};
  std::vector<InlineGlobal> globals = {};
  std::vector<OutputArray> outputs = {};
  std::vector<TextPlace> texts = {};  ///< of the job
};

/// Checks everything that is known without running: names, types, shapes, numbers of arguments.
/// Infers outputs that the job does not declare. Throws SpecError without a place.
FittedVariant fit_variant(const InlineVariantDefinition& definition, const InlineArrays& arrays);

}  // namespace kernelbatch
