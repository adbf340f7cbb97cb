// A against B, result by result: which became faster, which slower, and what cannot be said.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/report/text_table.hpp"
#include "core/report/verdict.hpp"
#include "core/store/reader.hpp"

namespace kernelbatch {

struct CompareOptions {
  double gap = 0.005;  ///< smallest relative difference that counts
  bool allows_different_devices = false;
  /// References too, which run on the CPU whatever the device, and are no one's kernels.
  bool includes_references = false;
  /// Both empty: the same variants of A and B. Else `variant_a` of A against `variant_b` of B.
  std::string variant_a{}, variant_b{};
};

/// One case and variant.
struct ComparedPair {
  std::string case_id, workload, variant, device_a, device_b;
  NamedValues params;
  std::int64_t runs_a = 0, runs_b = 0;  ///< that have a time
  Judgement judgement;
  /// Of the Mann–Whitney test: on the samples of one run a side, else on the runs' medians.
  double p = kMissing;
  std::string note;  ///< why it is missing or unsure
};

struct ComparedResults {
  std::vector<ComparedPair> pairs;  ///< the worst first: slower, missing, unsure, faster, same
  std::int64_t counts[kVerdictCount] = {};
  std::int64_t references = 0;       ///< left out
  double geometric_mean = kMissing;  ///< of the ratios

  std::int64_t count(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
};

/// Each side one file or several, of as many runs of the same job; all with their samples. Throws
/// SpecError when the sides have no result in common, or when a result ran on different devices and
/// that was not allowed.
ComparedResults compare_results(std::span<const ResultFile> a, std::span<const ResultFile> b,
                                const CompareOptions& options = {});

/// A row per pair, the counts and the geometric mean. `most_same` limits the rows that say SAME.
std::string compared_table(const ComparedResults& compared, const TextFormat& format,
                           std::size_t most_same = std::numeric_limits<std::size_t>::max());
std::string to_json(const ComparedResults& compared);

}  // namespace kernelbatch
