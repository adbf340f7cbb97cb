// A against B, result by result: which became faster, which slower, and what cannot be said.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/report/text_table.hpp"
#include "core/store/reader.hpp"

namespace kernelbatch {

/// With the gap g, the largest of 0.5 % (CompareOptions::gap) and both files' noise floors:
enum class Verdict : std::uint8_t {
  kFaster,  ///< the medians' 95 % intervals are apart, and B's median is more than g below A's
  kSlower,  ///< the same, above
  kSame,    ///< the interval of the ratio B/A lies within [1/(1+g), 1+g]: no difference that counts
  kUnsure,  ///< neither: more samples, or a quieter machine, would tell
  kAbsent,  ///< one side has no such result, or none that is right
};
inline constexpr std::size_t kVerdictCount = 5;
std::string_view to_text(Verdict verdict) noexcept;

struct CompareOptions {
  double gap = 0.005;  ///< smallest relative difference that counts
  bool allows_different_devices = false;
  /// Both empty: the same variants of A and B. Else `variant_a` of A against `variant_b` of B.
  std::string variant_a{}, variant_b{};
};

/// One case and variant. Ratios are times of B over times of A: above 1, B is slower.
struct ComparedPair {
  std::string case_id, workload, variant, device_a, device_b;
  NamedValues params;
  Summary a, b;
  double ratio = kMissing, ratio_low = kMissing, ratio_high = kMissing;
  double gap = 0;
  double p = kMissing;  ///< of the Mann–Whitney test on the samples
  Verdict verdict = Verdict::kAbsent;
  std::string note;  ///< why it is missing or unsure
};

struct ComparedResults {
  std::vector<ComparedPair> pairs;  ///< the worst first: slower, missing, unsure, faster, same
  std::int64_t counts[kVerdictCount] = {};
  double geometric_mean = kMissing;  ///< of the ratios

  std::int64_t count(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
};

/// Both with their samples. Throws SpecError when they have no result in common, or when a pair ran
/// on different devices and that was not allowed.
ComparedResults compare_results(const ResultFile& a, const ResultFile& b,
                                const CompareOptions& options = {});

/// The verdict of two summaries of times, as above; kUnsure for fewer than 6 samples.
Verdict verdict_of(const Summary& a, const Summary& b, double gap);

/// A row per pair, the counts and the geometric mean. `most_same` limits the rows that say SAME.
std::string compared_table(const ComparedResults& compared, const TextFormat& format,
                           std::size_t most_same = std::numeric_limits<std::size_t>::max());
std::string to_json(const ComparedResults& compared);

}  // namespace kernelbatch
