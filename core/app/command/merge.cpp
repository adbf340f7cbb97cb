// kernelbatch merge: merges shards into one file, or several results into a new one.
#include "core/result/merge.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/run_file.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct MergeCommand {
  std::vector<std::string> sources;
  std::string output;
};

/// The output file that a path belongs to: itself, or that of a folder `<output>.d`.
fs::path output_file_of(fs::path path) {
  if (!fs::is_directory(path)) return path;
  if (!path.has_filename()) path = path.parent_path();  // "out.h5.d/"
  if (path.extension() != ".d")
    throw SpecError(
        fmt::format("'{}' is a folder whose name does not give the file of its "
                    "shards: give one with -o FILE",
                    path.string()));
  return path.replace_extension();
}

void print_report(const MergeReport& report, const fs::path& file) {
  fmt::print("{}: {}, {}; {} merged\n", visible(file.string()),
             plural(static_cast<std::uint64_t>(report.cases), "case"),
             plural(static_cast<std::uint64_t>(report.results), "result"),
             plural(static_cast<std::uint64_t>(report.shards), "shard"));
  for (const SetAsideShard& bad : report.unreadable)
    fmt::print(stderr, "kernelbatch: case '{}' is missing, its shard '{}' cannot be read: {}\n",
               visible(bad.case_id), visible(bad.path.string()), visible(bad.reason));
}

int merge_results(const MergeCommand& command) {
  const MergeOptions options{.source = version_text()};
  bool is_whole = true;
  const auto note = [&](const MergeReport& report, const fs::path& file) {
    print_report(report, file);
    is_whole = is_whole && report.unreadable.empty();
  };
  if (command.output.empty()) {
    for (const std::string& source : command.sources) {
      const fs::path file = output_file_of(source);
      note(merge_shards(file, options), file);
      if (const fs::path last = publish_merged(file); !last.empty())
        fmt::print("{}: now the last run\n", visible(last.string()));
    }
  } else {
    const std::vector<fs::path> sources(command.sources.begin(), command.sources.end());
    note(combine_results(sources, command.output, options), command.output);
  }
  return static_cast<int>(is_whole ? ExitCode::kOk : ExitCode::kStoreFailed);
}

}  // namespace

Command merge_command() {
  auto options = std::make_shared<MergeCommand>();
  Command command{
      .name = "merge",
      .summary = "Merge the shards of interrupted or array jobs into their result files"};
  command.add({{.names = {"FILE"},
                .help = "Result files, or folders of shards (FILE.d)",
                .target = &options->sources,
                .type = kResultFile,
                .is_required = true},
               {.names = {"-o", "--output"},
                .help = "Combine everything into this new file; keep the sources",
                .target = &options->output,
                .type = kResultFile}});
  command.examples = {{"kernelbatch merge results/quickstart.h5", "after an interrupted run"},
                      {"kernelbatch merge before.h5 after.h5 -o both.h5", ""}};
  command.action = [options] { return merge_results(*options); };
  return command;
}

}  // namespace kernelbatch::app
