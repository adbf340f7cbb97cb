// Files under `<output>.d`: names, which are shards, and how they are removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

inline constexpr std::string_view kShardSuffix = ".h5";
/// Arrays of an unfinished case, next to its shards.
inline constexpr std::string_view kSpilledSuffix = ".raw";
/// Lock of the run that owns a folder of shards.
inline constexpr std::string_view kRunLock = ".run.lock";
/// Suffix of the locks with which earlier versions claimed tries of searches.
inline constexpr std::string_view kClaimSuffix = ".claim.lock";
/// Begin of the name of a folder of claims (base/claims).
inline constexpr std::string_view kClaimsPrefix = ".claims-";
/// Attributes of a shard with a separate file of arrays: its name and its XXH3.
inline constexpr std::string_view kSeparateOutputs = "outputs_file";
inline constexpr std::string_view kSeparateOutputsHash = "outputs_xxh3";

/// Distinguishes a file from another that later got the same name.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = -1, changed_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// All zero except the size, -1, if the file does not exist.
FileIdentity identity_of(const std::filesystem::path& path) noexcept;

/// A listed shard. Shards share their folder's path, since a merge holds very many.
class ShardFile {
 public:
  /// `name` begins with the case's ID, which has `case_length` characters.
  ShardFile(std::shared_ptr<const std::filesystem::path> folder, std::string name,
            std::size_t case_length);

  std::filesystem::path path() const { return *folder_ / name_; }
  std::string_view case_id() const noexcept {
    return std::string_view(name_).substr(0, case_length_);
  }
  const std::filesystem::path& folder() const noexcept { return *folder_; }
  const std::string& name() const noexcept { return name_; }
  /// Identity when it was listed.
  const FileIdentity& identity() const noexcept { return identity_; }

 private:
  std::shared_ptr<const std::filesystem::path> folder_;
  std::string name_;
  std::size_t case_length_;
  FileIdentity identity_;
};

/// Shards in a folder and its sub-folders, in natural order of their cases (c2 before c10), then of
/// their paths. None if the folder does not exist.
std::vector<ShardFile> list_shards(const std::filesystem::path& folder);

/// Shards of a case in one folder: `<case_id>.h5`, then `<case_id>.2.h5`, `<case_id>.3.h5`, … from
/// runs of only some variants.
std::vector<std::filesystem::path> shards_of_case(const std::filesystem::path& folder,
                                                  std::string_view case_id);
/// The first unused of these names.
std::filesystem::path free_shard(const std::filesystem::path& folder, std::string_view case_id);

/// The case of a shard's file name; empty for the names of arrays, locks and temporary files.
std::string_view case_of_shard(std::string_view file_name) noexcept;

/// ResultRecord::plan_index of a shard's case, read from its text without opening it as HDF5; -1 if
/// it has none.
std::int64_t plan_index_of(const ShardFile& shard);

/// Natural order: runs of digits compare as numbers.
bool comes_before(std::string_view a, std::string_view b) noexcept;

std::string separate_outputs_name(std::string_view case_id, std::string_view hash);
bool is_separate_outputs(std::string_view file_name) noexcept;

/// Removes a shard unless it was replaced since it was listed. Returns false if it stays.
bool remove_shard(const ShardFile& shard);

/// Renames an unreadable shard to `….bad`. Returns its new path.
std::filesystem::path set_aside(const ShardFile& shard);

/// Sorted files of set_aside() in a folder and its sub-folders.
std::vector<std::filesystem::path> list_set_aside(const std::filesystem::path& folder);

/// True for names from temporary_name().
bool is_temporary(std::string_view file_name) noexcept;

/// Removes a temporary file if no living process can still be writing it; leaves all other files.
void remove_stale_temporary(const std::filesystem::path& path) noexcept;

/// Removes arrays of the given shards that are not newer, temporary files, locks, claims and
/// spilled arrays of dead writers, and then empty folders.
void tidy_shards_folder(const std::filesystem::path& folder, std::span<const ShardFile> removed);

}  // namespace kernelbatch
