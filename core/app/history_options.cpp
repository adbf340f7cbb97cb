#include "core/app/history_options.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {

std::string is_given(const std::string& text) {
  return text.empty() ? "expected a non-empty text" : "";
}

std::vector<Option> history_selection_options(HistorySelection& selection) {
  return {{.names = {"FOLDER"},
           .help = "Folders with result files, searched recursively",
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
           .help = "Only devices with this in their name",
           .target = &selection.filter.device,
           .check = is_given},
          {.names = {"--case"},
           .help = "Only cases whose ID starts with this",
           .target = &selection.filter.case_id,
           .check = is_given},
          {.names = {"--commits"},
           .help = "File with one commit per line, oldest first (git log --reverse --format=%H): "
                   "runs are ordered by it, then by time",
           .target = &selection.commits,
           .type = kAnyFile,
           .check = is_given}};
}

HistoryRequest request_of(const HistorySelection& selection) {
  HistoryRequest request{selection.folders, selection.filter, {}};
  if (selection.commits.empty()) return request;
  // Lines of `git log --oneline` begin with the commit.
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
