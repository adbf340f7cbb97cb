// Results as one HTML page that loads nothing from anywhere.
#pragma once

#include <span>
#include <string>

#include "core/report/compare.hpp"
#include "core/report/history/history.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

struct ReportOptions {
  std::string title;                          ///< empty: the jobs' names
  std::string source;                         ///< program and version, for the page's foot
  const ComparedResults* compared = nullptr;  ///< the second file against the first
};

/// Warnings, failures, times, speed-ups, summary, tuning, roofline, scaling, samples, launches, all
/// results, checks, job, environment: as data in the page, which its own script turns into tables
/// and charts. Files come with their samples. Sizes are bounded: of many results fewer quantiles of
/// the samples are kept, and of many launches the first.
std::string to_html(std::span<const ResultFile> files, const ReportOptions& options = {});

/// Series over time: charts with their changes, a table of all. Of many series those that changed
/// last, up to 100,000 runs.
std::string history_html(const History& history, const std::vector<AnalysedSeries>& analysed,
                         const std::string& title, const std::string& source);

}  // namespace kernelbatch
