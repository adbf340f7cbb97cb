#include "core/report/page/data/page_reasons.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace kernelbatch {
namespace {

constexpr std::size_t kMostReasons = 2'000, kMostNotes = 5;

/// Number of results in the leading whole cases, up to `most`.
std::size_t end_of_cases(const std::vector<ResultRecord>& results, std::size_t most) {
  if (most == 0) return 0;
  std::size_t end = std::min(most, results.size());
  while (end < results.size() && results[end].case_id == results[end - 1].case_id) ++end;
  return end;
}

std::size_t count_cases(std::span<const ResultRecord> results) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < results.size(); ++k)
    if (k == 0 || results[k].case_id != results[k - 1].case_id) ++count;
  return count;
}

/// The first `count` results only, with the data needed to explain them.
ResultFile beginning_of(const ResultFile& file, std::size_t count) {
  ResultFile part{.path = file.path};
  part.calibration = file.calibration;
  part.results.assign(file.results.begin(),
                      file.results.begin() + static_cast<std::ptrdiff_t>(count));
  return part;
}

}  // namespace

void PageReasons::add(const ResultFile& file, std::size_t first) {
  has_evidence_ = has_evidence_ || std::ranges::any_of(file.results, [](const ResultRecord& each) {
                    return !each.counters.empty();
                  });
  const std::size_t left = kMostReasons - std::min(kMostReasons, reasons_.size());
  const std::size_t end = end_of_cases(file.results, left);
  cases_left_out_ += count_cases(std::span(file.results).subspan(end));
  if (end == 0) return;
  std::optional<ResultFile> part;
  if (end < file.results.size()) part = beginning_of(file, end);
  const ResultFile& shown = part ? *part : file;
  const auto row_of_record = [&](const ResultRecord* record) {
    return first + static_cast<std::size_t>(record - shown.results.data());
  };
  for (const ExplainedCase& each : explain_results(shown)) {
    for (const ExplainedResult& result : each.results)
      add_result(result, row_of_record(result.record));
    for (const ExplainedPair& pair : each.pairs)
      add_gap(pair, row_of_record(pair.slow), row_of_record(pair.fast));
  }
}

void PageReasons::add_result(const ExplainedResult& result, std::size_t row) {
  PageJson::array_t values;
  for (const explain::Quantity& quantity : explain::quantities())
    values.push_back(page_number(quantity.of(result.facts)));
  // Operations of the matrix units are not counted.
  const bool uses_matrix_units = result.facts.instructions("matrix") > 0;
  reasons_.push_back({row,
                      classes_.of(std::string(kernelbatch::name_of(result.diagnosis.bottleneck))),
                      result.diagnosis.evidence, result.facts.has_counters, uses_matrix_units,
                      page_row(std::move(values))});
  for (const Note& note : result.record->notes)
    if (note.about == NoteKind::kCounters && notes_.size() < kMostNotes) notes_.of(to_text(note));
}

void PageReasons::add_gap(const ExplainedPair& pair, std::size_t slow, std::size_t fast) {
  PageJson shares = PageJson::array();
  for (const explain::GapShare& share : pair.gap.shares)
    shares.push_back({share.what, page_number(share.seconds), page_number(share.share)});
  gaps_.push_back({slow, fast, page_number(pair.gap.ratio), page_number(pair.gap.seconds),
                   pair.sentence(), page_number(pair.gap.unexplained), std::move(shares)});
}

void PageReasons::write(PageJson& page) const {
  PageJson quantities = PageJson::array();
  for (const explain::Quantity& quantity : explain::quantities())
    quantities.push_back(PageJson::array({quantity.name, quantity.unit}));
  page["has_evidence"] = has_evidence_;
  page["counter_notes"] = notes_.list();
  page["classes"] = classes_.list();
  page["quantities"] = std::move(quantities);
  page["reason_columns"] = {"result", "class", "evidence", "counted", "matrix", "values"};
  page["reasons"] = reasons_;
  page["gap_columns"] = {"slow", "fast", "ratio", "seconds", "sentence", "unexplained", "shares"};
  page["gaps"] = gaps_;
  page["cases_unexplained"] = cases_left_out_;
}

}  // namespace kernelbatch
