// Selection of results of a file.
#pragma once

#include <string>
#include <vector>

#include "core/app/options.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch::app {

struct ResultFilter {
  std::string case_id, variant, workload;
  bool reads_damaged = false;

  bool is_empty() const { return case_id.empty() && variant.empty() && workload.empty(); }
  Damaged damaged() const noexcept { return reads_damaged ? Damaged::kRead : Damaged::kRefuse; }
};

/// --case, --variant, --workload and --read-damaged, with `filter` as their target.
std::vector<Option> result_filter_options(ResultFilter& filter);

/// Removes results that do not match the filter. Throws SpecError, with the nearest names, if none
/// are left, unless the file was unreadable.
void apply(const ResultFilter& filter, ResultFile& file);

/// Prints a file's problems. Returns the exit code of a command that has printed the rest.
int report_problems(const ResultFile& file);

}  // namespace kernelbatch::app
