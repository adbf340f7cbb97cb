#include "core/app/history_options.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {

std::string is_given(const std::string& text) {
  return text.empty() ? "expected a text, not nothing" : "";
}

std::vector<Option> history_selection_options(HistorySelection& selection) {
  return {{.names = {"FOLDER"},
           .help = "Folders with result files, which are looked for below them, too",
           .target = &selection.folders,
           .type = kFolder,
           .is_required = true},
          {.names = {"--workload"},
           .help = "Only this workload",
           .target = &selection.filter.workload,
           .check = is_given},
          {.names = {"--variant"},
           .help = "Only this variant",
           .target = &selection.filter.variant,
           .check = is_given},
          {.names = {"--device"},
           .help = "Only devices whose name has this part",
           .target = &selection.filter.device,
           .check = is_given},
          {.names = {"--case"},
           .help = "Only runs of cases whose id begins so",
           .target = &selection.filter.case_id,
           .check = is_given},
          {.names = {"--commits"},
           .help = "File with one commit a line, the oldest first (git log --reverse --format=%H): "
                   "runs stand in its order, then in that of time",
           .target = &selection.commits,
           .type = kAnyFile,
           .check = is_given}};
}

HistoryRequest request_of(const HistorySelection& selection) {
  HistoryRequest request{selection.folders, selection.filter, {}};
  if (selection.commits.empty()) return request;
  // A line of `git log --oneline` begins with the commit.
  for (const std::string& line : split(read_file(selection.commits), '\n')) {
    const std::string_view text = trim(line);
    if (!text.empty()) request.commits.emplace_back(trim(text.substr(0, text.find(' '))));
  }
  if (request.commits.empty())
    throw SpecError(fmt::format("'{}' holds no commit: expected one a line", selection.commits));
  return request;
}

int report_left_out(const History& history) {
  for (const std::string& note : history.notes)
    fmt::print(stderr, "kernelbatch: {}\n", visible(note));
  for (const std::string& problem : history.problems)
    fmt::print(stderr, "kernelbatch: {}\n", visible(problem));
  return static_cast<int>(history.problems.empty() ? ExitCode::kOk : ExitCode::kStoreFailed);
}

}  // namespace kernelbatch::app
