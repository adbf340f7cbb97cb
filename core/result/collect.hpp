// Collects the newest attempt of every case and variant from shards and merged files.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/json.hpp"
#include "core/result/merged_reader.hpp"
#include "core/result/record.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_reader.hpp"

namespace kernelbatch {

/// One result and the source of its arrays. The pointers live as long as the CollectedCase and the
/// merged file.
struct CollectedResult {
  ResultRecord record;
  const EnvironmentRecord* environment = nullptr;  ///< null if unknown
  const JobRecord* job = nullptr;                  ///< null if unknown
  const OutputSource* source = nullptr;
};

/// A row of a merged file.
CollectedResult collect_row(MergedFile& file, std::int64_t row, const Parts& parts);

/// Checks the arrays of a result against their digests and returns their number. Throws StoreError
/// with the name of a modified array.
std::int64_t verify_arrays(const CollectedResult& result);

struct UnreadableShard {
  ShardFile file;
  std::string reason;
};

/// The combined attempts of one case.
struct CollectedCase {
  std::vector<CollectedResult> results;  ///< one per variant
  std::vector<std::unique_ptr<Shard>> shards;
  std::vector<UnreadableShard> unreadable;
};

/// Parts of a shard that must be intact.
enum class Check : bool { kRecord, kRecordAndOutputs };

/// Collects one case at a time, so that memory per case is limited to its position in the sources.
class Collector {
 public:
  /// The shards, in any order, and the merged files must outlive the collector. With `only_case`,
  /// other cases are ignored.
  Collector(std::span<const ShardFile> shards, const std::vector<MergedFile*>& merged,
            std::string_view only_case = {});

  std::size_t size() const noexcept { return cases_.size(); }
  /// Returns a case: cases are in plan order, those without a plan index last, in natural order of
  /// their IDs. The variants of a case are in plan order too. Throws StoreError if a shard vanished
  /// meanwhile.
  CollectedCase collect(std::size_t index, Parts parts, Check check) const;

 private:
  /// A row of a merged file, or a shard.
  struct Source {
    MergedFile* file;
    std::int64_t row;
    const ShardFile* shard;
    std::string_view case_id() const;
  };

  std::vector<Source> sources_;  ///< grouped by case
  struct Case {
    std::size_t begin = 0, end = 0;
  };
  void group(bool is_in_order);
  void order_by_plan();
  std::int64_t plan_index(const Case& of) const;

  std::vector<Case> cases_;
};

}  // namespace kernelbatch
