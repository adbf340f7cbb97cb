// Which results of a file a command looks at.
#pragma once

#include <string>

#include "core/store/reader.hpp"

namespace CLI {
class App;
}

namespace kernelbatch::app {

struct ResultFilter {
  std::string case_id, variant;
};

/// Adds --case and --variant.
void add_result_filter(CLI::App& command, ResultFilter& filter);

/// Takes out what the filter does not ask for. Throws SpecError, with the nearest names there are,
/// when nothing is left of what was there.
void apply(const ResultFilter& filter, ResultFile& file);

/// Prints a file's problems. Gives the exit code of a command that has shown the rest.
int report_problems(const ResultFile& file);

}  // namespace kernelbatch::app
