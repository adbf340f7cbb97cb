// Output of the gate as a table, JSON, JUnit XML, and GitHub workflow commands.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.hpp"
#include "core/report/ci_text.hpp"
#include "core/report/history/gate.hpp"
#include "core/report/history/series_words.hpp"
#include "core/result/json.hpp"

namespace kernelbatch {
namespace {

bool shuts_gate(const GateRow& row) {
  return row.judgement.verdict == GateVerdict::kSlower ||
         row.judgement.verdict == GateVerdict::kWrong;
}

TextStyle gate_style(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::kSlower:
    case GateVerdict::kWrong:
      return TextStyle::kBad;
    case GateVerdict::kGone:
    case GateVerdict::kUnsure:
      return TextStyle::kWarning;
    case GateVerdict::kFaster:
      return TextStyle::kGood;
    default:
      return TextStyle::kPlain;
  }
}

std::string time_or_nothing(double seconds) {
  return std::isnan(seconds) ? "" : format_seconds(seconds);
}

std::string interval_of_ratio(const GateJudgement& judgement) {
  if (std::isnan(judgement.low)) return "";
  return fmt::format("{} … {}", history::change_text(judgement.low),
                     history::change_text(judgement.high));
}

/// "1.23 ms → 1.30 ms (+5.69 %, 99 % +5.01 % … +6.40 %); 3 runs"
std::string gate_sentence(const GateRow& row) {
  const GateJudgement& judgement = row.judgement;
  std::vector<std::string> parts;
  if (!std::isnan(judgement.ratio)) {
    const std::string interval = interval_of_ratio(judgement);
    parts.push_back(fmt::format(
        "{} → {} ({}{}), {}", format_seconds(judgement.before), format_seconds(row.now),
        history::change_text(judgement.ratio), interval.empty() ? "" : ", 99 % " + interval,
        plural(static_cast<std::uint64_t>(row.baseline_runs), "baseline run")));
  }
  if (!judgement.note.empty()) parts.push_back(judgement.note);
  return visible_line(join(parts, "; "));
}

std::string gate_counts(const GateResult& result) {
  std::string text;
  for (const auto& row : Names<GateVerdict>::rows)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", result.count(row.value), row.name);
  return text;
}

std::string run_in_words(const History& history, const NewestRun& run) {
  std::string text =
      fmt::format("{} ({}", history.files[run.file].string(), minute_text(run.start_ns));
  if (!run.commit.empty()) text += ", commit " + history::short_commit(run.commit);
  if (!run.branch.empty()) text += " of " + run.branch;
  return visible_line(text + ")");
}

nlohmann::ordered_json gate_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

}  // namespace

std::string gate_table(const History& history, const GateResult& result, const TextFormat& format,
                       std::size_t most_same) {
  std::vector<const HistorySeries*> all;
  for (const GateRow& row : result.rows) all.push_back(row.series);
  const history::SharedByAll shared(all);
  TextTable table({"verdict", "before", "now", "ratio", "99 %", "variant", "workload", "parameters",
                   "device", "runs", "note"});
  std::size_t same = 0;
  for (const GateRow& row : result.rows) {
    const GateJudgement& judgement = row.judgement;
    if (judgement.verdict == GateVerdict::kSame && ++same > most_same) continue;
    table.add({std::string(name_of(judgement.verdict)), time_or_nothing(judgement.before),
               time_or_nothing(row.now),
               std::isnan(judgement.ratio) ? "" : history::change_text(judgement.ratio),
               interval_of_ratio(judgement), row.series->variant, row.series->workload,
               shared.others(*row.series), shared.device(*row.series),
               row.baseline_runs > 0 ? std::to_string(row.baseline_runs) : "", judgement.note},
              {gate_style(judgement.verdict)});
  }
  for (const std::size_t column : {3u, 4u, 7u, 8u, 9u, 10u}) table.drop_when_empty(column);
  table.drop_when_narrow({9, 8, 6, 1, 2});
  table.wrap({10, 7, 5});
  std::string text;
  for (const NewestRun& run : result.runs)
    text += fmt::format("Newest: {}\n", run_in_words(history, run));
  if (const std::string title = shared.title(); !title.empty())
    text += fmt::format("All: {}\n", visible_line(title));
  text += table.to_text({1, 2, 3, 4, 9}, format);
  if (same > most_same)
    text += fmt::format("and {} more that are the same (--all shows them)\n", same - most_same);
  return text + "\n" + gate_counts(result) + "\n";
}

std::string gate_json(const History& history, const GateResult& result) {
  nlohmann::ordered_json json{{"level", kGateLevel}};
  for (const auto& row : Names<GateVerdict>::rows)
    json["counts"][std::string(row.name)] = result.count(row.value);
  json["problems"] = history.problems;
  json["runs"] = nlohmann::ordered_json::array();
  for (const NewestRun& run : result.runs)
    json["runs"].push_back({{"file", history.files[run.file].string()},
                            {"start_ns", run.start_ns},
                            {"job", run.job},
                            {"device", run.device},
                            {"commit", run.commit},
                            {"branch", run.branch}});
  json["series"] = nlohmann::ordered_json::array();
  for (const GateRow& row : result.rows)
    json["series"].push_back(
        {{"verdict", name_of(row.judgement.verdict)},
         {"workload", row.series->workload},
         {"params", nlohmann::ordered_json::parse(to_json(row.series->params))},
         {"ordinal", row.series->ordinal},
         {"variant", row.series->variant},
         {"device", row.series->device},
         {"before", gate_number(row.judgement.before)},
         {"now", gate_number(row.now)},
         {"ratio", gate_number(row.judgement.ratio)},
         {"ratio_low", gate_number(row.judgement.low)},
         {"ratio_high", gate_number(row.judgement.high)},
         {"baseline_runs", row.baseline_runs},
         {"run", row.run},
         {"one_set", row.is_one_set},
         {"note", row.judgement.note}});
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string gate_github(const GateResult& result) {
  std::string text;
  for (const GateRow& row : result.rows) {
    const GateVerdict verdict = row.judgement.verdict;
    if (verdict == GateVerdict::kSame) continue;
    const bool is_news = verdict == GateVerdict::kFaster || verdict == GateVerdict::kNew;
    const std::string title =
        fmt::format("{}: {}", name_of(verdict), history::whole_name(*row.series));
    text += fmt::format("::{} title={}::{}\n",
                        shuts_gate(row) ? "error"
                        : is_news       ? "notice"
                                        : "warning",
                        workflow_text(visible_line(title), true),
                        workflow_text(gate_sentence(row), false));
  }
  return text + fmt::format("::notice title=kernelbatch gate::{}\n",
                            workflow_text(gate_counts(result), false));
}

std::string gate_junit(const GateResult& result) {
  std::size_t failures = 0, skipped = 0;
  std::string cases;
  for (const GateRow& row : result.rows) {
    const HistorySeries& series = *row.series;
    const GateVerdict verdict = row.judgement.verdict;
    const std::string message = xml_text(gate_sentence(row));
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9g}\">",
                         xml_text(visible_line(fmt::format("{} {} on {}", series.workload,
                                                           to_text(series.params), series.device))),
                         xml_text(visible_line(series.variant)), std::isnan(row.now) ? 0 : row.now);
    if (shuts_gate(row)) {
      ++failures;
      cases += fmt::format("<failure type=\"{}\" message=\"{}\"/>", name_of(verdict), message);
    } else if (verdict == GateVerdict::kUnsure || verdict == GateVerdict::kGone) {
      ++skipped;
      cases += fmt::format("<skipped message=\"{}: {}\"/>", name_of(verdict), message);
    } else {
      cases += fmt::format("<system-out>{}: {}</system-out>", name_of(verdict), message);
    }
    cases += "</testcase>\n";
  }
  return junit_suite("kernelbatch gate", result.rows.size(), failures, skipped, cases);
}

}  // namespace kernelbatch
