#include "core/workload/work.hpp"

#include "core/device/device.hpp"

namespace kernelbatch {
namespace {

/// Kernels allocate persistent memory in their first call, or in the first call of another form.
constexpr int kLastAllocatingCall = 3;

}  // namespace

void require_work(const Work& work) {
  if (!work)
    throw std::logic_error(
        "the variant returned no work: it must return a callable, [=](Stream& stream) {...}, not "
        "an empty Work");
}

void Work::operator()(Stream* stream) {
  if (stream == nullptr) return call_->call(nullptr);
  const Device& device = stream->device();
  const std::int64_t made = device.arrays_made();
  call_->call(stream);
  allocating_calls_ = device.arrays_made() == made ? 0 : allocating_calls_ + 1;
  if (allocating_calls_ == kLastAllocatingCall)
    throw std::logic_error(
        "the timed work allocates device memory in every call; allocate it with run.scratch() "
        "before returning the work, and pass every output to the kernel");
}

}  // namespace kernelbatch
