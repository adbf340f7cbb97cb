#include "core/app/result_filter.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {

void add_result_filter(CLI::App& command, ResultFilter& filter) {
  command.add_option("--case", filter.case_id, "Only cases whose id begins so");
  command.add_option("--variant", filter.variant, "Only this variant");
  command.add_flag("--read-damaged", filter.reads_damaged,
                   "Read what can still be read of damaged files; it may be wrong");
}

void apply(const ResultFilter& filter, ResultFile& file) {
  if ((filter.case_id.empty() && filter.variant.empty()) || file.results.empty()) return;
  std::set<std::string> variants;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < file.results.size(); ++k) {
    ResultRecord& record = file.results[k];
    variants.insert(record.variant);
    if (!record.case_id.starts_with(filter.case_id) ||
        (!filter.variant.empty() && record.variant != filter.variant))
      continue;
    if (kept != k) file.results[kept] = std::move(record);
    file.environment_of[kept] = file.environment_of[k];
    file.job_of[kept++] = file.job_of[k];
  }
  file.results.resize(kept);
  file.environment_of.resize(kept);
  file.job_of.resize(kept);
  if (kept > 0) return;
  const bool is_known = filter.variant.empty() || variants.contains(filter.variant);
  throw SpecError(fmt::format(
      "'{}' has no result of that case and variant{}", file.path.string(),
      is_known ? ""
               : suggestion(filter.variant,
                            std::vector<std::string>(variants.begin(), variants.end()))));
}

int report_problems(const ResultFile& file) {
  for (const std::string& problem : file.problems) fmt::print(stderr, "kernelbatch: {}\n", problem);
  const bool has_nothing = file.results.empty() && !file.problems.empty();
  return static_cast<int>(has_nothing ? ExitCode::kStoreFailed : ExitCode::kOk);
}

}  // namespace kernelbatch::app
