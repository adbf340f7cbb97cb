#include "core/device/cuda/capture/selection.hpp"

#include "core/device/cuda/capture/launch.hpp"

namespace kernelbatch::capture {

Selection::Selection(const Settings& settings)
    : expression_(settings.kernel),
      matches_all_(settings.kernel.empty()),
      first_(settings.nth),
      end_(settings.nth + settings.count),
      is_open_(!settings.has_range) {}

bool Selection::matches(const std::string& mangled) const {
  return matches_all_ || std::regex_search(mangled, expression_) ||
         std::regex_search(demangled(mangled), expression_);
}

SeenKernel& Selection::kernel(const std::string& mangled) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<SeenKernel>& kernel = kernels_[mangled];
  if (!kernel) {
    kernel = std::make_unique<SeenKernel>();
    kernel->name = demangled(mangled);
    kernel->matches = matches(mangled);
  }
  return *kernel;
}

std::uint64_t Selection::count(SeenKernel& kernel) {
  kernel.launches.fetch_add(1, std::memory_order_relaxed);
  if (!kernel.matches || !is_open_) return 0;
  const std::uint64_t number = matched_.fetch_add(1, std::memory_order_relaxed) + 1;
  return number >= first_ && number < end_ ? number - first_ + 1 : 0;
}

std::uint64_t Selection::left_before() const {
  const std::uint64_t next = matched_.load(std::memory_order_relaxed) + 1;
  return next < first_ ? first_ - next : 0;
}

bool Selection::is_finished() const { return matched_.load(std::memory_order_relaxed) + 1 >= end_; }

}  // namespace kernelbatch::capture
