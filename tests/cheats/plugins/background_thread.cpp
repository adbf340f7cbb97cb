// cheat: background_thread
// timed: its thread must be slower than the check of the output
// fault: returns when half of the work is done; its own thread does the rest
// caught by: every call is verified, on poisoned outputs; detection of busy threads between calls
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>

#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

class Helper {
 public:
  Helper(Array x, Array y, std::int64_t n, std::unique_ptr<Stream> stream)
      : half_(std::move(x), std::move(y), n, std::move(stream)) {}

  void ask() {
    const std::lock_guard lock(mutex_);
    is_asked_ = true;
    asked_.notify_one();
  }

 private:
  void serve(const std::stop_token& stop) {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        if (!asked_.wait(lock, stop, [this] { return is_asked_; })) return;
        is_asked_ = false;
      }
      try {
        half_.finish();
      } catch (const std::exception&) {  // then the rest is missing
      }
    }
  }

  SecondHalf half_;
  std::mutex mutex_;
  std::condition_variable_any asked_;
  bool is_asked_ = false;
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

CHEAT_PLUGIN(background_thread, cheat);
