#include "core/case/guard/doubts.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/measure/suspicion.hpp"

namespace kernelbatch {

std::string busy_threads(const ThreadTimes& before) {
  const ThreadTimes first = ThreadTimes::now();
  const auto is_new = [&](const ThreadTime& thread) {
    return std::ranges::none_of(before.threads(), [&](const ThreadTime& known) {
      return known.thread == thread.thread && known.start == thread.start;
    });
  };
  if (std::ranges::none_of(first.threads(), is_new)) return "";
  constexpr int kLooks = 12;
  constexpr std::chrono::milliseconds kPause{10};
  std::vector<ThreadTimes> looks{first};
  for (int k = 0; k < kLooks; ++k) {
    std::this_thread::sleep_for(kPause);
    looks.push_back(ThreadTimes::now());
  }
  std::string found = ThreadTimes::busy(before, first, looks.back());
  if (found.empty()) found = ThreadTimes::never_waiting(before, looks);
  if (found.empty()) found = ThreadTimes::often_awake(before, first, looks.back());
  return found.empty() ? found : "the variant " + found;
}

std::string faster_than_a_launch(const Summary& calls, double output_bytes, TimingTools& tools,
                                 Stream& stream) {
  constexpr double kShort = 50e-6;
  if (!(calls.median < kShort) || output_bytes == 0) return "";
  const std::string once = faster_than_nothing(calls, tools.nothing(stream));
  return once.empty() ? once : faster_than_nothing(calls, tools.nothing(stream, true));
}

std::vector<IntervalFinding> doubts_of_launches(const TimedCall& call) {
  const LaunchList& list = call.list;
  if (list.launches.empty() && list.reason.empty() && !list.lists_transfers &&
      call.output_bytes > 0)
    return {{IntervalDoubt::kNoKernel,
             "no kernel was launched: what is timed was computed by the CPU, or copied"}};
  return check_interval(call);
}

double least_bytes(double read, double written) {
  constexpr double kLargestCache = 128 << 20;
  return read + std::max(0.0, written - kLargestCache);
}

}  // namespace kernelbatch
