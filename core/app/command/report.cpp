// kernelbatch report: one self-contained HTML page of results.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "core/app/browser.hpp"
#include "core/app/command.hpp"
#include "core/app/result_filter.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/report/html.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct ReportCommand {
  std::vector<std::string> files;
  std::string output, title, svg;
  bool is_pdf = false, has_host_times = false;
  ResultFilter filter;

  std::string_view suffix() const { return !svg.empty() ? ".svg" : is_pdf ? ".pdf" : ".html"; }
};

/// Compares two files, as before and after, if they have results in common.
std::optional<ComparedResults> compared_files(const std::vector<ResultFile>& files,
                                              bool has_host_times) {
  if (files.size() != 2) return std::nullopt;
  try {
    return compare_results(std::span(files).first(1), std::span(files).last(1),
                           {.has_host_times = has_host_times});
  } catch (const SpecError&) {
    return std::nullopt;
  }
}

int write_report(const ReportCommand& command) {
  fs::path output = command.output;
  if (output.empty()) output = fs::path(command.files.front()).replace_extension(command.suffix());
  std::vector<ResultFile> files;
  bool has_problems = false;
  for (const std::string& name : command.files) {
    std::error_code ignored;
    if (fs::equivalent(name, output, ignored))
      throw SpecError(
          fmt::format("'{}' would be replaced by its report: name another with -o", name));
    Parts parts;
    parts.damaged = command.filter.damaged();
    files.push_back(read_results(name, parts));
    apply(command.filter, files.back());
    has_problems = has_problems || report_problems(files.back()) != 0;
  }
  const std::optional<ComparedResults> compared = compared_files(files, command.has_host_times);
  const std::string html = to_html(files, {.title = command.title,
                                           .source = version_text(),
                                           .compared = compared ? &*compared : nullptr});
  const std::string text = !command.svg.empty() ? svg_of(html, command.svg)
                           : command.is_pdf     ? pdf_of(html)
                                                : html;
  write_file_atomically(output, text);
  fmt::print("{} ({})\n", output.string(), format_bytes(text.size()));
  return static_cast<int>(has_problems ? ExitCode::kStoreFailed : ExitCode::kOk);
}

}  // namespace

Command report_command() {
  auto options = std::make_shared<ReportCommand>();
  Command command{
      .name = "report",
      .summary = "Write results as one self-contained HTML page, a chart or a PDF file"};
  command.add(
      {{.names = {"FILE"},
        .help = "Result files, or folders of shards; a second file is compared with the first",
        .target = &options->files,
        .type = kResultFile,
        .is_required = true},
       {.names = {"-o", "--output"},
        .help = "File to write; default: FILE with .html, .svg or .pdf",
        .target = &options->output,
        .type = kAnyFile},
       {.names = {"--svg"},
        .help =
            "Write only this section's first chart, as SVG: times, speed-ups, samples, scaling, "
            "roofline, …; needs Chromium or Chrome",
        .target = &options->svg,
        .excludes = "--pdf"},
       {.names = {"--pdf"},
        .help = "Write the page as PDF; needs Chromium or Chrome",
        .target = &options->is_pdf},
       {.names = {"--title"},
        .help = "Title of the page; default: the jobs' names",
        .target = &options->title},
       host_times_option(options->has_host_times)});
  command.add(result_filter_options(options->filter));
  command.examples = {
      {"kernelbatch report results/quickstart.h5 -o report.html", ""},
      {"kernelbatch report results/quickstart.h5 --svg times -o times.svg", "a chart, for a paper"},
      {"kernelbatch report before.h5 after.h5 -o change.html", "what became faster or slower?"}};
  command.action = [options] { return write_report(*options); };
  return command;
}

}  // namespace kernelbatch::app
