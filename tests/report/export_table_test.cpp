#include "core/report/ci_text.hpp"
#include "core/report/export.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch {
namespace {

/// A correct result, and a wrong one whose names have characters that both formats escape.
ResultFile two_results() {
  ResultFile file;
  file.results.push_back(test::MadeResult("raw", 2e-6, 1e-7)
                             .of("demo")
                             .with("n", std::int64_t{1000})
                             .with_samples(100)
                             .set(&ResultRecord::bytes_read, 2e3)
                             .set(&ResultRecord::bytes_written, 2e3)
                             .set(&ResultRecord::speedup, 1.5)
                             .set(&ResultRecord::input_sets, 2)
                             .made());
  OutputRecord& output = file.results[0].outputs.emplace_back();
  output.max_abs_err = 0.1;
  output.max_rel_err = 2.5e-7;
  file.results.push_back(test::MadeResult("a_b|c")
                             .of("x&y")
                             .with("text", std::string("50%"))
                             .is(Status::kVerificationFailed)
                             .set(&ResultRecord::fault, "never written")
                             .made());
  return file;
}

TEST_CASE("Markdown has a row for each result") {
  CHECK(to_markdown(two_results()) ==
        "| workload | parameters | variant | status | median | ± 95 % | GB/s | speed-up | error |\n"
        "|---|---|---|---|--:|--:|--:|--:|---|\n"
        "| demo | n=1000 | raw | ok | 2.00 µs | ± 5 % | 2.00 | 1.50x | rel 2.5e-07 |\n"
        "| x&y | text=50% | a\\_b\\|c | verification\\_failed | - |  |  |  | never written |\n");
}

TEST_CASE("Every export marks a result of one set of inputs in its row") {
  ResultFile file;
  file.results = {test::MadeResult("raw", 2e-6)
                      .set(&ResultRecord::verified, true)
                      .set(&ResultRecord::checked_calls, std::int64_t{9})
                      .set(&ResultRecord::input_sets, std::int64_t{1})
                      .made()};
  file.environment_of = file.job_of = {-1};
  CHECK_THAT(to_markdown(file), Contains(", one set |"));
  CHECK_THAT(to_latex(file), Contains(", one set \\\\"));
  CHECK_THAT(to_csv(file, "cases"), Contains(",one_set,") && Contains(",1,true,"));
  CHECK_THAT(to_json(file), Contains("\"one_set\": true"));
  CHECK_THAT(to_t4(file), Contains("\"input_sets\""));
}

TEST_CASE("LaTeX has the same rows between booktabs' rules") {
  CHECK(to_latex(two_results()) ==
        "\\begin{tabular}{llllrrrrl}\n"
        "  \\toprule\n"
        "  workload & parameters & variant & status & median & \\textpm{} 95 \\% & GB/s & speed-up "
        "& error \\\\\n"
        "  \\midrule\n"
        "  demo & n=1000 & raw & ok & 2.00 \\textmu{}s & \\textpm{} 5 \\% & 2.00 & 1.50x & rel "
        "2.5e-07 \\\\\n"
        "  x\\&y & text=50\\% & a\\_b|c & verification\\_failed & - &  &  &  & never written \\\\\n"
        "  \\bottomrule\n"
        "\\end{tabular}\n");
}

TEST_CASE("Every character with a meaning in LaTeX is escaped") {
  CHECK(latex_text("_%&#${}") == "\\_\\%\\&\\#\\$\\{\\}");
  CHECK(latex_text("~^\\") == "\\textasciitilde{}\\textasciicircum{}\\textbackslash{}");
  CHECK(latex_text("µ±ä") == "\\textmu{}\\textpm{}ä");
}

TEST_CASE("A table without results is its header") {
  CHECK(to_latex({}).find("\\midrule\n  \\bottomrule") != std::string::npos);
  CHECK(to_markdown({}).ends_with("|---|---|---|---|--:|--:|--:|--:|---|\n"));
}

}  // namespace
}  // namespace kernelbatch
