#include "core/device/cuda/capture/kernel_times.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/device/cuda/capture/record.hpp"

namespace kernelbatch::capture {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
/// Launches in known states, the captured one included, and launches after them.
constexpr std::size_t kPreparedLaunches = 10, kLaterLaunches = 20;

KernelTimes* the_times = nullptr;  // CUPTI's callbacks have no argument of ours

void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *records = 0;
}

void CUPTIAPI complete_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                              std::size_t bytes) {
  if (the_times != nullptr) the_times->read(buffer, bytes);
  std::free(buffer);
}

}  // namespace

std::optional<CacheUse> KernelTimes::Watched::add(std::uint32_t correlation) {
  if (cold.size() + warm.size() == kPreparedLaunches) {
    if (later.size() < kLaterLaunches) later.push_back(correlation);
    return std::nullopt;
  }
  const bool is_cold = cold.size() == warm.size();
  (is_cold ? cold : warm).push_back(correlation);
  return is_cold ? CacheUse::kCold : CacheUse::kWarm;
}

bool KernelTimes::knows(const std::string& launch) {
  const std::lock_guard lock(mutex_);
  return watched_.contains(launch);
}

std::optional<CacheUse> KernelTimes::begin(const std::string& launch, std::uint32_t correlation) {
  const std::lock_guard lock(mutex_);
  if (!is_on_) {
    the_times = this;
    is_on_ =
        cuda_.cuptiActivityRegisterCallbacks_(request_buffer, complete_buffer) == CUPTI_SUCCESS &&
        cuda_.cuptiActivityEnable_(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS;
  }
  times_ns_[correlation] = 0;
  return watched_[launch].add(correlation);
}

void KernelTimes::set_folder(const std::string& launch, const std::filesystem::path& folder) {
  const std::lock_guard lock(mutex_);
  Watched& watched = watched_[launch];
  if (watched.folder.empty()) watched.folder = folder;
}

std::optional<CacheUse> KernelTimes::add(const std::string& launch, std::uint32_t correlation) {
  const std::lock_guard lock(mutex_);
  const auto found = watched_.find(launch);
  if (found == watched_.end()) return std::nullopt;
  times_ns_[correlation] = 0;
  return found->second.add(correlation);
}

void KernelTimes::read(std::uint8_t* buffer, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  CUpti_Activity* record = nullptr;
  while (cuda_.cuptiActivityGetNextRecord_(buffer, bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
        record->kind != CUPTI_ACTIVITY_KIND_KERNEL)
      continue;
    // These members have the same places in all versions since CUDA 11.
    const auto* const kernel = reinterpret_cast<const CUpti_ActivityKernel9*>(record);
    const auto found = times_ns_.find(kernel->correlationId);
    if (found != times_ns_.end()) found->second = kernel->end - kernel->start;
  }
}

nlohmann::json KernelTimes::times_of(const std::vector<std::uint32_t>& launches) const {
  nlohmann::json times = nlohmann::json::array();
  for (const std::uint32_t correlation : launches)
    if (const std::uint64_t time = times_ns_.at(correlation); time > 0) times.push_back(time);
  return times;
}

void KernelTimes::write() {
  if (!is_on_) return;
  cuda_.cuptiActivityFlushAll_(0);
  const std::lock_guard lock(mutex_);
  for (const auto& [launch, watched] : watched_) {
    if (watched.folder.empty() || !std::filesystem::exists(watched.folder)) continue;
    const nlohmann::json times{{"cold", times_of(watched.cold)},
                               {"warm", times_of(watched.warm)},
                               {"later", times_of(watched.later)}};
    write_private(watched.folder / "times.json", times.dump());
  }
}

}  // namespace kernelbatch::capture
