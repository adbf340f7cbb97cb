// Results as one self-contained HTML page.
#pragma once

#include <span>
#include <string>

#include "core/report/compare.hpp"
#include "core/report/history/history.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

struct ReportOptions {
  std::string title;                          ///< empty: the names of the jobs
  std::string source;                         ///< program and version, for the page's foot
  const ComparedResults* compared = nullptr;  ///< the second file against the first
};

/// Sections: warnings, failures, times, speed-ups, summary, tuning, roofline, scaling, samples,
/// launches, all results, checks, job, environment. The page contains data; its script renders
/// tables and charts. Files need their samples. The size is bounded: with many results, fewer
/// quantiles of the samples are kept; of many launches, the first.
std::string to_html(std::span<const ResultFile> files, const ReportOptions& options = {});

/// Series over time: charts with their changes, and a table of all series. Of many series, those
/// that changed last are kept, up to 100,000 runs.
std::string history_html(const History& history, const std::vector<AnalysedSeries>& analysed,
                         const std::string& title, const std::string& source);

}  // namespace kernelbatch
