#include "core/run/finished_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <compare>
#include <set>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/result/merged_reader.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_reader.hpp"
#include "core/result/shard_writer.hpp"
#include "core/run/partition.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

/// Maximum number of folders that are listed; if there are more, only those that a case can be in
/// are read.
constexpr std::size_t kListed = 64;

/// A shard was removed by a merge after it was found.
struct Vanished {};

/// Number of tasks in the name of a task's folder; 0 for another folder.
std::size_t tasks_of(const std::string& name) {
  std::size_t index = 0, count = 0;
  const char* const end = name.data() + name.size();
  const auto [dash, error] = std::from_chars(name.data(), end, index);
  constexpr std::string_view kOf = "-of-";
  if (error != std::errc{} || !std::string_view(dash, end).starts_with(kOf)) return 0;
  std::from_chars(dash + kOf.size(), end, count);
  return index > 0 && name == shard_name({index - 1, count}) ? count : 0;
}

std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (const std::string name = entry->path().filename();
        entry->is_directory(error) && !name.starts_with('.'))
      names.push_back(name);
  return names;
}

std::vector<fs::path> listed_in(const fs::path& folder,
                                const std::set<std::string, std::less<>>& wanted) {
  std::vector<fs::path> paths;
  for (const ShardFile& shard : list_shards(folder))
    if (wanted.contains(shard.case_id())) paths.push_back(shard.path());
  return paths;
}

/// Shards of these cases in any task's folder. The cases of a search are known only from shards.
std::vector<fs::path> shards_of(const fs::path& folder,
                                const std::vector<const PlannedCase*>& cases, bool has_searches) {
  if (has_searches) {
    std::vector<fs::path> all;
    for (const ShardFile& shard : list_shards(folder)) all.push_back(shard.path());
    return all;
  }
  std::set<std::string, std::less<>> wanted;
  for (const PlannedCase* planned : cases) wanted.insert(planned->case_id);
  const std::vector<std::string> names = folders_in(folder);
  if (names.size() <= kListed) return listed_in(folder, wanted);
  std::vector<fs::path> paths;
  const std::set<std::string> known(names.begin(), names.end());
  const bool has_ranks =
      std::ranges::all_of(cases, [](const auto* each) { return each->rank.has_value(); });
  std::set<std::size_t> counts;
  for (const std::string& name : names) {
    const std::size_t count = tasks_of(name);
    // Without ranks, the folder of a case is unknown.
    if (count > 0 && has_ranks)
      counts.insert(count);
    else
      std::ranges::move(listed_in(folder / name, wanted), std::back_inserter(paths));
  }
  for (const std::size_t count : counts)
    for (const PlannedCase* planned : cases) {
      const std::string name = shard_name({owner_of(*planned->rank, count), count});
      if (!known.contains(name)) continue;
      std::ranges::move(shards_of_case(folder / name, planned->case_id), std::back_inserter(paths));
    }
  return paths;
}

}  // namespace

FinishedResults::FinishedResults(const fs::path& output_file,
                                 const std::vector<const PlannedCase*>& cases, std::size_t listed,
                                 std::vector<MadeOf> ingredients,
                                 std::vector<PlannedSearch> searches)
    : searches_(std::move(searches)), ingredients_(std::move(ingredients)), listed_(listed) {
  // A concurrent merge deletes shards after it has written the file, so a retry finds the results
  // there.
  constexpr int kTries = 5;
  for (int tries = 1;; ++tries) {
    try {
      read(output_file, cases);
      return;
    } catch (const Vanished&) {
      if (tries == kTries)
        throw StoreError(
            fmt::format("the results under '{}' keep changing: is a merge running? "
                        "Try again after it",
                        output_file.string()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200 * tries));
  }
}

void FinishedResults::read(const fs::path& output_file,
                           const std::vector<const PlannedCase*>& cases) {
  by_case_.clear();
  whole_ = searched_ = 0;
  latest_run_ = -1;
  for (const PlannedCase* planned : cases) by_case_[planned->case_id].workload = planned->workload;
  const std::vector<fs::path> shards =
      shards_of(shards_folder(output_file), cases, !searches_.empty());
  if (fs::exists(output_file)) {
    MergedFile merged(output_file);
    const std::vector<std::string>& ids = merged.case_ids();
    for (std::size_t row = 0; row < ids.size(); ++row)
      if (!searches_.empty() || by_case_.contains(ids[row]))
        add(merged.result(static_cast<std::int64_t>(row), {Samples::kOmit, false}));
  }
  for (const fs::path& path : shards) {
    try {
      Shard shard(path, Samples::kOmit);
      for (ResultRecord& record : shard.record().results) add(std::move(record));
    } catch (const StoreError&) {
      // Unreadable: a merge sets it aside and reports it; here its case is missing.
    } catch (const SpecError&) {
      if (identity_of(path).size < 0) throw Vanished{};
      throw;
    }
  }
}

void FinishedResults::add(ResultRecord record) {
  auto of_case = by_case_.find(record.case_id);
  if (of_case == by_case_.end()) {
    const PlannedSearch* const search = search_of(record);
    if (search == nullptr) return;
    ++searched_;
    of_case = by_case_.emplace(record.case_id, Case{search->workload(), {}}).first;
  }
  latest_run_ = std::max(latest_run_, order_of(record).run);
  FinishedResult result{.variant = record.variant,
                        .status = record.status,
                        .retryable = record.retryable,
                        .order = order_of(record),
                        .cold = record.cold,
                        .end_ns = record.end_ns,
                        .changes = {}};
  if (of_case->second.workload < ingredients_.size())
    result.changes =
        changes_since(record.made_of, ingredients_[of_case->second.workload], record.variant);
  if (whole_ < listed_ || is_failure(record.status)) {
    ++whole_;
    leave_out_details(record);
    result.whole = std::make_unique<ResultRecord>(std::move(record));
  }
  std::vector<FinishedResult>& results = of_case->second.results;
  const auto same = std::ranges::find(results, result.variant, &FinishedResult::variant);
  if (same == results.end())
    results.push_back(std::move(result));
  else if (result.order >= same->order)
    *same = std::move(result);
}

/// The search that a result belongs to; null if there is none.
const PlannedSearch* FinishedResults::search_of(const ResultRecord& record) const {
  if (record.tuned.empty()) return nullptr;
  for (const PlannedSearch& search : searches_) {
    if (!search.is_of_this_problem(record.params)) continue;
    const auto configuration = search.configuration_of(record.params);
    if (configuration && search.case_id(*configuration) == record.case_id) return &search;
  }
  return nullptr;
}

const std::vector<FinishedResult>& FinishedResults::of(const std::string& case_id) const {
  static const std::vector<FinishedResult> kNone;
  const auto found = by_case_.find(case_id);
  return found == by_case_.end() ? kNone : found->second.results;
}

std::vector<FinishedResult> FinishedResults::take(const std::string& case_id) {
  const auto found = by_case_.find(case_id);
  return found == by_case_.end() ? std::vector<FinishedResult>{}
                                 : std::exchange(found->second.results, {});
}

std::vector<FinishedResult> FinishedResults::take(const std::string& case_id,
                                                  const std::vector<std::string>& variants) {
  std::vector<FinishedResult> taken;
  const auto found = by_case_.find(case_id);
  if (found == by_case_.end()) return taken;
  std::vector<FinishedResult>& all = found->second.results;
  const auto rest = std::stable_partition(all.begin(), all.end(), [&](const FinishedResult& each) {
    return std::ranges::find(variants, each.variant) == variants.end();
  });
  std::move(rest, all.end(), std::back_inserter(taken));
  all.erase(rest, all.end());
  return taken;
}

ResultRecord FinishedResult::record() && {
  if (whole) return std::move(*whole);
  ResultRecord record;
  record.variant = std::move(variant);
  record.status = status;
  record.run = order.run;
  record.attempt = order.attempt;
  record.start_ns = order.start_ns;
  record.end_ns = end_ns;
  record.cold = cold;
  return record;
}

void refuse_to_replace(const FinishedResults& known, const Plan& plan, const fs::path& output_file,
                       bool may_share) {
  std::ptrdiff_t count = may_share ? 0 : static_cast<std::ptrdiff_t>(known.searched());
  for (const PlannedCase& planned : plan.cases)
    for (const FinishedResult& result : known.of(planned.case_id))
      count += std::ranges::count(plan.workloads[planned.workload].variants, result.variant);
  if (count > 0)
    throw SpecError(
        fmt::format("'{}' has {} of these results already: --resume runs only what is missing or "
                    "outdated, --overwrite replaces all, -o FILE writes another file, and "
                    "`output: {{history: true}}` keeps every run",
                    visible(output_file.string()), count));
}

std::int64_t next_run(std::int64_t now_ns, const FinishedResults& earlier) noexcept {
  return std::max(now_ns, earlier.latest_run() + 1);
}

bool is_final(const FinishedResult& result, int retries) noexcept {
  if (result.retryable || !result.changes.empty()) return false;
  return result.status != Status::kCrashed || result.order.attempt > retries;
}

}  // namespace kernelbatch
