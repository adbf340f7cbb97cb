#include "core/run/guarded_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

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
  stream.device().fill(memory_.data(), kGuardPattern, memory_.bytes(), stream);
  fill_elements(stream);
  stream.synchronize();
}

void GuardedOutput::fill_elements(Stream& stream) {
  Device& device = stream.device();
  std::byte* const elements = memory_.data() + kGuardBytes;
  if (spec_.initial.bytes() > 0) {
    device.copy(elements, spec_.initial.data(), middle_bytes_, Copy::kToDevice, stream);
    return;
  }
  std::byte word[16];
  const std::uint32_t sentinel = sentinel_pattern(spec_.dtype);
  std::size_t period = sizeof sentinel;
  std::memcpy(word, &sentinel, sizeof sentinel);
  if (spec_.fill) {
    period = size_of(spec_.dtype);
    write_number(*spec_.fill, spec_.dtype, word);
    // Small elements side by side until they make a word.
    for (; period < sizeof sentinel; period *= 2) std::memcpy(word + period, word, period);
    if (period > sizeof sentinel && std::memcmp(word, word + 4, period - 4) != 0) {
      std::vector<std::byte> whole(middle_bytes_);
      for (std::size_t k = 0; k < middle_bytes_; ++k) whole[k] = word[k % period];
      device.copy(elements, whole.data(), whole.size(), Copy::kToDevice, stream);
      stream.synchronize();
      return;
    }
  }
  std::uint32_t pattern = 0;
  std::memcpy(&pattern, word, sizeof pattern);
  device.fill(elements, pattern, middle_bytes_ / 4 * 4, stream);
  // The last word holds elements and guard: composed on the host.
  if (const std::size_t rest = middle_bytes_ % 4; rest != 0) {
    device.copy(elements + middle_bytes_ - rest, word, rest, Copy::kToDevice, stream);
    stream.synchronize();
  }
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
