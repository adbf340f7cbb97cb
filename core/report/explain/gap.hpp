// Why one variant is slower than another: the parts of the difference in time.
#pragma once

#include <string>
#include <vector>

#include "core/report/explain/facts.hpp"

namespace kernelbatch::explain {

/// A part of the difference in time of two calls.
struct GapShare {
  std::string what;    ///< "it moves 1.9x the bytes of DRAM (3.04 GB, 1.60 GB must move)"
  double seconds = 0;  ///< by which this makes the slower call longer
  double share = 0;    ///< of the whole difference, 0 to 1
};

struct Gap {
  double ratio = kMissing;       ///< slower over faster
  double seconds = kMissing;     ///< between them
  std::vector<GapShare> shares;  ///< largest first
  double unexplained = 1;        ///< share
};

/// Sequential parts (launches, gaps between kernels, idle SMs) are added. Of concurrent parts
/// (memory, caches, arithmetic), each would take its whole time at its unit's ceiling, so only the
/// largest counts. No part, nor the sum, exceeds the difference.
Gap explain_gap(const Facts& slow, const Facts& fast);

/// "reduction is 2.1x slower than raw: it moves …, which explains 86 % of the gap; the rest is
/// unexplained"
std::string to_text(const Gap& gap, const std::string& slow, const std::string& fast);

}  // namespace kernelbatch::explain
