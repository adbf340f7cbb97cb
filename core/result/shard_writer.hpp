// Shards: one file per finished case, complete as soon as it has its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/result/record.hpp"

namespace kernelbatch {

struct ShardOptions {
  int deflate = 1;  ///< of arrays above 64 KiB, 0 to 9
  /// Larger arrays of one case go to a separate file, without a copy in memory.
  std::uint64_t separate_outputs_bytes = std::uint64_t{64} << 20;
};

/// `<output>.d`, the folder of all tasks' shards until they are merged.
std::filesystem::path shards_folder(const std::filesystem::path& output_file);

/// `<output>.d/<shard>`: the folder of one task of an array.
std::filesystem::path shard_folder(const std::filesystem::path& output_file,
                                   std::string_view shard_name);

/// Writes `<folder>/<case_id>.h5`, or the next name if an earlier run left a shard of the case
/// (shards_of_case()), which may have other variants. On return the case survives a power failure;
/// after a crash at any time the file is complete or absent. Two processes must not write to one
/// folder. Throws StoreError if it cannot be written, if the ID, a variant or an output is not a
/// valid file name, or if `outputs` names results that `record` lacks.
void write_shard(const std::filesystem::path& folder, const CaseRecord& record,
                 std::span<const OutputData> outputs, const ShardOptions& options = {});

}  // namespace kernelbatch
