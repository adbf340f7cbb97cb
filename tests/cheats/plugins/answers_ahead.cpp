// cheat: answers_ahead
// timed: its answers are correct, and its thread must be faster than the next call
// fault: a thread computes the next answer between calls; the call compares the inputs and copies
// caught by: detection of busy threads between calls; of CPU work inside the call
// needs: host: the thread reads the arrays of the device
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <stop_token>
#include <thread>

#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

class Ahead {
 public:
  explicit Ahead(const Array& x) : from_(x.data()), inputs_(static_cast<std::size_t>(x.size())) {}

  /// The answer to these inputs if known; the caller holds `mutex`.
  const std::vector<std::uint32_t>* find() const {
    const bool is_it = std::memcmp(inputs_.data(), from_, 4 * inputs_.size()) == 0;
    return is_it && !answer_.empty() ? &answer_ : nullptr;
  }
  std::mutex mutex;

 private:
  void look(const std::stop_token& stop) {
    std::vector<std::uint32_t> now(inputs_.size());
    while (!stop.stop_requested()) {
      std::memcpy(now.data(), from_, 4 * now.size());
      if (now != inputs_ || answer_.empty()) {
        std::vector<std::uint32_t> next = mix(now.data(), now.size());
        const std::lock_guard lock(mutex);
        inputs_ = now;
        answer_ = std::move(next);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  const std::byte* from_;
  std::vector<std::uint32_t> inputs_, answer_;
  std::jthread thread_{[this](const std::stop_token& stop) { look(stop); }};
};

Work cheat(const Mixing& in, Run& run) {
  if (!run.device().properties().shares_host_memory) return honest(in, run);
  const Array x = run.to_device(in.x), y = run.output("y");
  return
      [x, y, n = in.n(), ahead = std::make_shared<Ahead>(x), kernel = MixRange()](Stream& stream) {
        {
          const std::lock_guard lock(ahead->mutex);
          if (const auto* answer = ahead->find()) {
            std::memcpy(y.data(), answer->data(), y.bytes());
            return;
          }
        }
        kernel(stream, x, y, 0, n);
      };
}

}  // namespace

CHEAT_PLUGIN(answers_ahead, cheat);
