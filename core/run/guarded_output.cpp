#include "core/run/guarded_output.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelbatch {
namespace {

/// Also keeps the elements aligned to 256 bytes.
constexpr std::size_t kGuardBytes = 4096;
constexpr std::uint32_t kGuardPattern = 0xC3C3C3C3u;
constexpr std::byte kGuardByte{0xC3};

}  // namespace

GuardedOutput::GuardedOutput(Device& device, const OutputArray& spec) : spec_(spec) {
  const std::size_t bytes =
      static_cast<std::size_t>(element_count(spec.shape)) * size_of(spec.dtype);
  // The elements end where the rear guard begins, but for what filling by words needs.
  middle_bytes_ = bytes;
  const std::size_t total = (2 * kGuardBytes + bytes + 3) / 4 * 4;
  memory_ = Array::on_device(device, DType::kUInt8, {static_cast<std::int64_t>(total)});
  array_ = Array::of_memory(memory_.data() + kGuardBytes, spec.dtype, spec.shape, &device);
}

void GuardedOutput::refill(Stream& stream) {
  Device& device = stream.device();
  device.fill(memory_.data(), kGuardPattern, memory_.bytes(), stream);
  device.fill(memory_.data() + kGuardBytes, sentinel_pattern(spec_.dtype), middle_bytes_ / 4 * 4,
              stream);
  const std::size_t rest = middle_bytes_ % 4;
  if (rest != 0) {
    // The last word holds elements and guard: composed on the host.
    const std::uint32_t pattern = sentinel_pattern(spec_.dtype);
    device.copy(memory_.data() + kGuardBytes + middle_bytes_ - rest, &pattern, rest,
                Copy::kToDevice, stream);
  }
  stream.synchronize();
}

std::string GuardedOutput::check_guards(Stream& stream) const {
  std::vector<std::byte> front(kGuardBytes);
  std::vector<std::byte> rear(memory_.bytes() - kGuardBytes - middle_bytes_);
  stream.device().copy(front.data(), memory_.data(), front.size(), Copy::kToHost, stream);
  stream.device().copy(rear.data(), memory_.data() + kGuardBytes + middle_bytes_, rear.size(),
                       Copy::kToHost, stream);
  stream.synchronize();
  const auto changed = [](const std::vector<std::byte>& guard) {
    return std::count_if(guard.begin(), guard.end(), [](std::byte b) { return b != kGuardByte; });
  };
  const auto before = changed(front);
  const auto after = changed(rear);
  if (before == 0 && after == 0) return "";
  return fmt::format(
      "output '{}' was written out of bounds: {} bytes before it and {} bytes after it "
      "have changed",
      spec_.name, before, after);
}

}  // namespace kernelbatch
