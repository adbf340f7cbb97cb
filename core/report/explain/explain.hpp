// Explains the time of each result in one sentence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/explain/bottleneck.hpp"
#include "core/report/explain/gap.hpp"
#include "core/report/text_table.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// A correct variant and its bottleneck.
struct ExplainedResult {
  const ResultRecord* record = nullptr;  ///< of the file that was given
  explain::Facts facts;
  explain::Diagnosis diagnosis;
  /// "memory bandwidth: it moves …"
  std::string sentence() const;
};

/// A variant that is slower than another of its case, and why.
struct ExplainedPair {
  const ResultRecord* slow = nullptr;
  const ResultRecord* fast = nullptr;
  explain::Gap gap;
  std::string sentence() const;
};

struct ExplainedCase {
  std::vector<ExplainedResult> results;  ///< in the file's order
  std::vector<ExplainedPair> pairs;
};

/// Explains the cases of `file`, which must outlive the returned objects. Each correct variant is
/// compared with the fastest of its case and device. If two names are given, only these two are
/// compared. References are left out.
std::vector<ExplainedCase> explain_results(const ResultFile& file, std::string_view a = {},
                                           std::string_view b = {});

/// The same as text, followed by the reason why counters are missing.
std::string explain_text(const std::vector<ExplainedCase>& cases, const TextFormat& format = {});
/// A JSON array with an object per result: case_id, workload, params, variant, time, class,
/// sentence, has_counters, quantities, and slower_than (variant, ratio, sentence and shares).
std::string explain_json(const std::vector<ExplainedCase>& cases);

/// All counters, static facts and twins of each result.
std::string counters_table(const std::vector<ResultRecord>& results, const TextFormat& format = {});

}  // namespace kernelbatch
