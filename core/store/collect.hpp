// The newest attempt of every case and variant, out of shards and a merged file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/store/json.hpp"
#include "core/store/merged_reader.hpp"
#include "core/store/record.hpp"
#include "core/store/shard_files.hpp"
#include "core/store/shard_reader.hpp"

namespace kernelbatch {

/// One result, and where the rest of it is. The pointers live as long as the CollectedCase and the
/// merged file.
struct CollectedResult {
  ResultRecord record;
  const EnvironmentRecord* environment = nullptr;  ///< null where unknown
  const JobRecord* job = nullptr;                  ///< null where unknown
  const OutputSource* source = nullptr;
};

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

/// Holds one case at a time, so that memory does not grow with their count.
class Collector {
 public:
  /// The merged files must outlive the collector. With `only_case`, their other cases are passed
  /// over.
  Collector(std::vector<ShardFile> shards, const std::vector<MergedFile*>& merged,
            const std::string& only_case = {});

  std::size_t size() const noexcept { return cases_.size(); }
  /// The cases in natural order of their ids. Throws StoreError when a shard vanished meanwhile.
  CollectedCase collect(std::size_t index, Parts parts, Check check);

 private:
  struct Row {
    MergedFile* file;
    std::int64_t row;
  };
  struct Sources {
    std::vector<ShardFile> shards;
    std::vector<Row> rows;
  };
  std::vector<Sources> cases_;
};

}  // namespace kernelbatch
