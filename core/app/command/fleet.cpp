// kernelbatch fleet: compares each GPU with the others of its kind.
#include "core/report/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/result_filter.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct FleetOptions {
  std::vector<std::string> places, fail_on;
  ResultFilter filter;
  bool prints_json = false;
};

/// Result files of a folder, merged or as shards; or the file itself.
std::vector<fs::path> files_of(const std::string& place) {
  std::error_code none;
  if (!fs::is_directory(place, none) || place.ends_with(".d")) return {place};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(place)) {
    const fs::path path = entry.path();
    if (path.extension() == ".h5") files.push_back(path);
    if (path.extension() == ".d" && path.stem().extension() == ".h5" &&
        !fs::exists(fs::path(path).replace_extension(), none))
      files.push_back(fs::path(path).replace_extension());
  }
  if (files.empty()) throw SpecError(fmt::format("'{}' has no result files", visible(place)));
  std::ranges::sort(files);
  return files;
}

int compare_fleet(const FleetOptions& options) {
  std::vector<ResultFile> files;
  int worst = 0;
  for (const std::string& place : options.places)
    for (const fs::path& path : files_of(place)) {
      Parts parts(Samples::kOmit, false);
      parts.damaged = options.filter.damaged();
      files.push_back(read_results(path, parts));
      apply(options.filter, files.back());
      if (const int code = report_problems(files.back()); worst == 0) worst = code;
    }
  const Fleet fleet = fleet_of(files);
  if (options.prints_json) {
    print_data();
    fmt::print("{}", fleet_json(fleet));
  } else {
    fmt::print("{}", fleet_text(fleet, text_format()));
    if (fleet.kinds.empty()) fmt::print("There are no results to compare.\n");
  }
  const auto asks = [&](const char* what) {
    return std::ranges::find(options.fail_on, what) != options.fail_on.end();
  };
  const bool is_shut = (asks("outlier") && fleet.has_outliers()) ||
                       (asks("failed") && fleet.has_failures()) ||
                       (!options.fail_on.empty() && fleet.kinds.empty());
  return is_shut ? static_cast<int>(ExitCode::kCompareGate) : worst;
}

}  // namespace

Command fleet_command() {
  auto options = std::make_shared<FleetOptions>();
  Command command{.name = "fleet",
                  .summary = "Compare GPUs or slices of one kind and find slow ones"};
  command.add({{.names = {"RESULTS"},
                .help = "Result files of one job on each device, or folders of them",
                .target = &options->places,
                .type = kResultFile,
                .is_required = true}});
  command.add(result_filter_options(options->filter));
  command.add(
      {{.names = {"--fail-on"},
        .help = "Exit with 5 if any is: outlier, failed (wrong, crashed, …), or if there "
                "is nothing to compare",
        .target = &options->fail_on,
        .choices = {"outlier", "failed"},
        .separator = ','},
       {.names = {"--json"}, .help = "JSON instead of text", .target = &options->prints_json}});
  command.examples = {
      {"kernelbatch fleet results/fleet", "results of slurm/fleet.sbatch: which GPU is slow?"},
      {"kernelbatch fleet results/fleet --fail-on outlier,failed", ""}};
  command.action = [options] { return compare_fleet(*options); };
  return command;
}

}  // namespace kernelbatch::app
