// Shards: one file per finished case, whole from the instant that it has its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/result/record.hpp"

namespace kernelbatch {

struct ShardOptions {
  int deflate = 1;  ///< of arrays above 64 KiB, 0 to 9
  /// Arrays of one case above this go to a file of their own, on which no copy in memory is spent.
  std::uint64_t separate_outputs_bytes = std::uint64_t{64} << 20;
};

/// `<output>.d`, where the shards of all tasks of a job lie until they are merged.
std::filesystem::path shards_folder(const std::filesystem::path& output_file);

/// `<output>.d/<shard>`: each task of an array writes into its own.
std::filesystem::path shard_folder(const std::filesystem::path& output_file,
                                   std::string_view shard_name);

/// Writes `<folder>/<case_id>.h5`, or the next name where an earlier run left a shard of the case
/// (shards_of_case()): that may tell of variants which this one does not. On return the case
/// survives a power cut; after a crash at any instant the file is there whole, or not at all. Not
/// for two processes that write to one folder. Throws StoreError when it cannot be written, when
/// the id, a variant or an output cannot name a file, or when `outputs` name results that `record`
/// lacks.
void write_shard(const std::filesystem::path& folder, const CaseRecord& record,
                 std::span<const OutputData> outputs, const ShardOptions& options = {});

}  // namespace kernelbatch
