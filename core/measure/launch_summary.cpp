#include "core/measure/launch_summary.hpp"

#include <algorithm>
#include <cmath>

namespace kernelbatch {
namespace {

bool weighs_less(const Launch& a, const Launch& b) {
  if (!std::isnan(a.duration) && !std::isnan(b.duration)) return a.duration < b.duration;
  return a.grid.count() * a.block.count() < b.grid.count() * b.block.count();
}

}  // namespace

void add_launches(const LaunchList& list, ResultRecord& record) {
  // Work without launches is possible; a failure to list them is not the same.
  if (list.launches.empty() && !list.reason.empty()) return;
  record.kernel_launches = static_cast<std::int64_t>(list.launches.size());
  for (const Launch& launch : list.launches) {
    LaunchRecord entry;
    entry.kernel = launch.kernel;
    entry.order = static_cast<std::int64_t>(record.launches.size());
    const auto set = [](std::int64_t(&to)[3], const Dim3& from) {
      to[0] = from.x;
      to[1] = from.y;
      to[2] = from.z;
    };
    set(entry.grid, launch.grid);
    set(entry.block, launch.block);
    entry.shared_dynamic = launch.shared_dynamic;
    entry.registers = launch.registers;
    entry.local_bytes = launch.local_bytes;
    entry.stream = launch.stream;
    entry.duration = launch.duration;
    record.launches.push_back(std::move(entry));
    const std::int64_t shared =
        launch.shared_static < 0 ? -1 : launch.shared_static + launch.shared_dynamic;
    record.registers = std::max(record.registers, launch.registers);
    record.shared_bytes = std::max(record.shared_bytes, shared);
    record.local_bytes = std::max(record.local_bytes, launch.local_bytes);
  }
  const auto heaviest = std::ranges::max_element(list.launches, weighs_less);
  if (heaviest != list.launches.end()) record.occupancy = heaviest->occupancy;
}

}  // namespace kernelbatch
