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

/// One row per style: its name and its properties.
struct VariantTraits {
  VariantKind value;
  std::string_view name;
  bool is_generated = false;    ///< from a formula, so that a twin without arithmetic exists
  bool has_loads_twin = false;  ///< a twin without loads differs from it
  bool may_stage = false;       ///< processes arrays larger than the device's memory in chunks
  bool compiles_ahead = true;   ///< its kernels can be compiled without a device
};

template <>
struct Names<VariantKind> {
  static constexpr VariantTraits rows[] = {
      {VariantKind::kReference, "reference", false, false, false, false},
      {VariantKind::kElementwise, "elementwise", true, true, true},
      {VariantKind::kReduction, "reduction", true, false, true},
      {VariantKind::kJit, "jit"},
      {VariantKind::kRaw, "raw"},
      {VariantKind::kFused, "fused", true, true, true},
      {VariantKind::kUnfused, "unfused"},
      {VariantKind::kLibrary, "library", false, false, false, false}};
};

constexpr const VariantTraits& traits_of(VariantKind kind) noexcept {
  return Names<VariantKind>::rows[static_cast<std::size_t>(kind)];
}

}  // namespace kernelbatch
