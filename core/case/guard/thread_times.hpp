// ThreadTimes: CPU use of this process's threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kernelbatch {

struct ThreadTime {
  pid_t thread = 0;
  std::string name;          ///< the system's name, at most 15 characters
  std::uint64_t start = 0;   ///< ticks since boot: thread ids are reused
  double cpu_s = 0;          ///< used CPU time, to a hundredth of a second
  bool is_runnable = false;  ///< it ran, or waited for a core
  std::int64_t turns = 0;    ///< how often it was scheduled; 0 if unknown
};

/// A snapshot. Costs about one /proc file per thread.
class ThreadTimes {
 public:
  ThreadTimes() = default;
  /// Given threads at `at_s` seconds after some moment: for tests.
  ThreadTimes(std::vector<ThreadTime> threads, double at_s)
      : threads_(std::move(threads)), at_s_(at_s) {}

  /// Never throws: threads that cannot be read, because descriptors are exhausted, are missing.
  static ThreadTimes now();

  /// Running threads that are not in `known` and that used CPU time from `first` to `second`, while
  /// this thread did other work: "left the thread 'spin' (4711) running: it used 180 ms of CPU time
  /// in 200 ms". Empty if there are none. Waiting threads, such as those of OpenMP and of
  /// libraries, do not count. The snapshots should be at least 100 ms apart, because the system
  /// counts hundredths of a second.
  static std::string busy(const ThreadTimes& known, const ThreadTimes& first,
                          const ThreadTimes& second);

  /// New threads that were runnable in each of `looks`: "left the thread 'spin' (4711) running: it
  /// never waited in 120 ms". On a busy machine a thread that always works may not be scheduled.
  static std::string never_waiting(const ThreadTimes& known, std::span<const ThreadTimes> looks);

  /// New threads that woke up every few milliseconds from `first` to `second`: "left the thread
  /// 'poll' (4711) running: it woke up 620 times in 120 ms". Threads of libraries wait for events,
  /// or wake up a few times a second.
  static std::string often_awake(const ThreadTimes& known, const ThreadTimes& first,
                                 const ThreadTimes& second);

  const std::vector<ThreadTime>& threads() const noexcept { return threads_; }

 private:
  const ThreadTime* find(const ThreadTime& thread) const;

  std::vector<ThreadTime> threads_;
  double at_s_ = 0;  ///< by the system's clock
};

}  // namespace kernelbatch
