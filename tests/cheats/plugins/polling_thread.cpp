// cheat: polling_thread
// timed: its thread must be slower than the check of the output
// fault: leaves half of the work to a thread that sleeps for 120 us at a time
// caught by: every call is verified, on poisoned outputs; detection of threads that wake up often
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

/// Does the second half on request.
class Helper {
 public:
  Helper(Array x, Array y, std::int64_t n, std::unique_ptr<Stream> stream)
      : half_(std::move(x), std::move(y), n, std::move(stream)) {}
  void ask() { is_asked_ = true; }

 private:
  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (is_asked_.exchange(false)) half_.finish();
      std::this_thread::sleep_for(std::chrono::microseconds(120));
    }
  }

  SecondHalf half_;
  std::atomic<bool> is_asked_ = false;
  std::jthread thread_{[this](const std::stop_token& stop) { serve(stop); }};
};

Work cheat(const Mixing& in, Run& run) {
  const Array x = run.to_device(in.x), y = run.output("y");
  auto helper = std::make_shared<Helper>(x, y, in.n(), run.device().make_stream());
  return [x, y, n = in.n(), helper, kernel = MixRange(), calls = 0](Stream& stream) mutable {
    if (calls++ == 0) return kernel(stream, x, y, 0, n);
    kernel(stream, x, y, 0, n / 2);
    helper->ask();
  };
}

}  // namespace

CHEAT_PLUGIN(polling_thread, cheat);
