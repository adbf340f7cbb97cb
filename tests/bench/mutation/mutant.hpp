// Included before each source of core in a mutated tree: which mutation is active, and which ones a
// process reaches.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace kernelbatch::mutation {

inline constexpr int kUnread = -1, kMaxId = 1023;
inline std::atomic<int> active{kUnread};
inline std::atomic<bool> is_recorded[kMaxId + 1];

/// Creates the file `id` in the folder KERNELBATCH_MUTANT_REACHED. No allocation, little stack,
/// errno unchanged: the caller may be a child between fork and exec, or a kernel's thread on a
/// small stack.
[[gnu::noinline, gnu::cold]] inline void record(int id) noexcept {
  const char* folder = std::getenv("KERNELBATCH_MUTANT_REACHED");
  if (folder == nullptr) return;
  const int error = errno;
  char name[8] = {};
  for (int k = 3, rest = id; k >= 0; --k, rest /= 10) name[k] = static_cast<char>('0' + rest % 10);
  const int directory = ::open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    const int file = ::openat(directory, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) ::close(file);
    ::close(directory);
  }
  errno = error;
}

}  // namespace kernelbatch::mutation

/// Whether the mutation `id` (1 to 1023) is active: it is if KERNELBATCH_MUTANT is its number.
inline bool kb_mutant(int id) noexcept {
  namespace mutation = kernelbatch::mutation;
  int active = mutation::active.load(std::memory_order_relaxed);
  if (active == mutation::kUnread) {
    const char* text = std::getenv("KERNELBATCH_MUTANT");
    active = text == nullptr ? 0 : std::atoi(text);
    mutation::active.store(active, std::memory_order_relaxed);
  }
  if (!mutation::is_recorded[id].load(std::memory_order_relaxed) &&
      !mutation::is_recorded[id].exchange(true))
    mutation::record(id);
  return active == id;
}
