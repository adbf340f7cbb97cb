// Guesses a bottleneck from the compiled kernel's instructions when nothing was counted.
#pragma once

#include <optional>

#include "core/report/explain/bottleneck.hpp"

namespace kernelbatch::explain {

/// A kernel without loops executes no more than its instructions. If these take a small part of its
/// time, memory takes the rest.
std::optional<Diagnosis> few_instructions(const Facts& f);

/// If no ceiling accounts for the time, guesses from the cycles of the compiled instructions. The
/// sentence states that it is a guess.
std::optional<Diagnosis> by_instructions(const Facts& f);

}  // namespace kernelbatch::explain
