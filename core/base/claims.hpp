// Claims: which process works on which part of a job, as files in a shared folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace kernelbatch {

/// Evidence that a claimant is alive. Tests simulate it.
struct ClaimantLife {
  /// Identifies a process on all machines: boot ID, PID namespace, PID and start time.
  std::string process;
  /// Sets a file's time of modification to the file server's current time. Returns false on
  /// failure.
  std::function<bool(const std::filesystem::path&)> touch;
  /// Real claimants touch their file regularly in a thread.
  bool has_thread = false;
};

/// The life of this process.
ClaimantLife this_life();

/// Processes on any machines claim keys in one folder; each key has at most one living claimant.
/// Needs no locks: a claim is a file that appears exclusively and complete, and is replaced by a
/// claim of the next generation if its claimant is dead. A claimant is dead if its process ended on
/// this machine, if it has started again, or if it has not touched its file for kSilence by the
/// file server's clock. If a suspended claimant continues later, two processes work on one key.
class Claims {
 public:
  static constexpr std::int64_t kSilence_s = 300;

  /// `claimant` is unique among the living processes and the same after a restart. Creates the
  /// folder. Throws StoreError.
  Claims(std::filesystem::path folder, std::string claimant, ClaimantLife life = this_life());
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;
  /// Frees all claims that are not finished.
  ~Claims();

  enum class Taken : std::uint8_t {
    kFirst,  ///< it had no claim before
    kAgain,  ///< an earlier claimant did not finish it, or it was this one before a restart
    kBusy,   ///< a living process has it
    kDone,   ///< finished
  };
  /// Claims a key, which may have one slash. Throws StoreError.
  Taken take(const std::string& key);
  /// Marks a claimed key as finished: no other process takes it.
  void finish(const std::string& key);
  /// Frees a claimed key.
  void release(const std::string& key);

  /// True if another claimant has been here.
  bool has_others() const;
  const std::filesystem::path& folder() const noexcept { return folder_; }

  /// Removes a folder of claims if none of its claimants is alive.
  static void remove_abandoned(const std::filesystem::path& folder) noexcept;

 private:
  void write_life();
  void keep_alive(const std::stop_token& stop);
  std::filesystem::path life_of(const std::string& claimant) const;
  bool is_silent(std::int64_t changed_s) const;
  bool is_alive(const std::string& claimant, const std::string& process) const;
  void end(const std::string& key, std::string_view mark);

  std::filesystem::path folder_;
  std::string claimant_;
  ClaimantLife life_;
  std::jthread thread_;
};

}  // namespace kernelbatch
