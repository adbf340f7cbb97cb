#include "core/device/host/host_launch_log.hpp"

#include <utility>

namespace kernelbatch::host {
namespace {

/// Sets a variable for its own lifetime.
class Replaced {
 public:
  Replaced(LaunchList*& place, LaunchList& value)
      : place_(place), before_(std::exchange(place, &value)) {}
  ~Replaced() { place_ = before_; }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

 private:
  LaunchList*& place_;
  LaunchList* before_;
};

}  // namespace

LaunchList LaunchCalls::list(const std::function<void()>& work) {
  LaunchList list;
  list.source = "host";
  const Replaced listing(list_, list);
  work();
  return list;
}

void LaunchCalls::add(const std::string& name, const LaunchShape& shape, double duration) {
  Launch launch;
  launch.kernel = name;
  launch.grid = shape.grid;
  launch.block = shape.block;
  launch.shared_dynamic = static_cast<std::int64_t>(shape.shared_bytes);
  launch.duration = duration;
  list_->launches.push_back(std::move(launch));
}

}  // namespace kernelbatch::host
