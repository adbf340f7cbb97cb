#include "core/base/claims.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kAlive = ".alive";
constexpr std::string_view kFinished = "done", kReleased = "free";
constexpr auto kPulse = std::chrono::seconds(20);

/// A file's words and its time of modification, from one open file: over NFS, opening it reads both
/// from the server.
struct SmallFile {
  std::vector<std::string> words;
  std::int64_t changed_s = 0;
};

std::optional<SmallFile> read_small(const fs::path& path) {
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return {};
  char text[512];
  const ssize_t length = ::read(file.get(), text, sizeof text);
  if (length < 0) return {};
  return SmallFile{split(trim({text, static_cast<std::size_t>(length)}), ' '),
                   status.st_mtim.tv_sec};
}

std::string first_line(const fs::path& path) {
  std::string line;
  std::getline(std::ifstream(path) >> std::ws, line);
  return line;
}

/// Start time of a process, with which its number identifies it; empty if it has ended.
std::string start_of(const std::string& pid) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", pid));
  // The name, in parentheses, may contain blanks.
  const std::vector<std::string> fields = split(line.substr(line.rfind(')') + 1), ' ');
  return fields.size() > 20 && fields[1] != "Z" ? fields[20] : "";
}

/// Names this machine and its process numbers.
const std::string& this_place() {
  static const std::string place = [] {
    struct stat status {};
    ::stat("/proc/self/ns/pid", &status);
    return fmt::format("{}:{}", first_line("/proc/sys/kernel/random/boot_id"), status.st_ino);
  }();
  return place;
}

/// True if the process ran here and has ended.
bool has_ended_here(const std::string& process) {
  const std::vector<std::string> parts = split(process, ':');
  return parts.size() == 4 && parts[0] + ":" + parts[1] == this_place() &&
         start_of(parts[2]) != parts[3];
}

bool touch(const fs::path& path) {
  // No times: the file server's clock.
  return ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0;
}

fs::path generation(const fs::path& folder, const std::string& key, int number) {
  return folder / fmt::format("{}.{}", key, number);
}

/// Creates a file exclusively; false if it exists. O_EXCL is atomic over NFS, too.
bool create_new(const fs::path& path, const std::string& text) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  FileDescriptor file{::open(path.c_str(), kFlags, 0666)};
  if (!file && errno == ENOENT && !try_create_folder(path.parent_path()))
    file = FileDescriptor{::open(path.c_str(), kFlags, 0666)};
  if (!file && errno == EEXIST) return false;
  if (!file)
    throw StoreError(fmt::format("cannot create '{}': {}", path.string(), std::strerror(errno)));
  write_all(file.get(), std::as_bytes(std::span(text.data(), text.size())), path);
  return true;
}

/// The same, but others never see the file without its text: a process that dies meanwhile leaves
/// only a temporary file.
bool create_whole(const fs::path& path, const std::string& text) {
  std::error_code none;
  if (fs::exists(path, none)) return false;
  const fs::path written = temporary_name(path);
  create_new(written, text);
  const bool is_linked = ::link(written.c_str(), path.c_str()) == 0;
  const int error = errno;
  // Over NFS, the reply to a link that was made can get lost.
  struct stat status {};
  const bool is_mine = is_linked || (::stat(written.c_str(), &status) == 0 && status.st_nlink == 2);
  fs::remove(written, none);
  // Some file systems have no links.
  return is_mine || (error != EEXIST && create_new(path, text));
}

}  // namespace

ClaimantLife this_life() {
  const std::string pid = std::to_string(::getpid());
  return {fmt::format("{}:{}:{}", this_place(), pid, start_of(pid)), touch, true};
}

Claims::Claims(fs::path folder, std::string claimant, ClaimantLife life)
    : folder_(std::move(folder)), claimant_(std::move(claimant)), life_(std::move(life)) {
  refuse_link(folder_);
  write_life();
  if (life_.has_thread)
    thread_ = std::jthread([this](const std::stop_token& stop) { keep_alive(stop); });
}

Claims::~Claims() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  std::error_code ignored;
  fs::remove(life_of(claimant_), ignored);
}

fs::path Claims::life_of(const std::string& claimant) const {
  return folder_ / (claimant + std::string(kAlive));
}

void Claims::write_life() {
  // Not durable: after a power failure the claimant is dead.
  const fs::path path = life_of(claimant_), written = temporary_name(path);
  create_new(written, life_.process);
  std::error_code error;
  fs::rename(written, path, error);
  if (error) throw StoreError(fmt::format("cannot write '{}': {}", path.string(), error.message()));
  life_.touch(path);
}

void Claims::keep_alive(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, stop, kPulse, [&] { return stop.stop_requested(); })) {
    try {
      if (!life_.touch(life_of(claimant_))) write_life();
    } catch (const std::exception&) {
      // The next pulse tries again; meanwhile others may take this process for dead.
    }
  }
}

/// True if a file was touched long ago by the file server's clock.
bool Claims::is_silent(std::int64_t changed_s) const {
  life_.touch(life_of(claimant_));
  const auto now = read_small(life_of(claimant_));
  return now && now->changed_s - changed_s >= kSilence_s;
}

bool Claims::is_alive(const std::string& claimant, const std::string& process) const {
  if (claimant == claimant_) return process == life_.process;
  const auto other = read_small(life_of(claimant));
  return other && !other->words.empty() && other->words[0] == process && !has_ended_here(process) &&
         !is_silent(other->changed_s);
}

Claims::Taken Claims::take(const std::string& key) {
  const std::string text = fmt::format("{} {}", claimant_, life_.process);
  for (int number = 1;; ++number) {
    const fs::path path = generation(folder_, key, number);
    if (create_whole(path, text)) return number == 1 ? Taken::kFirst : Taken::kAgain;
    const auto claim = read_small(path);
    if (!claim) return Taken::kBusy;
    // Without links: its claimant is writing it, or died before.
    if (claim->words.size() < 2) {
      if (!is_silent(claim->changed_s)) return Taken::kBusy;
      continue;
    }
    const std::string mark = claim->words.size() > 2 ? claim->words[2] : "";
    const bool was_mine = claim->words[0] == claimant_ && claim->words[1] != life_.process;
    if (std::error_code none; fs::exists(generation(folder_, key, number + 1), none)) continue;
    if (mark == kFinished && !was_mine) return Taken::kDone;
    if (mark.empty() && is_alive(claim->words[0], claim->words[1])) return Taken::kBusy;
  }
}

void Claims::end(const std::string& key, std::string_view mark) {
  // The latest generation is this process's, unless others took it for dead.
  int last = 1;
  std::error_code none;
  while (fs::exists(generation(folder_, key, last + 1), none)) ++last;
  const fs::path path = generation(folder_, key, last);
  const auto claim = read_small(path);
  if (!claim || claim->words.size() != 2 || claim->words[1] != life_.process) return;
  const FileDescriptor file{::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)};
  const std::string text = fmt::format(" {}", mark);
  if (file) write_all(file.get(), std::as_bytes(std::span(text.data(), text.size())), path);
}

void Claims::finish(const std::string& key) { end(key, kFinished); }
void Claims::release(const std::string& key) { end(key, kReleased); }

bool Claims::has_others() const {
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().stem().string() != claimant_ &&
        !entry->path().filename().string().starts_with('.'))
      return true;
  return false;
}

void Claims::remove_abandoned(const fs::path& folder) noexcept {
  try {
    std::error_code error;
    const fs::path clock = temporary_name(folder / "clock");
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const auto life =
          entry.path().extension() == kAlive ? read_small(entry.path()) : std::nullopt;
      if (!life || life->words.empty() || has_ended_here(life->words[0])) continue;
      create_new(clock, "");
      const auto now = read_small(clock);
      fs::remove(clock, error);
      if (!now || now->changed_s - life->changed_s < kSilence_s) return;
    }
    fs::remove_all(folder, error);
  } catch (const std::exception&) {
    // Left for the next merge.
  }
}

}  // namespace kernelbatch
