#include "core/app/slurm/allocation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/app/interrupt.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

/// One of the granted GPUs or slices: all ranks of a node may see the same ones.
std::string gpu_of(const SlurmAllocation& allocation) {
  if (allocation.ranks == 1) return "cuda";
  const std::vector<std::string> granted = granted_devices();
  if (granted.size() < 2) return "cuda";
  return granted[static_cast<std::size_t>(allocation.local_rank) % granted.size()];
}

}  // namespace

DeviceChoice device_in(const std::optional<SlurmAllocation>& allocation,
                       const std::string& selector) {
  if (!allocation || (selector != "auto" && !selector.empty())) return choose_device(selector);
  if (!allocation->has_gpus()) {
    DeviceChoice host = choose_device("host");
    host.note =
        fmt::format("Slurm job {} was granted no GPU; running on the host", allocation->job_id);
    return host;
  }
  try {
    const std::string granted = gpu_of(*allocation);
    DeviceChoice gpu = choose_device(granted);
    if (granted != "cuda")
      gpu.note = fmt::format("rank {} of this node uses {}", allocation->local_rank, granted);
    return gpu;
  } catch (const DeviceError& error) {
    throw DeviceError(fmt::format(
        "Slurm granted GPU {} (CUDA_VISIBLE_DEVICES={}), but it cannot be used: {}; --device host "
        "runs on the CPU instead",
        allocation->gpus.empty() ? "?" : allocation->gpus,
        allocation->visible.empty() ? "unset" : allocation->visible, error.what()));
  }
}

void stop_in_time(const SlurmAllocation& allocation, const std::vector<JobSpec>& jobs) {
  const auto left = seconds_left(allocation);
  if (!left || jobs.empty()) return;
  double margin = 0;
  for (const JobSpec& job : jobs) margin = std::max(margin, job.limits.stop_before_job_end_s);
  const double seconds = seconds_until_stop(*left, margin);
  fmt::print(stderr, "kernelbatch: Slurm ends this job in {:.0f} s; stopping in {:.0f} s\n", *left,
             seconds);
  interrupt_after(seconds);
}

std::string scratch_of(const SlurmAllocation& allocation) {
  if (allocation.scratch.empty()) return "";
  const auto folder = std::filesystem::path(allocation.scratch) /
                      fmt::format("kernelbatch-{}-{}", allocation.rank, ::getpid());
  try {
    make_writable_folder(folder);
  } catch (const StoreError& error) {
    fmt::print(stderr, "kernelbatch: SLURM_TMPDIR is not used: {}\n", error.what());
    return "";
  }
  return folder.string();
}

bool is_requeued(const std::optional<SlurmAllocation>& allocation) noexcept {
  return allocation && allocation->restart_count > 0;
}

}  // namespace kernelbatch::app
