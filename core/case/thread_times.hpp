// ThreadTimes: which threads of this process use its cores.
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
  std::string name;          ///< as the system knows it, 15 characters at most
  std::uint64_t start = 0;   ///< ticks since the system started: numbers are given again
  double cpu_s = 0;          ///< that it has used, to a hundredth of a second
  bool is_runnable = false;  ///< it ran, or waited for a core
  std::int64_t turns = 0;    ///< number of times that it was given a core; 0 if unknown
};

/// A snapshot. Costs about a file of /proc for each thread.
class ThreadTimes {
 public:
  ThreadTimes() = default;
  /// Threads as they were `at_s` seconds after some moment: for tests.
  ThreadTimes(std::vector<ThreadTime> threads, double at_s)
      : threads_(std::move(threads)), at_s_(at_s) {}

  /// Throws nothing: what cannot be looked at, for want of descriptors, is not in it.
  static ThreadTimes now();

  /// Threads that run and were not there in `known`, and that used CPU time from `first` to
  /// `second`, in which this thread did work of its own: "left the thread 'spin' (4711) running: it
  /// used 180 ms of CPU time in 200 ms". Empty where there is none. Threads that wait, as those of
  /// OpenMP and of libraries do, are none; the snapshots should be 100 ms apart or more, because
  /// the system counts hundredths of a second.
  static std::string busy(const ThreadTimes& known, const ThreadTimes& first,
                          const ThreadTimes& second);

  /// New threads that were runnable in each of `looks`: "left the thread 'spin' (4711) running: it
  /// never waited in 120 ms". On a busy machine a thread that works all the time may get no core.
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
