// Which results over months a command looks at.
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

/// What is wrong with a text that may not be empty.
std::string is_given(const std::string& text);

/// Reads the list of commits. Throws SpecError where that holds none.
HistoryRequest request_of(const HistorySelection& selection);

/// Prints notes, and what was left out of a history. Gives the exit code of a command that has
/// shown the rest: not 0 where something was left out.
int report_left_out(const History& history);

}  // namespace kernelbatch::app
