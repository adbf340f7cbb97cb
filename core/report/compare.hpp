// Comparison of B with A, result by result: faster, slower, same or unsure.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/report/judged_report.hpp"
#include "core/report/text_table.hpp"
#include "core/report/verdict.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// In the order in which `compare` counts them.
inline constexpr Verdict kComparedVerdicts[] = {Verdict::kFaster, Verdict::kSlower, Verdict::kSame,
                                                Verdict::kUnsure, Verdict::kAbsent};

struct CompareOptions {
  double gap = 0.005;  ///< smallest relative difference that counts, at most kWidestGap
  bool allows_different_devices = false;
  /// Only results that both sides have, whatever their status.
  bool is_common = false;
  /// Include references, which run on the CPU on every device and are not kernels under test.
  bool includes_references = false;
  bool has_host_times = false;  ///< also judge times of the host device
  /// Both empty: the same variants of A and B. Else `variant_a` of A against `variant_b` of B.
  std::string variant_a{}, variant_b{};
};

/// Why a result has no counterpart to compare with.
enum class Loss : std::uint8_t {
  kNone,    ///< it is ok in B, or was not run in A either
  kAbsent,  ///< A has it, B does not
  kWrong,   ///< B's output is wrong
  kFailed,  ///< B crashed, timed out, did not compile, … or A has a time and B none
};
inline constexpr std::size_t kLossCount = 4;

/// One case and variant.
struct ComparedPair {
  std::string case_id, workload, variant, device_a, device_b;
  NamedValues params;
  std::int64_t runs_a = 0, runs_b = 0;  ///< that have a time
  Judgement judgement;
  /// p of the Mann-Whitney test, on the samples if each side is one run, else on the runs' medians.
  /// Shown in addition to Judgement::p, which decides.
  double rank_p = kMissing;
  Loss loss = Loss::kNone;
  bool is_one_set_a = false, is_one_set_b = false;  ///< a run was verified on one set of inputs
  bool is_not_compared = false;                     ///< because of the rule for host times
  std::string note;  ///< why it is missing or unsure; differences other than the time
};

/// A difference in the environments of A and B.
struct EnvironmentDifference {
  std::string name, a, b;  ///< values of a side, separated by commas
};

struct ComparedResults {
  /// Worst first: slower, missing, unsure, faster, same; equal verdicts in A's plan order.
  std::vector<ComparedPair> pairs;
  std::int64_t counts[kVerdictCount] = {};
  std::int64_t losses[kLossCount] = {};
  std::int64_t references = 0;       ///< left out
  std::int64_t one_sided = 0;        ///< left out, because only one side has them
  std::int64_t not_compared = 0;     ///< pairs of host times
  double geometric_mean = kMissing;  ///< of the ratios
  std::vector<EnvironmentDifference> environment;

  std::int64_t count(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
  std::int64_t count(Loss loss) const { return losses[static_cast<std::size_t>(loss)]; }
};

/// Results are paired by case ID and variant. The rest are paired by workload, parameters and
/// variant: an input, the workload's version or the ID scheme has changed, and a note names it.
///
/// Each side is one or several files of runs of the same job, with samples. A result that only some
/// runs of a side have is missing. Throws SpecError if the sides have no result in common other
/// than excluded references, or if a result ran on different devices and that was not allowed.
ComparedResults compare_results(std::span<const ResultFile> a, std::span<const ResultFile> b,
                                const CompareOptions& options = {});

/// The pairs as a table, Markdown, JSON, JUnit XML or GitHub workflow commands, with a line end.
/// `most_same` limits the number of SAME rows of the table. In a gate, SLOWER, missing, wrong and
/// failed results are failures.
std::string compared_text(const ComparedResults& compared, JudgedFormat format,
                          const TextFormat& layout = {},
                          std::size_t most_same = std::numeric_limits<std::size_t>::max());
/// The counts in one line, then at most `most` slower or faster results, one line each.
std::string changes_text(const ComparedResults& compared, std::size_t most);

}  // namespace kernelbatch
