// The files under `<output>.d`: what they are called, which are shards, and how they go away.
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
/// Arrays of a case that is not finished, beside its shards.
inline constexpr std::string_view kSpilledSuffix = ".raw";
/// Locked by the run whose shards a folder holds.
inline constexpr std::string_view kRunLock = ".run.lock";
/// Ends the name of what a task locks while it tries a case that others could try, too.
inline constexpr std::string_view kClaimSuffix = ".claim.lock";
/// Attributes of a shard whose arrays lie in a file of their own: its name and its XXH3.
inline constexpr std::string_view kSeparateOutputs = "outputs_file";
inline constexpr std::string_view kSeparateOutputsHash = "outputs_xxh3";

/// Tells a file from another that later got the same name.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = -1, changed_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// All zero but the size, -1, where there is no such file.
FileIdentity identity_of(const std::filesystem::path& path) noexcept;

/// A shard as it was listed. A merge holds one of each of very many: they share their folder's
/// path.
class ShardFile {
 public:
  /// `name` begins with the case's id, which has `case_length` letters.
  ShardFile(std::shared_ptr<const std::filesystem::path> folder, std::string name,
            std::size_t case_length);

  std::filesystem::path path() const { return *folder_ / name_; }
  std::string_view case_id() const noexcept {
    return std::string_view(name_).substr(0, case_length_);
  }
  const std::filesystem::path& folder() const noexcept { return *folder_; }
  const std::string& name() const noexcept { return name_; }
  /// When it was listed.
  const FileIdentity& identity() const noexcept { return identity_; }

 private:
  std::shared_ptr<const std::filesystem::path> folder_;
  std::string name_;
  std::size_t case_length_;
  FileIdentity identity_;
};

/// The shards in a folder and in its sub-folders, in the natural order of their cases (c2 before
/// c10), then of their paths. No shards for no folder.
std::vector<ShardFile> list_shards(const std::filesystem::path& folder);

/// The shards of a case in one folder: the first is called `<case_id>.h5`, the next ones, which a
/// run leaves that does only some of the variants, `<case_id>.2.h5`, `<case_id>.3.h5`, …
std::vector<std::filesystem::path> shards_of_case(const std::filesystem::path& folder,
                                                  std::string_view case_id);
/// The first of these names that is free.
std::filesystem::path free_shard(const std::filesystem::path& folder, std::string_view case_id);

/// The case that a file's name says it is a shard of; empty for the names of arrays, locks and
/// temporary files.
std::string_view case_of_shard(std::string_view file_name) noexcept;

/// ResultRecord::plan_index of a shard's case, found in its text without opening it as HDF5; -1
/// where it says none.
std::int64_t plan_index_of(const ShardFile& shard);

/// Natural order: runs of digits compare as numbers.
bool comes_before(std::string_view a, std::string_view b) noexcept;

std::string separate_outputs_name(std::string_view case_id, std::string_view hash);
bool is_separate_outputs(std::string_view file_name) noexcept;

/// Removes a shard, but not one that has replaced it since it was listed. False where it stays.
bool remove_shard(const ShardFile& shard);

/// Renames an unreadable shard to `….bad`. Returns its new path.
std::filesystem::path set_aside(const ShardFile& shard);

/// What set_aside() left in a folder and its sub-folders, sorted.
std::vector<std::filesystem::path> list_set_aside(const std::filesystem::path& folder);

/// Is it a name of temporary_name()?
bool is_temporary(std::string_view file_name) noexcept;

/// Removes a temporary file that no living writer can still be writing; leaves every other file.
void remove_stale_temporary(const std::filesystem::path& path) noexcept;

/// Removes arrays that belonged to the shards given and are no newer, temporary files, locks and
/// spilled arrays of writers that died, and then the folders that are empty.
void tidy_shards_folder(const std::filesystem::path& folder, std::span<const ShardFile> removed);

}  // namespace kernelbatch
