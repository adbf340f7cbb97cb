#include "core/app/result_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

/// An empty name would be no filter at all.
std::string is_named(const std::string& text) {
  return text.empty() ? "expected a non-empty name" : "";
}

/// Names in results, to find the unknown names of a filter.
struct Names {
  std::set<std::string> cases, variants, workloads;
};

std::string quoted_filter(const ResultFilter& filter) {
  std::vector<std::string> parts;
  if (!filter.case_id.empty()) parts.push_back(fmt::format("--case {}", filter.case_id));
  if (!filter.variant.empty()) parts.push_back(fmt::format("--variant {}", filter.variant));
  if (!filter.workload.empty()) parts.push_back(fmt::format("--workload {}", filter.workload));
  return join(parts, " ");
}

/// Suggestions for `name`; cases may be too many to list.
std::string nearest(const std::string& name, const std::set<std::string>& known) {
  constexpr std::size_t kListed = 12;
  const std::vector<std::string> names(known.begin(), known.end());
  if (names.size() <= kListed || !nearest_name(name, names).empty()) return suggestion(name, names);
  return fmt::format(" (known: {} and {} more)", join(std::span(names).first(kListed)),
                     names.size() - kListed);
}

/// A case is selected by the start of its ID, or by its workload.
bool is_case(const std::string& name, const std::string& case_id, const std::string& workload) {
  return case_id.starts_with(name) || workload == name;
}

[[noreturn]] void fail(const ResultFilter& filter, const Names& names, const std::string& path) {
  const bool has_case = names.workloads.contains(filter.case_id) ||
                        std::ranges::any_of(names.cases, [&](const std::string& id) {
                          return id.starts_with(filter.case_id);
                        });
  std::string reason;
  if (names.cases.empty())
    reason = "it holds no results";
  else if (!filter.variant.empty() && !names.variants.contains(filter.variant))
    reason = fmt::format("there is no variant '{}'{}", filter.variant,
                         nearest(filter.variant, names.variants));
  else if (!filter.workload.empty() && !names.workloads.contains(filter.workload))
    reason = fmt::format("there is no workload '{}'{}", filter.workload,
                         nearest(filter.workload, names.workloads));
  else if (!has_case)
    reason = fmt::format("no case ID starts with '{}', and no workload has this name{}",
                         filter.case_id, nearest(filter.case_id, names.cases));
  else
    reason = "each name exists, but no result has all of them";
  throw SpecError(fmt::format("'{}' has no result of that case and variant ({}): {}", path,
                              quoted_filter(filter), reason));
}

}  // namespace

std::vector<Option> result_filter_options(ResultFilter& filter) {
  return {{.names = {"--case"},
           .help = "Only cases whose ID starts with TEXT, or of workload TEXT",
           .target = &filter.case_id,
           .check = is_named},
          {.names = {"--variant"},
           .help = "Only this variant",
           .target = &filter.variant,
           .check = is_named},
          {.names = {"--workload"},
           .help = "Only this workload",
           .target = &filter.workload,
           .check = is_named},
          {.names = {"--read-damaged"},
           .help = "Read as much as possible of damaged files; it may be wrong",
           .target = &filter.reads_damaged}};
}

void apply(const ResultFilter& filter, ResultFile& file) {
  if (filter.is_empty()) return;
  // An unreadable part may contain the selected results: the caller reports it.
  if (file.results.empty() && !file.problems.empty()) return;
  Names names;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < file.results.size(); ++k) {
    ResultRecord& record = file.results[k];
    names.cases.insert(record.case_id);
    names.variants.insert(record.variant);
    names.workloads.insert(record.workload);
    if (!is_case(filter.case_id, record.case_id, record.workload) ||
        (!filter.variant.empty() && record.variant != filter.variant) ||
        (!filter.workload.empty() && record.workload != filter.workload))
      continue;
    if (kept != k) file.results[kept] = std::move(record);
    file.environment_of[kept] = file.environment_of[k];
    file.job_of[kept++] = file.job_of[k];
  }
  file.results.resize(kept);
  file.environment_of.resize(kept);
  file.job_of.resize(kept);
  if (kept == 0) fail(filter, names, file.path.string());
}

int report_problems(const ResultFile& file) {
  for (const std::string& problem : file.problems)
    fmt::print(stderr, "kernelbatch: {}\n", visible(problem));
  const bool has_nothing = file.results.empty() && !file.problems.empty();
  return static_cast<int>(has_nothing ? ExitCode::kStoreFailed : ExitCode::kOk);
}

}  // namespace kernelbatch::app
