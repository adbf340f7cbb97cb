// What a compiled kernel's instructions say of where its time goes, when nothing was counted.
#pragma once

#include <optional>

#include "core/report/explain/bottleneck.hpp"

namespace kernelbatch::explain {

/// A kernel without loops runs no more than its instructions. Where these take a small part of its
/// time, memory takes the rest.
std::optional<Diagnosis> few_instructions(const Facts& f);

/// What the compiled kernel is made of says where the time of one that no ceiling accounts for may
/// be: a guess from cycles that its instructions take, and said to be one.
std::optional<Diagnosis> by_instructions(const Facts& f);

}  // namespace kernelbatch::explain
