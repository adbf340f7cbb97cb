// kernelbatch export: exports results to other formats.
#include "core/report/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/result_filter.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/report/table.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct ExportCommand {
  std::string file, format = "csv", table = "cases", output;
  ResultFilter filter;
};

/// Writes to the given file, or to standard output.
void write_text(const std::string& text, const std::string& output) {
  if (!output.empty()) return write_file_atomically(output, text);
  print_data();
  fmt::print("{}", text);
}

int export_arrays(const ExportCommand& command) {
  if (command.output.empty())
    throw SpecError("npy writes one file per array: give the folder with -o");
  // Reports unknown names; workloads are known only from the results.
  Parts parts(Samples::kOmit, false);
  parts.damaged = command.filter.damaged();
  ResultFile file = read_results(command.file, parts);
  apply(command.filter, file);
  const auto is_wanted = [&](const std::string& case_id, const std::string& variant) {
    return command.filter.is_empty() ||
           std::ranges::any_of(file.results, [&](const ResultRecord& record) {
             return record.case_id == case_id && record.variant == variant;
           });
  };
  std::size_t written = 0;
  const auto write = [&](const std::string& case_id, const std::string& variant,
                         const std::string& name, const StoredOutput& array) {
    if (!is_wanted(case_id, variant)) return;
    const fs::path path = fs::path(command.output) / case_id / variant / (name + ".npy");
    write_file_atomically(path, to_npy(array));
    fmt::print("{}{}\n", path.string(),
               array.stride > 1 ? fmt::format(": every {}th element", array.stride) : "");
    ++written;
  };
  for_each_output(command.file, write, command.filter.damaged());
  if (written == 0)
    throw SpecError(fmt::format("'{}' holds no arrays of the selected results", command.file));
  return 0;
}

int export_results(const ExportCommand& command) {
  std::error_code ignored;
  if (!command.output.empty() && fs::equivalent(command.file, command.output, ignored))
    throw SpecError(fmt::format("'{}' cannot be exported onto itself", command.file));
  if (command.format == "npy") return export_arrays(command);
  const bool has_children = command.format == "json" || command.table != "cases";
  const bool has_samples =
      command.format == "json" || command.format == "t4" || command.table == "samples";
  Parts parts(has_samples ? Samples::kInclude : Samples::kOmit, has_children);
  parts.damaged = command.filter.damaged();
  if (command.format == "markdown" || command.format == "latex") parts.columns = table_columns();
  ResultFile file = read_results(command.file, parts);
  apply(command.filter, file);
  if (command.format == "csv")
    write_text(to_csv(file, command.table), command.output);
  else if (command.format == "json")
    write_text(to_json(file), command.output);
  else if (command.format == "t4")
    write_text(to_t4(file), command.output);
  else if (command.format == "markdown")
    write_text(to_markdown(file), command.output);
  else if (command.format == "latex")
    write_text(to_latex(file), command.output);
  else if (command.output.empty())
    throw SpecError("a table is an HDF5 file: give its name with -o FILE.h5");
  else
    write_flat_table(file, command.output);
  return report_problems(file);
}

}  // namespace

Command export_command() {
  auto options = std::make_shared<ExportCommand>();
  Command command{
      .name = "export",
      .summary =
          "CSV (RFC 4180), JSON, stored arrays as .npy, auto-tuning results (T4), a flat HDF5 "
          "table that pandas.read_hdf reads, or a table of the cases in LaTeX (booktabs) or "
          "Markdown"};
  command.add({{.names = {"FILE"},
                .help = "Result file, or the folder of its shards",
                .target = &options->file,
                .type = kResultFile,
                .is_required = true},
               {.names = {"--format"},
                .help = "csv, json, npy, t4, table, latex or markdown",
                .target = &options->format,
                .choices = {"csv", "json", "npy", "t4", "table", "latex", "markdown"},
                .default_text = options->format},
               {.names = {"--table"},
                .help = "Of CSV: cases, samples, launches, kernels, checks",
                .target = &options->table,
                .choices = csv_tables(),
                .default_text = options->table}});
  command.add(result_filter_options(options->filter));
  command.add({{.names = {"-o", "--output"},
                .help = "Output file (npy: folder); default: standard output",
                .target = &options->output,
                .type = kAnyFile}});
  command.examples = {
      {"kernelbatch export results/quickstart.h5 --table samples -o samples.csv", ""},
      {"kernelbatch export results/quickstart.h5 --format table -o flat.h5", ""},
      {"kernelbatch export results/quickstart.h5 --format markdown", ""},
      {"kernelbatch export results/quickstart.h5 --format npy -o arrays", ""}};
  command.action = [options] { return export_results(*options); };
  return command;
}

}  // namespace kernelbatch::app
