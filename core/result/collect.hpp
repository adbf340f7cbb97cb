// The newest attempt of every case and variant, out of shards and a merged file.
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

/// One result, and where the rest of it is. The pointers live as long as the CollectedCase and the
/// merged file.
struct CollectedResult {
  ResultRecord record;
  const EnvironmentRecord* environment = nullptr;  ///< null where unknown
  const JobRecord* job = nullptr;                  ///< null where unknown
  const OutputSource* source = nullptr;
};

/// A row of a merged file.
CollectedResult collect_row(MergedFile& file, std::int64_t row, const Parts& parts);

/// Compares the arrays of a result with their digests and counts them. Throws StoreError, naming
/// it, for one that is not what was computed.
std::int64_t verify_arrays(const CollectedResult& result);

struct UnreadableShard {
  ShardFile file;
  std::string reason;
};

/// What all attempts of one case amount to.
struct CollectedCase {
  std::vector<CollectedResult> results;  ///< one per variant
  std::vector<std::unique_ptr<Shard>> shards;
  std::vector<UnreadableShard> unreadable;
};

/// How much of a shard must be whole.
enum class Check : bool { kRecord, kRecordAndOutputs };

/// Holds one case at a time, so that memory grows with their count only by what tells where each
/// is.
class Collector {
 public:
  /// The shards, sorted by case as list_shards() gives them or not, and the merged files must
  /// outlive the collector. With `only_case`, the files' other cases are passed over.
  Collector(std::span<const ShardFile> shards, const std::vector<MergedFile*>& merged,
            std::string_view only_case = {});

  std::size_t size() const noexcept { return cases_.size(); }
  /// The cases in the order of their job's plan; those of which that is unknown come last, in
  /// natural order of their ids. The variants of a case are in its order, too. Throws StoreError
  /// when a shard vanished meanwhile.
  CollectedCase collect(std::size_t index, Parts parts, Check check) const;

 private:
  /// A row of a merged file, or a shard.
  struct Source {
    MergedFile* file;
    std::int64_t row;
    const ShardFile* shard;
    std::string_view case_id() const;
  };

  std::vector<Source> sources_;  ///< those of a case side by side
  struct Case {
    std::size_t begin = 0, end = 0;
  };
  void group(bool is_in_order);
  void order_by_plan();
  std::int64_t plan_index(const Case& of) const;

  std::vector<Case> cases_;
};

}  // namespace kernelbatch
