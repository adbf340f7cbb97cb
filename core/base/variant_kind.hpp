// The styles in which a variant's kernels are written.
#pragma once

#include <cstdint>

#include "core/base/choice.hpp"

namespace kernelbatch {

/// `describe` and the results name them.
enum class VariantKind : std::uint8_t {
  kReference,  ///< plain C++ on the CPU
  kElementwise,
  kReduction,
  kJit,
  kRaw,
  kFused,
  kUnfused,
  kLibrary,
};

template <>
struct Names<VariantKind> {
  static constexpr Named<VariantKind> rows[] = {{VariantKind::kReference, "reference"},
                                                {VariantKind::kElementwise, "elementwise"},
                                                {VariantKind::kReduction, "reduction"},
                                                {VariantKind::kJit, "jit"},
                                                {VariantKind::kRaw, "raw"},
                                                {VariantKind::kFused, "fused"},
                                                {VariantKind::kUnfused, "unfused"},
                                                {VariantKind::kLibrary, "library"}};
};

}  // namespace kernelbatch
