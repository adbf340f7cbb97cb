// Bottleneck of a variant, and the evidence for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/choice.hpp"
#include "core/report/explain/facts.hpp"

namespace kernelbatch::explain {

enum class Bottleneck : std::uint8_t {
  kMemory,
  kCache,
  kCompute,
  kLatency,
  kLaunch,
  kImbalance,
  kAtomics,
  kSpills,
  kDivergence,
  kUnknown  ///< no known quantity accounts for its time
};

}  // namespace kernelbatch::explain

namespace kernelbatch {
template <>
struct Names<explain::Bottleneck> {
  static constexpr Named<explain::Bottleneck> rows[] = {
      {explain::Bottleneck::kMemory, "memory bandwidth"},
      {explain::Bottleneck::kCache, "L2 or shared bandwidth"},
      {explain::Bottleneck::kCompute, "compute"},
      {explain::Bottleneck::kLatency, "latency"},
      {explain::Bottleneck::kLaunch, "launch or host bound"},
      {explain::Bottleneck::kImbalance, "tail or imbalance"},
      {explain::Bottleneck::kAtomics, "atomics or contention"},
      {explain::Bottleneck::kSpills, "spills"},
      {explain::Bottleneck::kDivergence, "divergence"},
      {explain::Bottleneck::kUnknown, "unknown"}};
};
}  // namespace kernelbatch

namespace kernelbatch::explain {

/// A bottleneck with its evidence: the measured quantity and its ceiling from the same run.
struct Diagnosis {
  Bottleneck bottleneck = Bottleneck::kUnknown;
  std::string evidence;  ///< "it moves 3.04 GB of DRAM at 91 % of the 3.28 TB/s of a copy"
};

/// Applies rules in a fixed order; the first that matches decides. Shares are relative to this
/// run's own ceilings. Without counters, rules use declared bytes, the compiled kernel and timed
/// twins, and are less certain.
Diagnosis diagnose(const Facts& facts);

}  // namespace kernelbatch::explain
