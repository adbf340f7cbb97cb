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
  kImage,  ///< compiled code of another tool
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
      {.value = VariantKind::kReference, .name = "reference", .compiles_ahead = false},
      {.value = VariantKind::kElementwise,
       .name = "elementwise",
       .is_generated = true,
       .has_loads_twin = true,
       .may_stage = true},
      {.value = VariantKind::kReduction,
       .name = "reduction",
       .is_generated = true,
       .may_stage = true},
      {.value = VariantKind::kJit, .name = "jit"},
      {.value = VariantKind::kRaw, .name = "raw"},
      {.value = VariantKind::kFused,
       .name = "fused",
       .is_generated = true,
       .has_loads_twin = true,
       .may_stage = true},
      {.value = VariantKind::kUnfused, .name = "unfused"},
      {.value = VariantKind::kLibrary, .name = "library", .compiles_ahead = false},
      {.value = VariantKind::kImage, .name = "image"}};
};

constexpr const VariantTraits& traits_of(VariantKind kind) noexcept {
  return Names<VariantKind>::rows[static_cast<std::size_t>(kind)];
}

}  // namespace kernelbatch
