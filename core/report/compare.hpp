// A against B, result by result: which became faster, which slower, and what cannot be said.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/base/choice.hpp"
#include "core/report/text_table.hpp"
#include "core/report/verdict.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

struct CompareOptions {
  double gap = 0.005;  ///< smallest relative difference that counts, at most kWidestGap
  bool allows_different_devices = false;
  /// Only what both sides hold, however it ended.
  bool is_common = false;
  /// References too, which run on the CPU whatever the device, and are no one's kernels.
  bool includes_references = false;
  /// Both empty: the same variants of A and B. Else `variant_a` of A against `variant_b` of B.
  std::string variant_a{}, variant_b{};
};

/// What became of a result that has nothing to be compared with.
enum class Loss : std::uint8_t {
  kNone,    ///< it is right and timed in B, or was not run in A either
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
  /// Of the Mann–Whitney test: on the samples of one run a side, else on the runs' medians. Beside
  /// the p-value of the test that decides, Judgement::p.
  double rank_p = kMissing;
  Loss loss = Loss::kNone;
  bool is_one_set_a = false, is_one_set_b = false;  ///< a run was verified on one set of inputs
  std::string note;  ///< why it is missing or unsure; what else than the time differs
};

/// Something of the surroundings that A and B do not have alike.
struct EnvironmentDifference {
  std::string name, a, b;  ///< several values of a side are separated by commas
};

struct ComparedResults {
  /// The worst first: slower, missing, unsure, faster, same; of these in A's plan order.
  std::vector<ComparedPair> pairs;
  std::int64_t counts[kVerdictCount] = {};
  std::int64_t losses[kLossCount] = {};
  std::int64_t references = 0;       ///< left out
  std::int64_t one_sided = 0;        ///< left out, because only one side has them
  double geometric_mean = kMissing;  ///< of the ratios
  std::vector<EnvironmentDifference> environment;

  std::int64_t count(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
  std::int64_t count(Loss loss) const { return losses[static_cast<std::size_t>(loss)]; }
};

/// Results of the two sides are one pair if their case's id and variant are equal; those that then
/// are left over, if workload, parameters and variant are: an input, the workload's version or the
/// way in which ids are made has changed, and a note says which.
///
/// Each side one file or several, of as many runs of the same job; all with their samples. A result
/// that a side has in some of its runs only is missing there. Throws SpecError when the sides have
/// no result in common, or none but references that are left out, or when a result ran on different
/// devices and that was not allowed.
ComparedResults compare_results(std::span<const ResultFile> a, std::span<const ResultFile> b,
                                const CompareOptions& options = {});

/// A row per pair, the counts and the geometric mean. `most_same` limits the rows that say SAME.
std::string compared_table(const ComparedResults& compared, const TextFormat& format,
                           std::size_t most_same = std::numeric_limits<std::size_t>::max());
/// The counts in one line, then a line for each that became slower or faster, `most` of them.
std::string changes_text(const ComparedResults& compared, std::size_t most);
std::string to_json(const ComparedResults& compared);

/// How a comparison is printed.
enum class CompareFormat : std::uint8_t {
  kText,
  kMarkdown,  ///< a table for an issue or a pull request
  kJson,
  kJunit,   ///< a test case for each pair: SLOWER, missing, wrong and failed are failures
  kGithub,  ///< commands of GitHub's workflows: an annotation for each that is not the same
};
std::string compared_markdown(const ComparedResults& compared);
std::string compared_junit(const ComparedResults& compared);
std::string compared_github(const ComparedResults& compared);

/// Parameters that all pairs have alike, as text; and of one pair, those that they have not.
struct SharedParameters {
  explicit SharedParameters(const std::vector<ComparedPair>& pairs);
  std::string title() const;
  std::string others(const NamedValues& params) const;

 private:
  NamedValues shared_;
};

template <>
struct Names<CompareFormat> {
  static constexpr Named<CompareFormat> rows[] = {{CompareFormat::kText, "text"},
                                                  {CompareFormat::kMarkdown, "markdown"},
                                                  {CompareFormat::kJson, "json"},
                                                  {CompareFormat::kJunit, "junit"},
                                                  {CompareFormat::kGithub, "github"}};
};

}  // namespace kernelbatch
