#include "core/device/host/host_launch_log.hpp"

namespace kernelbatch::host {
namespace {

/// Of this thread: launches come from the thread that queues them.
thread_local LaunchList* current = nullptr;

class Recording {
 public:
  explicit Recording(LaunchList& list) : before_(current) { current = &list; }
  ~Recording() { current = before_; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  LaunchList* before_;
};

}  // namespace

bool is_recording() noexcept { return current != nullptr; }

void record_launch(const std::string& name, const LaunchShape& shape, double duration) {
  Launch launch;
  launch.kernel = name;
  launch.grid = shape.grid;
  launch.block = shape.block;
  launch.shared_dynamic = static_cast<std::int64_t>(shape.shared_bytes);
  launch.duration = duration;
  current->launches.push_back(std::move(launch));
}

LaunchList record_launches(const std::function<void()>& work) {
  LaunchList list;
  list.source = "host";
  const Recording recording(list);
  work();
  return list;
}

}  // namespace kernelbatch::host
