#include "core/result/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "core/result/output.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

template <class T>
const T* at_or_null(const std::vector<T>& records, std::int64_t index) {
  return index >= 0 && index < static_cast<std::int64_t>(records.size())
             ? &records[static_cast<std::size_t>(index)]
             : nullptr;
}

void keep_latest(std::vector<CollectedResult>& results, CollectedResult candidate) {
  const auto rival = std::ranges::find_if(results, [&](const CollectedResult& result) {
    return result.record.variant == candidate.record.variant;
  });
  if (rival == results.end())
    results.push_back(std::move(candidate));
  else if (order_of(candidate.record) >= order_of(rival->record))
    *rival = std::move(candidate);
}

}  // namespace

CollectedResult collect_row(MergedFile& file, std::int64_t row, const Parts& parts) {
  const schema::Place place = file.place(row);
  return {file.result(row, parts), at_or_null(file.environments(), place.environment),
          at_or_null(file.jobs(), place.job), &file};
}

std::int64_t verify_arrays(const CollectedResult& result) {
  const ResultRecord& record = result.record;
  std::int64_t count = 0;
  for (const std::string& name : result.source->outputs(record.case_id, record.variant)) {
    const auto output = std::ranges::find(record.outputs, name, &OutputRecord::name);
    const std::string what = fmt::format("the array '{}' of case '{}', variant '{}'", name,
                                         record.case_id, record.variant);
    if (output == record.outputs.end()) throw StoreError(what + " is unknown to its record");
    require_whole(*result.source->output(record.case_id, record.variant, name), *output, what);
    ++count;
  }
  return count;
}

std::string_view Collector::Source::case_id() const {
  return shard != nullptr ? shard->case_id()
                          : std::string_view(file->case_ids()[static_cast<std::size_t>(row)]);
}

Collector::Collector(std::span<const ShardFile> shards, const std::vector<MergedFile*>& merged,
                     std::string_view only_case) {
  for (MergedFile* file : merged)
    for (std::size_t row = 0; row < file->case_ids().size(); ++row)
      if (only_case.empty() || file->case_ids()[row] == only_case)
        sources_.push_back({file, static_cast<std::int64_t>(row), nullptr});
  for (const ShardFile& shard : shards) sources_.push_back({nullptr, -1, &shard});
  // Only a single merged file has each case's variants in consecutive rows and in order.
  const bool is_in_order = merged.size() == 1 && shards.empty();
  group(is_in_order);
  if (!is_in_order) order_by_plan();
}

void Collector::group(bool is_in_order) {
  const auto is_before = [](const Source& a, const Source& b) {
    return a.case_id() != b.case_id() && comes_before(a.case_id(), b.case_id());
  };
  if (!is_in_order && !std::ranges::is_sorted(sources_, is_before))
    std::ranges::stable_sort(sources_, is_before);
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    if (k == 0 || sources_[k].case_id() != sources_[k - 1].case_id()) cases_.push_back({k, k});
    cases_.back().end = k + 1;
  }
}

/// The plan index from any of its results, which are all of one job.
std::int64_t Collector::plan_index(const Case& of) const {
  for (std::size_t k = of.begin; k < of.end; ++k) {
    const Source& source = sources_[k];
    const std::int64_t index =
        source.shard != nullptr ? plan_index_of(*source.shard)
                                : source.file->plan_indices()[static_cast<std::size_t>(source.row)];
    if (index >= 0) return index;
  }
  return std::numeric_limits<std::int64_t>::max();
}

void Collector::order_by_plan() {
  std::vector<std::pair<std::int64_t, Case>> known;
  known.reserve(cases_.size());
  for (const Case& each : cases_) known.emplace_back(plan_index(each), each);
  std::ranges::stable_sort(known, {}, [](const auto& each) { return each.first; });
  std::ranges::transform(known, cases_.begin(), [](const auto& each) { return each.second; });
}

CollectedCase Collector::collect(std::size_t index, Parts parts, Check check) const {
  const Case& of = cases_.at(index);
  const std::span<const Source> sources = std::span(sources_).subspan(of.begin, of.end - of.begin);
  CollectedCase result;
  result.results.reserve(sources.size());
  for (const Source& source : sources) {
    if (source.shard != nullptr) continue;
    keep_latest(result.results, collect_row(*source.file, source.row, parts));
  }
  for (const Source& source : sources) {
    if (source.shard == nullptr) continue;
    const ShardFile& file = *source.shard;
    const fs::path path = file.path();
    try {
      auto shard = std::make_unique<Shard>(path, parts.samples, parts.damaged);
      if (shard->record().case_id != file.case_id())
        throw StoreError(fmt::format("it holds the case '{}'", shard->record().case_id));
      if (check == Check::kRecordAndOutputs && parts.damaged == Damaged::kRefuse)
        shard->verify_outputs();
      result.shards.push_back(std::move(shard));
    } catch (const StoreError& error) {
      result.unreadable.push_back({file, error.what()});
    } catch (const SpecError& error) {
      if (identity_of(path).size >= 0) throw;
      throw StoreError(
          fmt::format("the shard '{}' vanished while it was read: is a merge running? "
                      "Try again after it",
                      path.string()));
    }
  }
  for (const auto& shard : result.shards)
    for (ResultRecord& record : shard->record().results)
      keep_latest(result.results, {std::move(record), &shard->record().environment,
                                   &shard->record().job, shard.get()});
  const auto is_known = [](const CollectedResult& each) { return each.record.variant_index >= 0; };
  if (std::ranges::all_of(result.results, is_known))
    std::ranges::stable_sort(result.results, {},
                             [](const CollectedResult& each) { return each.record.variant_index; });
  return result;
}

}  // namespace kernelbatch
