// How an output is compared with its reference.
#pragma once

#include <cstdint>

#include "core/base/choice.hpp"

namespace kernelbatch {

enum class CompareMode : std::uint8_t {
  kExact,      ///< equal values; NaN equals NaN
  kUlp,        ///< at most `max_ulp` representable numbers apart
  kAllClose,   ///< |got − want| ≤ atol + rtol·|want|
  kReduction,  ///< |got − want| ≤ γ_n·Σ|terms|, γ_n = n·u / (1 − n·u); see Tolerance
};

template <>
struct Names<CompareMode> {
  static constexpr Named<CompareMode> rows[] = {{CompareMode::kExact, "exact"},
                                                {CompareMode::kUlp, "ulp"},
                                                {CompareMode::kAllClose, "allclose"},
                                                {CompareMode::kReduction, "reduction"}};
};

}  // namespace kernelbatch
