// jobs/columns.md: what every column of a result file says, from the tables that its writers and
// readers go by. `column_tables PAGE` compares, `column_tables PAGE --write` writes it.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/base/text.hpp"
#include "core/result/schema.hpp"
#include "tests/support/generated_page.hpp"

namespace kernelbatch {
namespace {

using schema::ColumnInfo, schema::ColumnType;

std::string_view name_of(ColumnType type) {
  switch (type) {
    case ColumnType::kInteger:
      return "integer";
    case ColumnType::kReal:
      return "real";
    case ColumnType::kFlag:
      return "flag";
    case ColumnType::kCode:
      return "code";
    case ColumnType::kText:
      return "text";
  }
  return "";
}

/// "0 ok, 1 failed"; empty for what is no code.
std::string codes(const ColumnInfo& info) {
  if (info.type != ColumnType::kCode) return "";
  std::vector<std::string> all;
  int code = info.first_code;
  for (const std::string& meaning : split(std::string(info.meanings), ' '))
    all.push_back(fmt::format("{} `{}`", code++, meaning));
  return ": " + join(all);
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

class Page {
 public:
  void add(std::string_view text) { text_ += fmt::format("{}\n", text); }

  template <class... Columns>
  void add_table(const schema::Table& table, std::string_view rows, const Columns&... columns) {
    add(fmt::format("\n## {}\n\n{}\n", table.group, rows));
    add("| column | type | unit | says |\n|---|---|---|---|");
    (add_rows(schema::infos(columns)), ...);
  }

  const std::string& text() const { return text_; }

 private:
  void add_rows(const std::vector<ColumnInfo>& columns) {
    for (const ColumnInfo& info : columns) {
      const bool has_unit = !info.units.empty() && info.units != "1";
      add(fmt::format("| `{}` | {} | {} | {}{} |", info.name, name_of(info.type),
                      has_unit ? info.units : "", cell(std::string(info.long_name)), codes(info)));
    }
  }

  std::string text_;
};

std::string columns_page() {
  using namespace schema;
  Page page;
  page.add(R"(# Columns of a result file

Every table of a result file is an HDF5 group with one dataset for each column, all of the same length. `kernelbatch export --table NAME`
writes one of them as CSV or JSON. Missing reals are NaN, missing integers -1. A flag is an `int8` of 0 or 1; a code is an `int8` whose meanings
also stand in its attributes `flag_values` and `flag_meanings`. How to read them: [guide/read_results.md](guide/read_results.md).

This page is made by `build/tests/column_tables jobs/columns.md --write`.)");
  page.add_table(kCases,
                 "A row for each case and variant. Each parameter of the workload has a column "
                 "`param_NAME` besides.\nThe rows of a result in another table follow each other: "
                 "`sample_start` is the first one of `samples`.",
                 results(), places());
  page.add_table(kSamples, "A row for each timed call.", parents(), samples());
  page.add_table(kLaunches, "A row for each launch, copy or memset of one call.", parents(),
                 launches());
  page.add_table(kKernels, "A row for each compiled kernel.", parents(), kernels());
  page.add_table(kChecks, "A row for each output that was compared.", parents(), checks());
  page.add_table(kFindings, "A row for each error that a sanitizer found.", parents(), findings());
  page.add_table(kCounters, "A row for each number that `kernelbatch explain` goes by.", parents(),
                 counters());
  page.add_table(kCalibration, "A row for each device that was calibrated.", calibrations());
  page.add_table(kJobs, "A row for each job whose results are in the file.", jobs());
  page.add(fmt::format(
      "\n## {}\n\nA row for each place where results were made. Its columns are what was known "
      "there: versions of the\ndriver, the toolkit and kernelbatch, the host, its CPUs, variables "
      "of Slurm.",
      kEnvironments.group));
  return page.text();
}

}  // namespace
}  // namespace kernelbatch

int main(int count, char** arguments) {
  return kernelbatch::test::run_page_program(
      count, arguments, "core/result/schema.cpp",
      [](const std::string&) { return kernelbatch::columns_page(); });
}
