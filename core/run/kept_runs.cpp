#include "core/run/kept_runs.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

constexpr const char* kStampVariable = "KERNELBATCH_RUN_STAMP";

std::string utc_text(std::time_t seconds) {
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:%Y%m%dT%H%M%SZ}", parts);
}

/// A file's modification time in nanoseconds since 1970; the minimum if it does not exist.
std::int64_t written_at(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return -1;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

/// "x.h5" of "x.h5" and of "x.h5.d", the folder of its shards; empty for other names.
std::string run_name_of(const fs::path& entry) {
  const fs::path name = entry.filename();
  if (name.extension() == ".h5") return name.string();
  return name.extension() == ".d" && name.stem().extension() == ".h5" ? name.stem().string() : "";
}

void move_into(const fs::path& file, const fs::path& folder) {
  const std::string stamp = utc_text(static_cast<std::time_t>(written_at(file) / 1'000'000'000));
  fs::path kept;
  for (int k = 0; k == 0 || fs::exists(kept); ++k)
    kept = folder /
           (k == 0 ? fmt::format("{}-before.h5", stamp) : fmt::format("{}-before-{}.h5", stamp, k));
  fs::rename(file, kept);
}

}  // namespace

fs::path runs_folder(const fs::path& last) { return fs::path(last).replace_extension(); }

RunStamp run_stamp(std::int64_t now_ns) {
  if (const auto named = environment(kStampVariable)) {
    if (!is_plain_name(*named))
      throw SpecError(
          fmt::format("KERNELBATCH_RUN_STAMP '{}' is not a name of letters, digits, '_', "
                      "'-' and '.'",
                      visible(*named)));
    return {*named, true};
  }
  for (const char* variable : {"SLURM_ARRAY_JOB_ID", "SLURM_JOB_ID"})
    if (const auto job = environment(variable); job && is_plain_name(*job))
      return {"slurm-" + *job, true};
  return {utc_text(static_cast<std::time_t>(now_ns / 1'000'000'000)), false};
}

void share_run_stamp(const RunStamp& stamp) { ::setenv(kStampVariable, stamp.text.c_str(), 1); }

fs::path new_run_file(const fs::path& last, const RunStamp& stamp, const std::string& commit) {
  const fs::path folder = runs_folder(last);
  const std::string name = commit.empty() ? stamp.text : stamp.text + "-" + commit;
  fs::path file = folder / (name + ".h5");
  // Two runs in one second get different names.
  for (int k = 2; !stamp.is_shared && (fs::exists(file) || fs::exists(file.string() + ".d")); ++k)
    file = folder / fmt::format("{}-{}.h5", name, k);
  return file;
}

fs::path latest_run_file(const fs::path& last) {
  const fs::path folder = runs_folder(last);
  fs::path latest;
  std::int64_t when = -1;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = run_name_of(entry->path());
    if (name.empty()) continue;
    if (const std::int64_t written = written_at(entry->path()); written > when) {
      when = written;
      latest = folder / name;
    }
  }
  return latest;
}

void publish_run(const fs::path& run, const fs::path& last) {
  try {
    const fs::file_status there = fs::symlink_status(last);
    if (fs::exists(there) && !fs::is_symlink(there)) move_into(last, runs_folder(last));
    const fs::path made = fmt::format("{}.{}.new", last.string(), ::getpid());
    std::error_code none;
    fs::remove(made, none);
    fs::create_symlink(run.lexically_proximate(last.parent_path()), made, none);
    if (none) fs::copy_file(run, made);
    fs::rename(made, last);
  } catch (const fs::filesystem_error& error) {
    throw StoreError(fmt::format("'{}' is kept, but the link '{}' to it cannot be created: {}",
                                 run.string(), last.string(), error.code().message()));
  }
}

}  // namespace kernelbatch
