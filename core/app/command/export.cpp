// kernelbatch export: results in other programs' forms.
#include "core/report/export.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/result_filter.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct ExportCommand {
  std::string file, format = "csv", table = "cases", output;
  ResultFilter filter;
};

const std::vector<std::string> kFormats{"csv", "json", "npy", "t4", "table"};

/// To the file that was asked for, or to standard output.
void write_text(const std::string& text, const std::string& output) {
  if (!output.empty()) return write_file_atomically(output, text);
  print_data();
  fmt::print("{}", text);
}

int export_arrays(const ExportCommand& command) {
  if (command.output.empty())
    throw SpecError("npy writes one file per array: say into which folder with -o");
  // Says which name is unknown; and workloads stand in the results alone.
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
    throw SpecError(fmt::format("'{}' holds no arrays of what was asked for", command.file));
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
  ResultFile file = read_results(command.file, parts);
  apply(command.filter, file);
  if (command.format == "csv")
    write_text(to_csv(file, command.table), command.output);
  else if (command.format == "json")
    write_text(to_json(file), command.output);
  else if (command.format == "t4")
    write_text(to_t4(file), command.output);
  else if (command.output.empty())
    throw SpecError("a table is an HDF5 file: say which with -o FILE.h5");
  else
    write_flat_table(file, command.output);
  return report_problems(file);
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand(
      "export",
      "CSV (RFC 4180), JSON, stored arrays as .npy, auto-tuning results (T4), or a flat HDF5 table "
      "that pandas.read_hdf reads");
  command->add_option("FILE", options->file, "Result file, or the folder of its shards")
      ->required()
      ->type_name(kResultFile);
  command->add_option("--format", options->format, "csv, json, npy, t4 or table")
      ->check(CLI::IsMember(kFormats))
      ->capture_default_str();
  command
      ->add_option("--table", options->table, "Of CSV: cases, samples, launches, kernels, checks")
      ->check(CLI::IsMember(csv_tables()))
      ->capture_default_str();
  add_result_filter(*command, options->filter);
  command
      ->add_option("-o,--output", options->output,
                   "File (of npy: folder) to write; else standard output")
      ->type_name(kAnyFile);
  add_examples(*command,
               {{"kernelbatch export results/quickstart.h5 --table samples -o samples.csv", ""},
                {"kernelbatch export results/quickstart.h5 --format npy -o arrays", ""}});
  command->callback(
      [options, &action] { action = [options] { return export_results(*options); }; });
}

}  // namespace kernelbatch::app
