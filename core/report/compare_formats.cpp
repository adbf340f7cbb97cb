// Output of `compare` for other programs: Markdown, JUnit XML, GitHub workflow commands.
#include <fmt/format.h>

#include <cmath>

#include "core/base/text.hpp"
#include "core/report/ci_text.hpp"
#include "core/report/compare.hpp"

namespace kernelbatch {
namespace {

std::string change(double ratio) { return fmt::format("{:+.2f} %", 100 * (ratio - 1)); }

/// "1.23 ms → 1.30 ms (+5.69 %, 95 % +5.01 % … +6.40 %)"
std::string times_text(const ComparedPair& pair) {
  const Judgement& judgement = pair.judgement;
  if (std::isnan(judgement.ratio)) return pair.note;
  return fmt::format("{} → {} ({}, 95 % {} … {}){}", format_seconds(judgement.median_a),
                     format_seconds(judgement.median_b), change(judgement.ratio),
                     change(judgement.ratio_low), change(judgement.ratio_high),
                     pair.note.empty() ? "" : "; " + pair.note);
}

/// True for a pair that fails a gate.
bool is_failure(const ComparedPair& pair) {
  return pair.judgement.verdict == Verdict::kSlower || pair.loss != Loss::kNone;
}

std::string name_of_pair(const ComparedPair& pair, const std::string& params) {
  return fmt::format("{} {}{}{}", pair.workload, pair.variant, params.empty() ? "" : " ", params);
}

std::string counts_text(const ComparedResults& compared) {
  std::string text;
  for (std::size_t k = 0; k < kVerdictCount; ++k)
    text += fmt::format("{}{} {}", k == 0 ? "" : ", ", compared.counts[k],
                        to_text(static_cast<Verdict>(k)));
  if (!std::isnan(compared.geometric_mean))
    text += fmt::format("; geometric mean of B/A {:.4f}", compared.geometric_mean);
  return text;
}

}  // namespace

std::string compared_markdown(const ComparedResults& compared) {
  const SharedParameters shared(compared.pairs);
  std::string text = counts_text(compared) + "\n\n";
  for (const EnvironmentDifference& each : compared.environment)
    text += fmt::format("- {}: {} → {}\n", markdown_text(each.name), markdown_text(each.a),
                        markdown_text(each.b));
  if (!compared.environment.empty()) text += "\n";
  if (const std::string title = shared.title(); !title.empty())
    text += fmt::format("All: {}\n\n", markdown_text(title));
  text +=
      "| verdict | A | B | B/A | 95 % | variant | workload | parameters | note |\n"
      "|---|--:|--:|--:|--:|---|---|---|---|\n";
  for (const ComparedPair& pair : compared.pairs) {
    const Judgement& judgement = pair.judgement;
    const bool has_ratio = !std::isnan(judgement.ratio);
    const std::string verdict(to_text(judgement.verdict));
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                        is_failure(pair) ? fmt::format("**{}**", verdict) : verdict,
                        has_ratio ? format_seconds(judgement.median_a) : "",
                        has_ratio ? format_seconds(judgement.median_b) : "",
                        has_ratio ? change(judgement.ratio) : "",
                        has_ratio ? fmt::format("{} … {}", change(judgement.ratio_low),
                                                change(judgement.ratio_high))
                                  : "",
                        markdown_text(pair.variant), markdown_text(pair.workload),
                        markdown_text(shared.others(pair.params)), markdown_text(pair.note));
  }
  return text;
}

std::string compared_junit(const ComparedResults& compared) {
  std::size_t failures = 0, skipped = 0;
  std::string cases;
  for (const ComparedPair& pair : compared.pairs) {
    const std::string message = xml_text(visible_line(times_text(pair)));
    cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9g}\">",
        xml_text(visible_line(fmt::format("{} {}", pair.workload, to_text(pair.params)))),
        xml_text(visible_line(pair.variant)),
        std::isnan(pair.judgement.median_b) ? 0 : pair.judgement.median_b);
    if (is_failure(pair)) {
      ++failures;
      cases += fmt::format("<failure type=\"{}\" message=\"{}\"/>", to_text(pair.judgement.verdict),
                           message);
    } else if (pair.judgement.verdict == Verdict::kUnsure ||
               pair.judgement.verdict == Verdict::kAbsent) {
      ++skipped;
      cases +=
          fmt::format("<skipped message=\"{}: {}\"/>", to_text(pair.judgement.verdict), message);
    } else {
      cases +=
          fmt::format("<system-out>{}: {}</system-out>", to_text(pair.judgement.verdict), message);
    }
    cases += "</testcase>\n";
  }
  return junit_suite("kernelbatch compare", compared.pairs.size(), failures, skipped, cases);
}

std::string compared_github(const ComparedResults& compared) {
  const SharedParameters shared(compared.pairs);
  std::string text;
  for (const ComparedPair& pair : compared.pairs) {
    if (pair.judgement.verdict == Verdict::kSame) continue;
    const std::string_view level = is_failure(pair)                             ? "error"
                                   : pair.judgement.verdict == Verdict::kFaster ? "notice"
                                                                                : "warning";
    text += fmt::format(
        "::{} title={}::{}\n", level,
        workflow_text(visible_line(fmt::format("{}: {}", to_text(pair.judgement.verdict),
                                               name_of_pair(pair, shared.others(pair.params)))),
                      true),
        workflow_text(visible_line(times_text(pair)), false));
  }
  return text + fmt::format("::notice title=kernelbatch compare::{}\n",
                            workflow_text(counts_text(compared), false));
}

}  // namespace kernelbatch
