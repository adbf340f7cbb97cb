// kernelbatch show: tables from a result file.
#include <fmt/format.h>

#include <memory>

#include "core/app/command.hpp"
#include "core/app/result_filter.hpp"
#include "core/base/text.hpp"
#include "core/report/explain/explain.hpp"
#include "core/report/table.hpp"
#include "core/report/tuning.hpp"

namespace kernelbatch::app {
namespace {

struct ShowOptions {
  std::string file;
  ResultFilter filter;
  bool prints_json = false, prints_samples = false, prints_launches = false,
       prints_counters = false;
};

void print_json(const ResultFile& file, Samples samples) {
  print_data();
  fmt::print("[\n");
  for (std::size_t k = 0; k < file.results.size(); ++k)
    fmt::print("{}{}\n", to_json(file.results[k], samples), k + 1 < file.results.size() ? "," : "");
  fmt::print("]\n");
}

void print_samples(const ResultFile& file) {
  for (const ResultRecord& record : file.results)
    for (const Sample& sample : record.samples)
      fmt::print("{} {} {:.9g}\n",
                 visible_line(
                     fmt::format("{} {} {}", record.case_id, record.variant, name_of(sample.kind))),
                 sample.repetition, sample.time);
}

int show_results(const ShowOptions& options) {
  const Samples samples = options.prints_samples ? Samples::kInclude : Samples::kOmit;
  Parts parts(samples, options.prints_json || options.prints_launches || options.prints_counters);
  parts.damaged = options.filter.damaged();
  if (!options.prints_json) parts.columns = table_columns();
  ResultFile file = read_results(options.file, parts);
  apply(options.filter, file);
  if (options.prints_json) {
    print_json(file, samples);
    return report_problems(file);
  }
  const TextFormat format = text_format();
  if (file.results.empty() && file.problems.empty())
    fmt::print("{} holds no results.\n", options.file);
  fmt::print("{}", results_table(file.results, format));
  fmt::print("{}{}", tuning_table(file.results, format), reruns_text(file.results));
  fmt::print("{}", noise_text(file.calibration));
  if (options.prints_launches)
    fmt::print("{}\n{}", styled("Launches", TextStyle::kStrong, format),
               launches_table(file.results, format));
  if (options.prints_counters) {
    const std::string table = counters_table(file.results, format);
    fmt::print(
        "{}\n{}", styled("Counters", TextStyle::kStrong, format),
        table.empty() ? "None are stored: see measure.counters and measure.twins.\n" : table);
  }
  if (options.prints_samples) print_samples(file);
  return report_problems(file);
}

}  // namespace

Command show_command() {
  auto options = std::make_shared<ShowOptions>();
  Command command{.name = "show", .summary = "Print tables of a result file"};
  command.add({{.names = {"FILE"},
                .help = "Result file, or the folder of its shards",
                .target = &options->file,
                .type = kResultFile,
                .is_required = true}});
  command.add(result_filter_options(options->filter));
  command.add(
      {{.names = {"--samples"}, .help = "Every sample", .target = &options->prints_samples},
       {.names = {"--launches"},
        .help = "Every kernel launch of one run of each variant",
        .target = &options->prints_launches},
       {.names = {"--counters"},
        .help = "Hardware counters, static facts and twins of each variant",
        .target = &options->prints_counters},
       {.names = {"--json"}, .help = "JSON instead of tables", .target = &options->prints_json}});
  command.examples = {{"kernelbatch show results/quickstart.h5 --variant raw", ""},
                      {"kernelbatch show results/quickstart.h5 --launches", ""}};
  command.action = [options] { return show_results(*options); };
  return command;
}

}  // namespace kernelbatch::app
