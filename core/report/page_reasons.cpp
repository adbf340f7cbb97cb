#include "core/report/page_reasons.hpp"

#include <fmt/format.h>

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

std::string index(std::size_t position) { return fmt::format("{}", position); }

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
  std::vector<std::string> values;
  for (const explain::Quantity& quantity : explain::quantities())
    values.push_back(json_number(quantity.of(result.facts)));
  // Operations of the matrix units are not counted.
  const bool uses_matrix_units = result.facts.instructions("matrix") > 0;
  reasons_.push_back(
      list_of({index(row),
               index(classes_.of(std::string(kernelbatch::name_of(result.diagnosis.bottleneck)))),
               json_text(result.diagnosis.evidence), result.facts.has_counters ? "true" : "false",
               uses_matrix_units ? "true" : "false", row_of(std::move(values))}));
  for (const Note& note : result.record->notes)
    if (note.about == NoteKind::kCounters && notes_.size() < kMostNotes) notes_.of(to_text(note));
}

void PageReasons::add_gap(const ExplainedPair& pair, std::size_t slow, std::size_t fast) {
  std::vector<std::string> shares;
  for (const explain::GapShare& share : pair.gap.shares)
    shares.push_back(
        list_of({json_text(share.what), json_number(share.seconds), json_number(share.share)}));
  gaps_.push_back(
      list_of({index(slow), index(fast), json_number(pair.gap.ratio), json_number(pair.gap.seconds),
               json_text(pair.sentence()), json_number(pair.gap.unexplained), list_of(shares)}));
}

std::string PageReasons::members() const {
  std::vector<std::string> quantities;
  for (const explain::Quantity& quantity : explain::quantities())
    quantities.push_back(
        list_of({json_text(std::string(quantity.name)), json_text(std::string(quantity.unit))}));
  return fmt::format(
      R"("has_evidence":{},"counter_notes":{},"classes":{},"quantities":{},)"
      R"("reason_columns":["result","class","evidence","counted","matrix","values"],"reasons":{},)"
      R"("gap_columns":["slow","fast","ratio","seconds","sentence","unexplained","shares"],)"
      R"("gaps":{},"cases_unexplained":{})",
      has_evidence_ ? "true" : "false", notes_.list(), classes_.list(), list_of(quantities),
      list_of(reasons_), list_of(gaps_), cases_left_out_);
}

}  // namespace kernelbatch
