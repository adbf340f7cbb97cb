// Lots: the cases that a process claims at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelbatch {

/// Divides cases in descending cost into consecutive lots; returns the number of cases of each. A
/// lot costs about an eighth of the rest, so that the claims of large shares are few and the
/// last lots are single cases: devices of different speeds end at about the same time.
std::vector<std::size_t> lots_of(std::span<const double> costs);

}  // namespace kernelbatch
