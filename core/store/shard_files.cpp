#include "core/store/shard_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/file_lock.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOutputsSuffix = ".outputs.h5";
/// A shard that is just being removed. Counts as a shard, because a crash may leave it so.
constexpr std::string_view kRemovingSuffix = ".h5.removing";
constexpr std::string_view kSetAsideSuffix = ".bad";
constexpr auto kStale = std::chrono::hours(1);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view digits_of(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

/// The case of a file name; empty where it is no shard.
std::string case_of(std::string_view name) {
  if (name.starts_with('.') || is_separate_outputs(name)) return {};
  for (const std::string_view suffix : {kRemovingSuffix, kShardSuffix})
    if (name.ends_with(suffix)) return std::string(name.substr(0, name.size() - suffix.size()));
  return {};
}

/// The entries of a folder. A folder that somebody has just removed has none: tasks that end with
/// nothing to leave take theirs away, as merges do.
std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    entries.push_back(*entry);
  if (error && error != std::errc::no_such_file_or_directory)
    throw StoreError(fmt::format("cannot list '{}': {}", folder.string(), error.message()));
  return entries;
}

/// Of a folder and its sub-folders.
template <class Function>
void for_each_file(const fs::path& folder, Function function) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    if (entry.is_regular_file(ignored)) function(entry.path());
    if (!entry.is_directory(ignored)) continue;
    for (const fs::directory_entry& inner : entries_of(entry.path()))
      if (inner.is_regular_file(ignored)) function(inner.path());
  }
}

/// Removes a run's lock, and the arrays that it never stored, where nobody holds it.
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

std::vector<ShardFile> list_shards(const fs::path& folder) {
  std::vector<ShardFile> shards;
  for_each_file(folder, [&](const fs::path& path) {
    std::string case_id = case_of(path.filename().string());
    if (!case_id.empty()) shards.push_back({path, std::move(case_id), identity_of(path)});
  });
  std::ranges::sort(shards, [](const ShardFile& a, const ShardFile& b) {
    return a.case_id == b.case_id ? a.path < b.path : comes_before(a.case_id, b.case_id);
  });
  return shards;
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
  // Looking first and unlinking then would lose an attempt that arrives in between; so the name is
  // taken away first, and what was under it looked at after.
  fs::path aside = shard.path;
  if (!aside.string().ends_with(kRemovingSuffix)) aside += ".removing";
  std::error_code error;
  fs::rename(shard.path, aside, error);
  if (error) return false;
  if (identity_of(aside) == shard.identity) return fs::remove(aside, error);
  fs::path name = aside;
  name.replace_extension();
  fs::create_hard_link(aside, name, error);
  // Where the name is taken again, by a third attempt, both stay: the newer one wins in a merge.
  if (!error) fs::remove(aside, error);
  return false;
}

fs::path set_aside(const ShardFile& shard) {
  fs::path bad = shard.path;
  bad += kSetAsideSuffix;
  std::error_code error;
  fs::rename(shard.path, bad, error);
  if (error)
    throw StoreError(fmt::format("cannot set the unreadable shard '{}' aside: {}",
                                 shard.path.string(), error.message()));
  return bad;
}

std::vector<fs::path> list_set_aside(const fs::path& folder) {
  std::vector<fs::path> paths;
  for_each_file(folder, [&](const fs::path& path) {
    if (path.filename().string().ends_with(kSetAsideSuffix)) paths.push_back(path);
  });
  std::ranges::sort(paths);
  return paths;
}

void remove_stale_temporary(const fs::path& path) noexcept {
  const std::string name = path.filename().string();
  if (!name.starts_with('.') || !name.ends_with(".tmp")) return;
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  if (!error && fs::file_time_type::clock::now() - written > kStale) fs::remove(path, error);
}

void tidy_shards_folder(const fs::path& folder, const std::vector<ShardFile>& removed) {
  std::map<std::string, std::int64_t> newest;  // of each folder's cases: `<folder>/<case>`
  for (const ShardFile& shard : removed)
    newest[(shard.path.parent_path() / shard.case_id).string()] = shard.identity.changed_ns;
  std::vector<fs::path> gone, locks;
  for_each_file(folder, [&](const fs::path& path) {
    const std::string name = path.filename().string();
    if (is_separate_outputs(name)) {
      const std::string rest = name.substr(0, name.size() - kOutputsSuffix.size());
      const auto of = newest.find((path.parent_path() / rest.substr(0, rest.rfind('.'))).string());
      if (of != newest.end() && identity_of(path).changed_ns <= of->second) gone.push_back(path);
    } else if (name == kRunLock) {
      locks.push_back(path);
    } else {
      remove_stale_temporary(path);
    }
  });
  std::error_code ignored;
  for (const fs::path& path : gone) fs::remove(path, ignored);
  for (const fs::path& path : locks) tidy_after_dead_run(path);
  if (!fs::is_directory(folder, ignored)) return;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.is_directory(ignored)) folders.push_back(entry.path());
  folders.push_back(folder);
  // A folder that is not empty refuses, which is what is wanted.
  for (const fs::path& path : folders) fs::remove(path, ignored);
}

}  // namespace kernelbatch
