#include "core/store/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const { return comes_before(a, b); }
};

template <class T>
const T* at_or_null(const std::vector<T>& records, std::int64_t index) {
  return index >= 0 && index < static_cast<std::int64_t>(records.size())
             ? &records[static_cast<std::size_t>(index)]
             : nullptr;
}

bool is_newer(const ResultRecord& a, const ResultRecord& b) {
  return std::tuple(a.attempt, a.start_ns) >= std::tuple(b.attempt, b.start_ns);
}

void keep_newest(std::vector<CollectedResult>& results, CollectedResult candidate) {
  const auto rival = std::ranges::find_if(results, [&](const CollectedResult& result) {
    return result.record.variant == candidate.record.variant;
  });
  if (rival == results.end())
    results.push_back(std::move(candidate));
  else if (is_newer(candidate.record, rival->record))
    *rival = std::move(candidate);
}

}  // namespace

Collector::Collector(std::vector<ShardFile> shards, const std::vector<MergedFile*>& merged,
                     const std::string& only_case) {
  std::map<std::string, Sources, NaturalOrder> by_case;
  for (MergedFile* file : merged)
    for (std::size_t row = 0; row < file->case_ids().size(); ++row)
      if (only_case.empty() || file->case_ids()[row] == only_case)
        by_case[file->case_ids()[row]].rows.push_back({file, static_cast<std::int64_t>(row)});
  for (ShardFile& shard : shards) {
    Sources& sources = by_case[shard.case_id];
    sources.shards.push_back(std::move(shard));
  }
  for (auto& [case_id, sources] : by_case) cases_.push_back(std::move(sources));
}

CollectedCase Collector::collect(std::size_t index, Parts parts, Check check) {
  const Sources& sources = cases_.at(index);
  CollectedCase result;
  result.results.reserve(sources.rows.size());
  for (const auto& [merged, row] : sources.rows) {
    const schema::Place place = merged->place(row);
    keep_newest(result.results,
                {merged->result(row, parts), at_or_null(merged->environments(), place.environment),
                 at_or_null(merged->jobs(), place.job), merged});
  }
  for (const ShardFile& file : sources.shards) {
    try {
      auto shard = std::make_unique<Shard>(file.path, parts.samples);
      if (shard->record().case_id != file.case_id)
        throw StoreError(fmt::format("it holds the case '{}'", shard->record().case_id));
      if (check == Check::kRecordAndOutputs) shard->verify_outputs();
      result.shards.push_back(std::move(shard));
    } catch (const StoreError& error) {
      result.unreadable.push_back({file, error.what()});
    } catch (const SpecError& error) {
      if (identity_of(file.path).size >= 0) throw;
      throw StoreError(
          fmt::format("the shard '{}' vanished while it was read: is a merge running? "
                      "Try again after it",
                      file.path.string()));
    }
  }
  for (const auto& shard : result.shards)
    for (ResultRecord& record : shard->record().results)
      keep_newest(result.results, {std::move(record), &shard->record().environment,
                                   &shard->record().job, shard.get()});
  return result;
}

}  // namespace kernelbatch
