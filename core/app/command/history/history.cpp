// kernelbatch history: results over months, and where their times changed.
#include "core/report/history/history.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/history_options.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/report/html.hpp"

namespace kernelbatch::app {
namespace {

struct HistoryCommand {
  HistorySelection selection;
  std::string since, page;
  bool prints_json = false, prints_all = false;
};

int show_history(const HistoryCommand& command) {
  HistoryRequest request = request_of(command.selection);
  if (!command.since.empty()) request.filter.since_ns = parse_time(command.since);
  const History history = load_history(request);
  const std::vector<AnalysedSeries> analysed = analyse(history);
  if (!command.page.empty()) {
    const std::string html =
        history_html(history, analysed, join(command.selection.folders, ", "), version_text());
    write_file_atomically(command.page, html);
    fmt::print("{} ({})\n", command.page, format_bytes(html.size()));
  } else if (command.prints_json) {
    print_data();
    fmt::print("{}\n", history_json(history, analysed));
  } else {
    HistoryTextOptions options{.format = text_format(), .is_ascii = !is_utf8_locale()};
    if (command.prints_all) options.most_quiet = std::numeric_limits<std::size_t>::max();
    fmt::print("{}", history_table(history, analysed, options));
  }
  return report_left_out(history);
}

constexpr const char* kHistorySummary =
    "Show times over months: when they changed, and what changed in the environment.\n"
    "One series for each workload, its parameters, variant and kind of device, over all result "
    "files below folders. An index in the first folder, .kernelbatch-history.sqlite, is built from "
    "the files as needed. Exits with 6 if a file cannot be read";

}  // namespace

Command history_command() {
  auto options = std::make_shared<HistoryCommand>();
  Command command{.name = "history", .summary = kHistorySummary};
  command.add(history_selection_options(options->selection));
  command.add({{.names = {"--since"},
                .help = "Only runs since then, in UTC: 2026-10-03 or 2026-10-03T12:00",
                .target = &options->since},
               {.names = {"--all"},
                .help = "Show all series without a change",
                .target = &options->prints_all},
               {.names = {"--html"},
                .help = "Write a page of charts to this file instead of a table",
                .target = &options->page,
                .type = kAnyFile},
               {.names = {"--json"},
                .help = "JSON instead of a table: all points, segments and changes",
                .target = &options->prints_json}});
  command.examples = {
      {"kernelbatch history results", ""},
      {"kernelbatch history results --html history.html", "one page, charts over time"},
      {"kernelbatch history results --since 2025-01-01 --json", ""}};
  command.action = [options] { return show_history(*options); };
  return command;
}

}  // namespace kernelbatch::app
