// Selection of results over months.
#pragma once

#include <string>
#include <vector>

#include "core/app/options.hpp"
#include "core/report/history/history.hpp"

namespace kernelbatch::app {

struct HistorySelection {
  std::vector<std::string> folders;
  HistoryFilter filter;
  std::string commits;  ///< a file
};

/// FOLDER…, --workload, --variant, --device, --case and --commits, with `selection` as their
/// target.
std::vector<Option> history_selection_options(HistorySelection& selection);

/// Error for an empty text.
std::string is_given(const std::string& text);

/// Reads the list of commits. Throws SpecError if it has none.
HistoryRequest request_of(const HistorySelection& selection);

/// Prints notes and the parts left out of a history. Returns the exit code of a command that has
/// printed the rest: nonzero if something was left out.
int report_left_out(const History& history);

}  // namespace kernelbatch::app
