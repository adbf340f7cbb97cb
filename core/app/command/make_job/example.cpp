// kernelbatch example: lists and copies the jobs that come with kernelbatch.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "core/app/command.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/report/table.hpp"
#include "core/verify/input_source.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;
namespace {

struct ExampleOptions {
  std::string name, output;
};

/// "quickstart", "inline/copy" → file.
std::map<std::string, fs::path> example_jobs() {
  std::map<std::string, fs::path> found;
  for (const std::string& data : data_folders()) {
    const fs::path jobs = fs::path(data).parent_path() / "jobs";
    for (const char* folder : {"", "inline"}) {
      std::error_code error;
      for (fs::directory_iterator each(jobs / folder, error);
           !error && each != fs::directory_iterator(); each.increment(error))
        if (each->path().extension() == ".yaml")
          found.emplace((fs::path(folder) / each->path().stem()).string(), each->path());
    }
    if (!found.empty()) break;
  }
  if (found.empty())
    throw SpecError(
        fmt::format("no example is next to {}; set KERNELBATCH_DATA_DIR", join(data_folders())));
  return found;
}

/// The comment in a job's first line; empty if there is none.
std::string purpose_of(const fs::path& job) {
  const std::string text = read_file(job);
  if (!text.starts_with("# ")) return "";
  return text.substr(2, text.find('\n') - 2);
}

int list_examples() {
  TextTable table({"example", "purpose"});
  for (const auto& [name, job] : example_jobs()) table.add({name, purpose_of(job)});
  table.wrap({1});
  fmt::print("{}", table.to_text({}, text_format()));
  return 0;
}

int copy_example(const ExampleOptions& options) {
  const auto jobs = example_jobs();
  const auto job = jobs.find(options.name);
  if (job == jobs.end()) {
    std::vector<std::string> names;
    for (const auto& [name, file] : jobs) names.push_back(name);
    throw SpecError(
        fmt::format("there is no example '{}'{}", options.name, suggestion(options.name, names)));
  }
  const fs::path to = options.output.empty() ? job->second.filename() : fs::path(options.output);
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(to, ignored)))
    throw SpecError(fmt::format("'{}' exists: choose another file with -o", to.string()));
  write_file_atomically(to, read_file(job->second));
  fmt::print("{}\nnext: kernelbatch run {}\n", to.string(), to.string());
  return 0;
}

}  // namespace

Command example_command() {
  auto options = std::make_shared<ExampleOptions>();
  Command command{.name = "example",
                  .summary = "Copy a job that comes with kernelbatch; without a name, list them"};
  command.add({{.names = {"NAME"},
                .help = "Name of the example, as listed: quickstart",
                .target = &options->name},
               {.names = {"-o", "--output"},
                .help = "File to write; default: NAME.yaml in the current folder",
                .target = &options->output,
                .type = kAnyFile}});
  command.examples = {{"kernelbatch example", ""}, {"kernelbatch example quickstart", ""}};
  command.action = [options] {
    return options->name.empty() ? list_examples() : copy_example(*options);
  };
  return command;
}

}  // namespace kernelbatch::app
