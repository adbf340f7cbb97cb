// Output of `compare`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.hpp"
#include "core/report/ci_text.hpp"
#include "core/report/compare.hpp"
#include "core/report/host_times.hpp"
#include "core/report/judged_json.hpp"

namespace kernelbatch {
namespace {

std::string p_text(double p) {
  if (std::isnan(p)) return "";
  return p < 1e-4 ? "<0.0001" : fmt::format("{:.4f}", p);
}

/// Text for an absent environment value.
std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

std::string_view name_of(Loss loss) {
  constexpr std::array<std::string_view, kLossCount> kNames{"", "missing", "wrong", "failed"};
  return kNames[static_cast<std::size_t>(loss)];
}

/// Parameters that all pairs share.
NamedValues shared_parameters(const std::vector<ComparedPair>& pairs) {
  NamedValues shared;
  if (pairs.size() < 2) return shared;
  for (const auto& each : pairs.front().params)
    if (std::ranges::all_of(pairs, [&](const ComparedPair& pair) {
          return std::ranges::find(pair.params, each) != pair.params.end();
        }))
      shared.push_back(each);
  return shared;
}

JudgedLine line_of(const ComparedPair& pair, const NamedValues& shared) {
  NamedValues others;
  for (const auto& each : pair.params)
    if (std::ranges::find(shared, each) == shared.end()) others.push_back(each);
  JudgedLine line{.row = pair.judgement,
                  .fails = pair.judgement.verdict == Verdict::kSlower || pair.loss != Loss::kNone,
                  .workload = pair.workload,
                  .variant = pair.variant,
                  .parameters = to_text(others),
                  .suite = fmt::format("{} {}", pair.workload, to_text(pair.params)),
                  .name = {},
                  .evidence = {},
                  .cells = {p_text(pair.judgement.p), pair.note, pair.case_id}};
  line.name = join_nonempty({pair.workload, pair.variant, line.parameters}, " ");
  line.row.note = pair.note;
  return line;
}

std::string counts_of(const ComparedResults& compared) {
  std::string text = counts_text(kComparedVerdicts, compared.counts);
  if (!std::isnan(compared.geometric_mean))
    text += fmt::format("; geometric mean of B/A {:.4f}", compared.geometric_mean);
  return join_nonempty({text, not_compared_text(compared.not_compared)}, "; ");
}

/// Added to the counts below the table.
std::string left_out_text(const ComparedResults& compared) {
  std::string text;
  if (!std::isnan(compared.geometric_mean))
    text += fmt::format(" ({})", change_text(compared.geometric_mean));
  if (compared.references > 0)
    text += fmt::format("; {} left out (--references)",
                        plural(static_cast<std::uint64_t>(compared.references), "reference"));
  if (compared.one_sided > 0) text += fmt::format("; {} of one side left out", compared.one_sided);
  return text;
}

JudgedReport report_of(const ComparedResults& compared) {
  // The verdict, the ratio and what identifies a row are kept at every width.
  JudgedReport report{.command = "kernelbatch compare",
                      .layout = {.header = {"verdict", "A", "B", "B/A", "95 %", "variant",
                                            "workload", "parameters", "p", "note", "case"},
                                 .right = {1, 2, 3, 4, 8},
                                 .omitted_if_empty = {1, 2, 3, 4, 7, 8, 9},
                                 .dropped = {10, 8, 4, 1, 2},
                                 .wrapped = {9, 5, 6, 7}},
                      .intro = {},
                      .shared = {},
                      .counts = counts_of(compared),
                      .more = left_out_text(compared),
                      .lines = {}};
  for (const EnvironmentDifference& each : compared.environment)
    report.intro +=
        visible_line(fmt::format("{}: {} → {}", each.name, or_none(each.a), or_none(each.b))) +
        "\n";
  const NamedValues shared = shared_parameters(compared.pairs);
  report.shared = to_text(shared);
  for (const ComparedPair& pair : compared.pairs) report.lines.push_back(line_of(pair, shared));
  return report;
}

std::string markdown_head(const ComparedResults& compared) {
  std::string text;
  for (const EnvironmentDifference& each : compared.environment)
    text += fmt::format("- {}: {} → {}\n", markdown_text(each.name), markdown_text(each.a),
                        markdown_text(each.b));
  return text.empty() ? "" : text + "\n";
}

JudgedJson json_of(const ComparedPair& pair) {
  JudgedJson json{{"case_id", pair.case_id},
                  {"workload", pair.workload},
                  {"params", JudgedJson::parse(to_json(pair.params))},
                  {"variant", pair.variant},
                  {"device_a", pair.device_a},
                  {"device_b", pair.device_b},
                  {"runs_a", pair.runs_a},
                  {"runs_b", pair.runs_b}};
  add_times(json, pair.judgement, "median_a", "median_b");
  json.update({{"gap", finite_or_null(pair.judgement.gap)},
               {"same_gap", finite_or_null(pair.judgement.same_gap)},
               {"p", finite_or_null(pair.judgement.p)},
               {"rank_p", finite_or_null(pair.rank_p)},
               {"verdict", kernelbatch::name_of(pair.judgement.verdict)},
               {"loss", name_of(pair.loss)},
               {"one_set_a", pair.is_one_set_a},
               {"one_set_b", pair.is_one_set_b},
               {"note", pair.note}});
  return json;
}

std::string compared_json(const ComparedResults& compared) {
  JudgedJson json{{"counts", counts_json(kComparedVerdicts, compared.counts)},
                  {"geometric_mean", finite_or_null(compared.geometric_mean)},
                  {"environment", JudgedJson::array()},
                  {"references_left_out", compared.references},
                  {"one_sided_left_out", compared.one_sided},
                  {"not_compared", compared.not_compared},
                  {"pairs", JudgedJson::array()}};
  for (const EnvironmentDifference& each : compared.environment)
    json["environment"].push_back({{"name", each.name}, {"a", each.a}, {"b", each.b}});
  for (const ComparedPair& pair : compared.pairs) json["pairs"].push_back(json_of(pair));
  return indented(json);
}

}  // namespace

std::string compared_text(const ComparedResults& compared, JudgedFormat format,
                          const TextFormat& layout, std::size_t most_same) {
  switch (format) {
    case JudgedFormat::kText:
      return judged_table(report_of(compared), layout, most_same);
    case JudgedFormat::kMarkdown:
      return judged_markdown(report_of(compared), markdown_head(compared));
    case JudgedFormat::kJson:
      return compared_json(compared);
    case JudgedFormat::kJunit:
      return judged_junit(report_of(compared));
    case JudgedFormat::kGithub:
      return judged_github(report_of(compared));
  }
  return "";
}

std::string changes_text(const ComparedResults& compared, std::size_t most) {
  std::vector<Verdict> found;
  for (const Verdict verdict : kComparedVerdicts)
    if (compared.count(verdict) > 0) found.push_back(verdict);
  std::string text =
      join_nonempty({counts_text(found, compared.counts),
                     not_compared_text(compared.not_compared, "compare --host-times")},
                    "; ") +
      '\n';
  std::size_t count = 0;
  for (const ComparedPair& pair : compared.pairs) {
    const Judgement& judgement = pair.judgement;
    if (judgement.verdict != Verdict::kSlower && judgement.verdict != Verdict::kFaster) continue;
    if (++count > most) continue;
    text += visible_line(fmt::format(
                "  {} {} {}: {} -> {}, {:+.1f} % (95 %: {:+.1f} to {:+.1f} %)", pair.workload,
                to_text(pair.params), pair.variant, format_seconds(judgement.before),
                format_seconds(judgement.now), 100 * (judgement.ratio - 1),
                100 * (judgement.ratio_low - 1), 100 * (judgement.ratio_high - 1))) +
            '\n';
  }
  if (count > most) text += fmt::format("  and {} more: kernelbatch compare\n", count - most);
  return text;
}

}  // namespace kernelbatch
