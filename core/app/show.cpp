// kernelbatch show: tables from a result file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "core/app/command.hpp"
#include "core/base/error.hpp"
#include "core/report/table.hpp"
#include "core/store/reader.hpp"

namespace kernelbatch::app {
namespace {

struct ShowOptions {
  std::string file, case_id, variant;
  bool prints_json = false, prints_samples = false;
};

int show_results(const ShowOptions& options) {
  const Samples samples = options.prints_samples ? Samples::kInclude : Samples::kOmit;
  ResultFile file = read_results(options.file, samples);
  std::erase_if(file.results, [&](const ResultRecord& record) {
    return (!options.case_id.empty() && !record.case_id.starts_with(options.case_id)) ||
           (!options.variant.empty() && record.variant != options.variant);
  });
  if (file.results.empty() && !(options.case_id.empty() && options.variant.empty()))
    throw SpecError(fmt::format("'{}' has no result of that case and variant", options.file));
  if (options.prints_json) {
    fmt::print("[\n");
    for (std::size_t k = 0; k < file.results.size(); ++k)
      fmt::print("{}{}\n", to_json(file.results[k], samples),
                 k + 1 < file.results.size() ? "," : "");
    fmt::print("]\n");
  } else {
    fmt::print("{}", results_table(file.results, terminal_width()));
    if (options.prints_samples)
      for (const ResultRecord& record : file.results)
        for (const Sample& sample : record.samples)
          fmt::print("{} {} {} {} {:.9g}\n", record.case_id, record.variant, sample.kind,
                     sample.repetition, sample.time);
  }
  for (const std::string& problem : file.problems) fmt::print(stderr, "kernelbatch: {}\n", problem);
  const bool has_nothing = file.results.empty() && !file.problems.empty();
  return static_cast<int>(has_nothing ? ExitCode::kStoreFailed : ExitCode::kOk);
}

}  // namespace

void add_show(CLI::App& app, Action& action) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Tables from a result file");
  command->add_option("FILE", options->file, "Result file, or the folder of its shards")
      ->required();
  command->add_option("--case", options->case_id, "Only cases whose id begins so");
  command->add_option("--variant", options->variant, "Only this variant");
  command->add_flag("--samples", options->prints_samples, "Every sample");
  command->add_flag("--json", options->prints_json, "JSON instead of tables");
  command->callback([options, &action] { action = [options] { return show_results(*options); }; });
}

}  // namespace kernelbatch::app
