// JudgedRow: one verdict about two times, whichever command judges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/choice.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Worst first.
enum class Verdict : std::uint8_t {
  kSlower,  ///< the whole interval of the ratio is above 1, and the ratio above 1 + gap
  kWrong,   ///< no correct result now, one before
  kAbsent,  ///< one side has no such result, or no correct one
  kGone,    ///< not in the newest run, but in one of the last runs before
  kUnsure,  ///< the data do not decide: too few samples or runs, or too much noise
  kNew,     ///< not there before, or never correct
  kFaster,  ///< the whole interval is below 1, and the ratio below 1/(1 + gap)
  kSame,    ///< the whole interval is within [1/(1 + gap), 1 + gap]
};
inline constexpr std::size_t kVerdictCount = 8;
template <>
struct Names<Verdict> {
  static constexpr Named<Verdict> rows[kVerdictCount] = {
      {Verdict::kSlower, "SLOWER"}, {Verdict::kWrong, "WRONG"},   {Verdict::kAbsent, "MISSING"},
      {Verdict::kGone, "GONE"},     {Verdict::kUnsure, "UNSURE"}, {Verdict::kNew, "NEW"},
      {Verdict::kFaster, "FASTER"}, {Verdict::kSame, "SAME"}};
};

struct JudgedRow {
  Verdict verdict = Verdict::kAbsent;
  double before = kMissing, now = kMissing;  ///< s: of A and of B, or of the baseline and the run
  /// Now over before, with its interval: above 1 is slower.
  double ratio = kMissing, ratio_low = kMissing, ratio_high = kMissing;
  std::string note = {};  ///< why it is unsure or missing; what else changed with the time
};

}  // namespace kernelbatch
