// Why one variant takes longer than another: what of the difference in time is accounted for.
#pragma once

#include <string>
#include <vector>

#include "core/report/explain/facts.hpp"

namespace kernelbatch::explain {

/// A part of the difference in time of two calls.
struct GapShare {
  std::string what;    ///< "it moves 1.9x the bytes of DRAM (3.04 GB, 1.60 GB must move)"
  double seconds = 0;  ///< that this makes the slower call longer
  double share = 0;    ///< of the whole difference, 0 to 1
};

struct Gap {
  double ratio = kMissing;       ///< slower over faster
  double seconds = kMissing;     ///< between them
  std::vector<GapShare> shares;  ///< the greatest first
  double unexplained = 1;        ///< share
};

/// Parts that come one after the other (launches, gaps between kernels, idle SMs) are added. Of
/// those that go on side by side (memory, caches, arithmetic) each would account for the whole time
/// that its unit takes at its ceiling: only the greatest counts. No part, nor the sum, is more than
/// the difference.
Gap explain_gap(const Facts& slow, const Facts& fast);

/// "reduction is 2.1x slower than raw: it moves …, which explains 86 % of the gap; the rest is
/// unexplained"
std::string to_text(const Gap& gap, const std::string& slow, const std::string& fast);

}  // namespace kernelbatch::explain
