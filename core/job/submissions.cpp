#include "core/job/submissions.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Maximum number of submissions that are read: Slurm is queried about each.
constexpr std::size_t kMostSubmissions = 16;

fs::path record_of(fs::path results) { return results += ".slurm"; }

std::string name_of_user(uid_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry == nullptr ? std::to_string(user) : entry->pw_name;
}

/// The file belongs to the first user; others need permission to write.
FileDescriptor open_record(const fs::path& results) {
  const fs::path path = record_of(results);
  FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (file.get() >= 0) return file;
  const int reason = errno;
  struct stat status {};
  if (reason == EACCES && ::lstat(path.c_str(), &status) == 0)
    throw StoreError(fmt::format(
        "'{}' lists the Slurm jobs of these results and belongs to {}: write other results with "
        "-o FILE, or ask {} for `chmod a+w` on it and on the results' folders",
        path.string(), name_of_user(status.st_uid), name_of_user(status.st_uid)));
  throw StoreError(fmt::format("cannot write '{}': {}", path.string(), std::strerror(reason)));
}

SlurmSubmission parse_line(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  // Older versions wrote only the ID.
  if (json.is_number_unsigned()) return {.id = line};
  if (!json.is_object() || !json.contains("id")) return {};
  try {
    return {.id = json["id"],
            .cluster = json.value("cluster", ""),
            .user = json.value("user", ""),
            .tasks = json.value("tasks", std::size_t{0}),
            .log_folder = json.value("logs", ""),
            .job = json.value("job", ""),
            .time_ns = json.value("time_ns", std::int64_t{0})};
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace

std::string current_user() { return name_of_user(::getuid()); }

void require_recordable(const fs::path& results) { open_record(results); }

void record_submission(const fs::path& results, const SlurmSubmission& submission) {
  const Json json{{"id", submission.id},           {"cluster", submission.cluster},
                  {"user", submission.user},       {"tasks", submission.tasks},
                  {"logs", submission.log_folder}, {"time_ns", submission.time_ns},
                  {"job", submission.job}};
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const FileDescriptor file = open_record(results);
  // One write at the end of the file: lines of two processes do not mix.
  write_all(file.get(), std::as_bytes(std::span(line)), record_of(results));
  ::fsync(file.get());
}

std::vector<SlurmSubmission> recorded_submissions(const fs::path& results) {
  std::ifstream file(record_of(results));
  std::vector<SlurmSubmission> all;
  for (std::string line; std::getline(file, line);)
    if (SlurmSubmission each = parse_line(line); !each.id.empty()) all.push_back(std::move(each));
  all.erase(all.begin(),
            all.end() - static_cast<std::ptrdiff_t>(std::min(all.size(), kMostSubmissions)));
  return all;
}

}  // namespace kernelbatch
