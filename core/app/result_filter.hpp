// Which results of a file a command looks at.
#pragma once

#include <string>

#include "core/result/reader.hpp"

namespace CLI {
class App;
}

namespace kernelbatch::app {

struct ResultFilter {
  std::string case_id, variant, workload;
  bool reads_damaged = false;

  bool is_empty() const { return case_id.empty() && variant.empty() && workload.empty(); }
  Damaged damaged() const noexcept { return reads_damaged ? Damaged::kRead : Damaged::kRefuse; }
};

/// Adds --case, --variant, --workload and --read-damaged.
void add_result_filter(CLI::App& command, ResultFilter& filter);

/// Takes out what the filter does not ask for. Throws SpecError, with the nearest names there are,
/// when nothing is left, unless nothing of the file could be read.
void apply(const ResultFilter& filter, ResultFile& file);

/// Prints a file's problems. Gives the exit code of a command that has shown the rest.
int report_problems(const ResultFile& file);

}  // namespace kernelbatch::app
