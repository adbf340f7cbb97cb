#include "core/result/shard_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/base/claims.hpp"
#include "core/base/error.hpp"
#include "core/base/failpoint.hpp"
#include "core/base/file.hpp"
#include "core/base/file_lock.hpp"
#include "core/base/text_cursor.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOutputsSuffix = ".outputs.h5";
/// A shard being removed. Counts as a shard, because a crash may leave it in this state.
constexpr std::string_view kRemovingSuffix = ".h5.removing";
constexpr std::string_view kSetAsideSuffix = ".bad";
constexpr auto kStale = std::chrono::hours(1);

std::string_view digits_of(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

/// Without the `.2` of a case's second shard.
std::string_view without_number(std::string_view stem) {
  const std::size_t dot = stem.rfind('.');
  const bool has_number = dot != stem.npos && dot + 1 < stem.size() &&
                          std::ranges::all_of(stem.substr(dot + 1), is_digit);
  return has_number ? stem.substr(0, dot) : stem;
}

/// The case of a file name; empty if it is not a shard.
std::string_view case_of(std::string_view name) {
  if (name.starts_with('.') || is_separate_outputs(name)) return {};
  for (const std::string_view suffix : {kRemovingSuffix, kShardSuffix})
    if (name.ends_with(suffix)) return without_number(name.substr(0, name.size() - suffix.size()));
  return {};
}

/// Calls `function` with each entry of a folder, one at a time, since there may be many. A folder
/// that was just removed has no entries: tasks without results and merges remove their folders.
template <class Function>
void for_each_entry(const fs::path& folder, Function function) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    function(*entry);
  if (error && error != std::errc::no_such_file_or_directory)
    throw StoreError(fmt::format("cannot list '{}': {}", folder.string(), error.message()));
}

/// Calls `function` with the folder and name of each file of a folder and its sub-folders.
template <class Function>
void for_each_file(const fs::path& folder, Function function) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return;
  const auto visit_files = [&](const std::shared_ptr<const fs::path>& where, auto visit_folder) {
    for_each_entry(*where, [&](const fs::directory_entry& entry) {
      // Links are not results; their targets must not be read or removed.
      const fs::file_type type = entry.symlink_status(ignored).type();
      if (type == fs::file_type::regular)
        function(where, entry.path().filename().string());
      else if (type == fs::file_type::directory &&
               !entry.path().filename().string().starts_with('.'))
        visit_folder(entry.path());
    });
  };
  visit_files(std::make_shared<const fs::path>(folder), [&](const fs::path& inner) {
    visit_files(std::make_shared<const fs::path>(inner), [](const fs::path&) {});
  });
}

/// Removes a run's lock and its unstored arrays if no process holds the lock.
void tidy_after_dead_run(const fs::path& path) {
  const FileLock lock(path, std::chrono::milliseconds(0));
  if (!lock.is_held()) return;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path.parent_path(), ignored))
    if (entry.path().extension() == kSpilledSuffix) fs::remove(entry.path(), ignored);
}

}  // namespace

FileIdentity identity_of(const fs::path& path) noexcept {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, status.st_size,
          status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
}

ShardFile::ShardFile(std::shared_ptr<const fs::path> folder, std::string name,
                     std::size_t case_length)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      case_length_(case_length),
      identity_(identity_of(*folder_ / name_)) {}

std::vector<ShardFile> list_shards(const fs::path& folder) {
  std::vector<ShardFile> shards;
  for_each_file(folder, [&](const auto& where, std::string name) {
    const std::size_t length = case_of(name).size();
    if (length > 0) shards.emplace_back(where, std::move(name), length);
  });
  std::ranges::sort(shards, [](const ShardFile& a, const ShardFile& b) {
    if (a.case_id() != b.case_id()) return comes_before(a.case_id(), b.case_id());
    if (a.folder() != b.folder()) return a.folder() < b.folder();
    // c1.h5 before c1.2.h5, and that before c1.10.h5.
    return std::pair(a.name().size(), a.name()) < std::pair(b.name().size(), b.name());
  });
  return shards;
}

fs::path numbered_shard(const fs::path& folder, std::string_view case_id, int number) {
  return folder / (number == 1 ? fmt::format("{}{}", case_id, kShardSuffix)
                               : fmt::format("{}.{}{}", case_id, number, kShardSuffix));
}

std::vector<fs::path> shards_of_case(const fs::path& folder, std::string_view case_id) {
  // A merge that removed the first ones may have left later ones.
  constexpr int kGap = 4;
  std::vector<fs::path> paths;
  for (int number = 1, missing = 0; missing < kGap; ++number) {
    fs::path path = numbered_shard(folder, case_id, number);
    if (identity_of(path).size < 0) {
      ++missing;
      continue;
    }
    missing = 0;
    paths.push_back(std::move(path));
  }
  return paths;
}

fs::path free_shard(const fs::path& folder, std::string_view case_id) {
  for (int number = 1;; ++number) {
    fs::path path = numbered_shard(folder, case_id, number);
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(path, ignored))) return path;
  }
}

std::string_view case_of_shard(std::string_view file_name) noexcept { return case_of(file_name); }

std::int64_t plan_index_of(const ShardFile& shard) {
  constexpr std::string_view kKey = "\"plan_index\":";
  try {
    const MappedFile file(shard.path());
    const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                                file.bytes().size());
    // The record is written first; quotes in its texts are escaped.
    const std::size_t at = text.find(kKey);
    std::int64_t index = -1;
    if (at != std::string_view::npos)
      std::from_chars(text.data() + at + kKey.size(), text.data() + text.size(), index);
    return index;
  } catch (const Error&) {
    return -1;  // vanished or unreadable: reported by the full reader
  }
}

bool comes_before(std::string_view a, std::string_view b) noexcept {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view run_a = digits_of(a), run_b = digits_of(b);
      const std::string_view x = without_zeros(run_a), y = without_zeros(run_b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      a.remove_prefix(run_a.size());
      b.remove_prefix(run_b.size());
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

std::string separate_outputs_name(std::string_view case_id, std::string_view hash) {
  return fmt::format("{}.{}{}", case_id, hash, kOutputsSuffix);
}

bool is_separate_outputs(std::string_view file_name) noexcept {
  return file_name.ends_with(kOutputsSuffix);
}

bool remove_shard(const ShardFile& shard) {
  // Checking before unlinking could lose an attempt that arrives in between, so the shard is
  // renamed first and checked afterwards.
  const fs::path path = shard.path();
  fs::path aside = path;
  if (!aside.string().ends_with(kRemovingSuffix)) aside += ".removing";
  std::error_code error;
  fs::rename(path, aside, error);
  if (error) return false;
  KERNELBATCH_FAILPOINT("shard.renamed_to_remove");
  if (identity_of(aside) == shard.identity()) return fs::remove(aside, error);
  fs::path name = aside;
  name.replace_extension();
  fs::create_hard_link(aside, name, error);
  // If a third attempt has taken the name, both stay: a merge prefers the newer one.
  if (!error) fs::remove(aside, error);
  return false;
}

fs::path set_aside(const ShardFile& shard) {
  const fs::path path = shard.path();
  fs::path bad = path;
  bad += kSetAsideSuffix;
  std::error_code error;
  fs::rename(path, bad, error);
  if (error)
    throw StoreError(fmt::format("cannot set the unreadable shard '{}' aside: {}", path.string(),
                                 error.message()));
  return bad;
}

std::vector<fs::path> list_set_aside(const fs::path& folder) {
  std::vector<fs::path> paths;
  for_each_file(folder, [&](const auto& where, const std::string& name) {
    if (name.ends_with(kSetAsideSuffix)) paths.push_back(*where / name);
  });
  std::ranges::sort(paths);
  return paths;
}

bool is_temporary(std::string_view file_name) noexcept {
  return file_name.starts_with('.') && file_name.ends_with(".tmp");
}

void remove_stale_temporary(const fs::path& path) noexcept {
  if (!is_temporary(path.filename().string())) return;
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  if (!error && fs::file_time_type::clock::now() - written > kStale) fs::remove(path, error);
}

void tidy_shards_folder(const fs::path& folder, std::span<const ShardFile> removed) {
  std::vector<fs::path> separate, locks;
  for_each_file(folder, [&](const auto& where, const std::string& name) {
    if (is_separate_outputs(name))
      separate.push_back(*where / name);
    else if (name == kRunLock || name.ends_with(kClaimSuffix))
      locks.push_back(*where / name);
    else
      remove_stale_temporary(*where / name);
  });
  // The arrays of a shard `<folder>/<case>` are not newer than it.
  std::map<std::string, std::vector<fs::path>> arrays_of;
  for (const fs::path& path : separate) {
    const std::string name = path.filename().string();
    const std::string rest = name.substr(0, name.size() - kOutputsSuffix.size());
    arrays_of[(path.parent_path() / rest.substr(0, rest.rfind('.'))).string()].push_back(path);
  }
  std::vector<fs::path> gone;
  if (!arrays_of.empty())
    for (const ShardFile& shard : removed)
      if (const auto of = arrays_of.find((shard.folder() / shard.case_id()).string());
          of != arrays_of.end())
        for (const fs::path& path : of->second)
          if (identity_of(path).changed_ns <= shard.identity().changed_ns) gone.push_back(path);
  std::error_code ignored;
  for (const fs::path& path : gone) fs::remove(path, ignored);
  for (const fs::path& path : locks) tidy_after_dead_run(path);
  if (!fs::is_directory(folder, ignored)) return;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.symlink_status(ignored).type() == fs::file_type::directory)
      folders.push_back(entry.path());
  for (const fs::path& path : folders)
    if (path.filename().string().starts_with(kClaimsPrefix)) Claims::remove_abandoned(path);
  folders.push_back(folder);
  // Fails for a folder that is not empty, as intended.
  for (const fs::path& path : folders) fs::remove(path, ignored);
}

}  // namespace kernelbatch
