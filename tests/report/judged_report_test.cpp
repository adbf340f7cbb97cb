// Verdicts in each format, whichever command judges.
#include "core/report/judged_report.hpp"

#include <limits>

#include "core/report/judged_json.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

JudgedLine line(Verdict verdict, double ratio, bool fails = false) {
  JudgedLine made{.row = {.verdict = verdict,
                          .before = 1e-3,
                          .now = 1e-3 * ratio,
                          .ratio = ratio,
                          .ratio_low = ratio * 0.9,
                          .ratio_high = ratio * 1.1},
                  .fails = fails,
                  .workload = "saxpy",
                  .variant = std::string(name_of(verdict)),
                  .parameters = "n=1",
                  .suite = "saxpy n=1",
                  .name = "saxpy raw n=1",
                  .evidence = "",
                  .cells = {""}};
  return made;
}

JudgedReport report(std::vector<JudgedLine> lines) {
  return {.command = "kernelbatch test",
          .layout = {.header = {"verdict", "A", "B", "B/A", "95 %", "variant", "workload",
                                "parameters", "note"},
                     .right = {1, 2},
                     .omitted_if_empty = {},
                     .dropped = {},
                     .wrapped = {}},
          .intro = {},
          .shared = {},
          .counts = "counted",
          .more = {},
          .lines = std::move(lines)};
}

TEST_CASE("An interval without an upper end is infinite in every format") {
  JudgedLine open = line(Verdict::kUnsure, 1.5);
  open.row.ratio_high = std::numeric_limits<double>::infinity();
  const JudgedReport made = report({open});
  for (const std::string& text : {judged_table(made, {}, 1), judged_markdown(made, ""),
                                  judged_junit(made), judged_github(made)})
    CHECK_THAT(text, Contains(" … ∞"));
  JudgedJson json;
  add_times(json, open.row, "a", "b");
  CHECK(json["ratio_high"].is_null());
  CHECK(json["b"] == 1.5e-3);
}

TEST_CASE("Rows are failures, undecided or passed") {
  const JudgedReport made =
      report({line(Verdict::kSlower, 2, true), line(Verdict::kWrong, 1, true),
              line(Verdict::kAbsent, 1), line(Verdict::kGone, 1), line(Verdict::kUnsure, 1),
              line(Verdict::kNew, 1), line(Verdict::kFaster, 0.5), line(Verdict::kSame, 1)});
  CHECK_THAT(judged_junit(made), Contains("tests=\"8\" failures=\"2\" errors=\"0\" skipped=\"3\""));
  const std::string github = judged_github(made);
  for (const char* start :
       {"::error title=SLOWER", "::error title=WRONG", "::warning title=MISSING",
        "::warning title=GONE", "::warning title=UNSURE", "::notice title=NEW",
        "::notice title=FASTER"})
    CHECK_THAT(github, Contains(start));
  CHECK_THAT(github, !Contains("title=SAME"));
  CHECK_THAT(judged_markdown(made, ""), Contains("| **SLOWER** |") && Contains("| UNSURE |"));
}

TEST_CASE("A row without times has its note as its sentence") {
  JudgedLine absent = line(Verdict::kAbsent, 1);
  absent.row = {.verdict = Verdict::kAbsent, .note = "not in B"};
  CHECK_THAT(judged_junit(report({absent})), Contains("<skipped message=\"MISSING: not in B\"/>"));
}

TEST_CASE("Further rows that are the same are counted") {
  const JudgedReport made =
      report({line(Verdict::kSame, 1), line(Verdict::kSame, 1), line(Verdict::kSame, 1)});
  CHECK_THAT(judged_table(made, {}, 1), Contains("and 2 more that are SAME (--all shows them)"));
  CHECK_THAT(judged_table(made, {}, 3), !Contains("more"));
}

}  // namespace
}  // namespace kernelbatch
