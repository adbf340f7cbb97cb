// kernelbatch explain: explains the time of a variant.
#include "core/report/explain/explain.hpp"

#include <fmt/format.h>

#include <memory>

#include "core/app/command.hpp"
#include "core/app/result_filter.hpp"
#include "core/base/error.hpp"

namespace kernelbatch::app {
namespace {

struct ExplainOptions {
  std::string file;
  std::vector<std::string> variants;
  ResultFilter filter;
  bool prints_json = false;
};

int explain_file(const ExplainOptions& options) {
  if (options.variants.size() == 1 || options.variants.size() > 2)
    throw SpecError(fmt::format("explain takes two variants, or none to explain all; not {}",
                                options.variants.size()));
  Parts parts(Samples::kOmit, true);
  parts.damaged = options.filter.damaged();
  ResultFile file = read_results(options.file, parts);
  apply(options.filter, file);
  const bool is_pair = options.variants.size() == 2;
  const std::vector<ExplainedCase> cases =
      is_pair ? explain_results(file, options.variants[0], options.variants[1])
              : explain_results(file);
  if (options.prints_json) {
    print_data();
    fmt::print("{}\n", explain_json(cases));
    return report_problems(file);
  }
  if (cases.empty() && file.problems.empty())
    fmt::print("{} has no correct, timed results.\n", options.file);
  fmt::print("{}", explain_text(cases, text_format()));
  return report_problems(file);
}

}  // namespace

Command explain_command() {
  auto options = std::make_shared<ExplainOptions>();
  Command command{.name = "explain", .summary = "Explain the time of each variant"};
  command.add({{.names = {"FILE"},
                .help = "Result file, or the folder of its shards",
                .target = &options->file,
                .type = kResultFile,
                .is_required = true},
               {.names = {"VARIANT"},
                .help = "Two variants: explain why one is slower",
                .target = &options->variants}});
  command.add(result_filter_options(options->filter));
  command.add(
      {{.names = {"--json"}, .help = "JSON instead of text", .target = &options->prints_json}});
  command.examples = {{"kernelbatch explain results/quickstart.h5", ""},
                      {"kernelbatch explain results/quickstart.h5 raw reduction", ""}};
  command.action = [options] { return explain_file(*options); };
  return command;
}

}  // namespace kernelbatch::app
