// Results with what their time is due to, one sentence each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/explain/bottleneck.hpp"
#include "core/report/explain/gap.hpp"
#include "core/report/text_table.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// A variant that is right, and what it waits for.
struct ExplainedResult {
  const ResultRecord* record = nullptr;  ///< of the file that was given
  explain::Facts facts;
  explain::Diagnosis diagnosis;
  /// "memory bandwidth: it moves …"
  std::string sentence() const;
};

/// A variant that takes longer than another of its case, and why.
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

/// Cases of the file's results, which must outlive what is returned. Each variant that is right is
/// compared with the fastest of its case and device; with two names given, these two alone.
/// References are left out.
std::vector<ExplainedCase> explain_results(const ResultFile& file, std::string_view a = {},
                                           std::string_view b = {});

/// The same as text, and, below it, why there are no counters.
std::string explain_text(const std::vector<ExplainedCase>& cases, const TextFormat& format = {});
/// An array with an object for each result: case_id, workload, params, variant, time, class,
/// sentence, has_counters, quantities, and slower_than: the variant, ratio, sentence and shares.
std::string explain_json(const std::vector<ExplainedCase>& cases);

/// All counters, static facts and twins of each result.
std::string counters_table(const std::vector<ResultRecord>& results, const TextFormat& format = {});

}  // namespace kernelbatch
