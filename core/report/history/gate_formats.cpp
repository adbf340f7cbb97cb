// Output of the gate.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.hpp"
#include "core/report/history/gate.hpp"
#include "core/report/history/series_words.hpp"
#include "core/report/host_times.hpp"
#include "core/report/judged_json.hpp"
#include "core/result/json.hpp"

namespace kernelbatch {
namespace {

std::string run_in_words(const History& history, const NewestRun& run) {
  std::string text =
      fmt::format("{} ({}", history.files[run.file].string(), minute_text(run.start_ns));
  if (!run.commit.empty()) text += ", commit " + history::short_commit(run.commit);
  if (!run.branch.empty()) text += " of " + run.branch;
  return visible_line(text + ")");
}

JudgedLine line_of(const GateRow& row, const history::SharedByAll& shared) {
  const HistorySeries& series = *row.series;
  const std::string runs = row.baseline_runs > 0 ? std::to_string(row.baseline_runs) : "";
  return {
      .row = row.judgement,
      .fails =
          row.judgement.verdict == Verdict::kSlower || row.judgement.verdict == Verdict::kWrong,
      .workload = series.workload,
      .variant = series.variant,
      .parameters = shared.others(series),
      .suite = fmt::format("{} {} on {}", series.workload, to_text(series.params), series.device),
      .name = history::whole_name(series),
      .evidence = plural(static_cast<std::uint64_t>(row.baseline_runs), "baseline run"),
      .cells = {shared.device(series), runs, row.judgement.note}};
}

JudgedReport report_of(const History& history, const GateResult& result) {
  JudgedReport report{.command = "kernelbatch gate",
                      .layout = {.header = {"verdict", "before", "now", "ratio", "99 %", "variant",
                                            "workload", "parameters", "device", "runs", "note"},
                                 .right = {1, 2, 3, 4, 9},
                                 .omitted_if_empty = {3, 4, 7, 8, 9, 10},
                                 .dropped = {9, 4, 1, 2},
                                 .wrapped = {10, 8, 7, 6, 5}},
                      .intro = {},
                      .shared = {},
                      .counts = join_nonempty({counts_text(kGateVerdicts, result.counts),
                                               not_compared_text(result.not_compared)},
                                              "; "),
                      .more = {},
                      .lines = {}};
  for (const NewestRun& run : result.runs)
    report.intro += fmt::format("Newest: {}\n", run_in_words(history, run));
  std::vector<const HistorySeries*> all;
  for (const GateRow& row : result.rows) all.push_back(row.series);
  const history::SharedByAll shared(all);
  report.shared = shared.title();
  for (const GateRow& row : result.rows) report.lines.push_back(line_of(row, shared));
  return report;
}

JudgedJson json_of(const GateRow& row) {
  JudgedJson json{{"verdict", name_of(row.judgement.verdict)},
                  {"workload", row.series->workload},
                  {"params", JudgedJson::parse(to_json(row.series->params))},
                  {"ordinal", row.series->ordinal},
                  {"variant", row.series->variant},
                  {"device", row.series->device}};
  add_times(json, row.judgement, "before", "now");
  json.update({{"baseline_runs", row.baseline_runs},
               {"run", row.run},
               {"one_set", row.is_one_set},
               {"note", row.judgement.note}});
  return json;
}

std::string gate_json(const History& history, const GateResult& result) {
  JudgedJson json{{"level", kGateLevel},
                  {"counts", counts_json(kGateVerdicts, result.counts)},
                  {"not_compared", result.not_compared},
                  {"problems", history.problems},
                  {"runs", JudgedJson::array()},
                  {"series", JudgedJson::array()}};
  for (const NewestRun& run : result.runs)
    json["runs"].push_back({{"file", history.files[run.file].string()},
                            {"start_ns", run.start_ns},
                            {"job", run.job},
                            {"device", run.device},
                            {"commit", run.commit},
                            {"branch", run.branch}});
  for (const GateRow& row : result.rows) json["series"].push_back(json_of(row));
  return indented(json);
}

}  // namespace

std::string gate_text(const History& history, const GateResult& result, JudgedFormat format,
                      const TextFormat& layout, std::size_t most_same) {
  if (format == JudgedFormat::kJson) return gate_json(history, result);
  const JudgedReport report = report_of(history, result);
  switch (format) {
    case JudgedFormat::kMarkdown:
      return judged_markdown(report, "");
    case JudgedFormat::kJunit:
      return judged_junit(report);
    case JudgedFormat::kGithub:
      return judged_github(report);
    default:
      return judged_table(report, layout, most_same);
  }
}

}  // namespace kernelbatch
