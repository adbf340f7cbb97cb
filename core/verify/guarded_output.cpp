#include "core/verify/guarded_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/access_checks.hpp"
#include "core/device/address_hint.hpp"

namespace kernelbatch {
namespace {

/// Also aligns the elements to 256 bytes.
constexpr std::size_t kGuardBytes = 4096;
constexpr std::uint32_t kGuardPattern = 0xC3C3C3C3u;
constexpr std::byte kGuardByte{0xC3};

/// "2 elements (8 bytes)": elements of a guard that have changed; empty if none.
std::string written(std::span<const std::byte> guard, std::size_t item) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < guard.size(); at += item) {
    const auto element = guard.subspan(at, std::min(item, guard.size() - at));
    if (std::ranges::any_of(element, [](std::byte b) { return b != kGuardByte; })) ++count;
  }
  if (count == 0) return "";
  return fmt::format("{} element{} ({} bytes)", count, count == 1 ? "" : "s", count * item);
}

}  // namespace

GuardedOutput::GuardedOutput(Device& device, const OutputArray& spec, bool is_staged) {
  const std::size_t bytes =
      static_cast<std::size_t>(element_count(spec.shape)) * size_of(spec.dtype);
  middle_bytes_ = bytes;
  // External tool that checks for writes past the end and reads of uninitialized memory.
  const AccessChecks* const checks = device.access_checks();
  is_bare_ = checks != nullptr && checks->is_outside() && !is_staged;
  // Memory next to an address that was asked for may belong to other arrays.
  has_guards_ = !is_bare_ && AddressHint::current() == 0;
  const std::size_t guard = guard_bytes();
  const Shape guarded{static_cast<std::int64_t>(2 * guard + bytes)};
  memory_ = is_staged ? Array::on_host(DType::kUInt8, guarded)
                      : Array::on_device(device, DType::kUInt8, guarded);
  array_ = Array::of_memory(memory_.data() + guard, spec.dtype, spec.shape,
                            is_staged ? nullptr : &device);
  if (is_staged) array_ = Array::staged(array_, device);
  sets_.push_back(contents_of(spec));
}

std::size_t GuardedOutput::guard_bytes() const noexcept { return has_guards_ ? kGuardBytes : 0; }

bool GuardedOutput::has_contents() const noexcept {
  return spec().fill.has_value() || spec().initial.bytes() > 0;
}

GuardedOutput::Contents GuardedOutput::contents_of(const OutputArray& spec) {
  Contents contents{spec};
  if (spec.initial.bytes() > 0) {
    contents.whole = spec.initial;
    return contents;
  }
  contents.pattern = info(spec.dtype).sentinel;
  if (!spec.fill) return contents;
  std::byte word[16];
  write_number(*spec.fill, spec.dtype, word);
  // Repeat small elements until they fill a word.
  std::size_t period = size_of(spec.dtype);
  for (; period < sizeof contents.pattern; period *= 2) std::memcpy(word + period, word, period);
  std::memcpy(&contents.pattern, word, sizeof contents.pattern);
  if (period == sizeof contents.pattern || std::memcmp(word, word + 4, period - 4) == 0)
    return contents;
  contents.whole = Array::on_host(spec.dtype, spec.shape);
  for (std::size_t k = 0; k < contents.whole.bytes(); ++k)
    contents.whole.data()[k] = word[k % period];
  return contents;
}

void GuardedOutput::add_set(const OutputArray& spec) {
  if (spec.dtype != array_.dtype() || !(spec.shape == array_.shape()))
    throw SpecError(fmt::format("output '{}' has another form with other inputs", spec.name));
  sets_.push_back(contents_of(spec));
}

void GuardedOutput::keep_contents(const std::function<bool(std::size_t)>& may_keep,
                                  Stream& stream) {
  if (array_.is_staged()) return;
  for (Contents& contents : sets_)
    if (contents.whole.bytes() > 0 && contents.whole.device() == nullptr &&
        may_keep(contents.whole.bytes()))
      contents.whole = to_device(contents.whole, stream);
}

void GuardedOutput::fill(std::byte* to, std::uint32_t pattern, std::size_t bytes, Stream& stream) {
  if (!array_.is_staged()) return stream.device().fill(to, pattern, bytes, stream);
  for (std::size_t k = 0; k < bytes; k += sizeof pattern)
    std::memcpy(to + k, &pattern, std::min(sizeof pattern, bytes - k));
}

void GuardedOutput::put(std::byte* to, const std::byte* from, std::size_t bytes, Copy kind,
                        Stream& stream) {
  if (!array_.is_staged()) return stream.device().copy(to, from, bytes, kind, stream);
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void GuardedOutput::refill(Stream& stream) {
  if (array_.is_staged()) stream.synchronize();
  if (!is_bare_) fill(memory_.data(), kGuardPattern, memory_.bytes(), stream);
  restore(stream);
  stream.synchronize();
}

void GuardedOutput::restore(Stream& stream, Sentinel sentinel) {
  std::byte* const elements = memory_.data() + guard_bytes();
  const Contents& contents = sets_[set_];
  if (contents.whole.bytes() > 0)
    return put(elements, contents.whole.data(), middle_bytes_,
               contents.whole.device() == nullptr ? Copy::kToDevice : Copy::kOnDevice, stream);
  const bool is_numeric = sentinel == Sentinel::kNumeric && !has_contents();
  if (!is_bare_ || has_contents())
    fill(elements, is_numeric ? kNumericSentinel : contents.pattern, middle_bytes_, stream);
}

void GuardedOutput::zero(Stream& stream) {
  if (has_contents()) return restore(stream);
  fill(memory_.data() + guard_bytes(), 0, middle_bytes_, stream);
}

std::string GuardedOutput::check_guards(Stream& stream) const {
  if (!has_guards_) return "";
  std::vector<std::byte> front(kGuardBytes);
  std::vector<std::byte> rear(memory_.bytes() - kGuardBytes - middle_bytes_);
  const std::byte* const after_elements = memory_.data() + kGuardBytes + middle_bytes_;
  if (array_.is_staged()) {
    stream.synchronize();
    std::memcpy(front.data(), memory_.data(), front.size());
    std::memcpy(rear.data(), after_elements, rear.size());
  } else {
    stream.device().copy(front.data(), memory_.data(), front.size(), Copy::kToHost, stream);
    stream.device().copy(rear.data(), after_elements, rear.size(), Copy::kToHost, stream);
    stream.synchronize();
  }
  const std::size_t item = size_of(array_.dtype());
  const std::string before = written(front, item), after = written(rear, item);
  if (before.empty() && after.empty()) return "";
  return fmt::format(
      "wrote {}{}{} of '{}' ({})", before.empty() ? "" : before + " before the beginning",
      before.empty() || after.empty() ? "" : " and ", after.empty() ? "" : after + " past the end",
      spec().name, plural(static_cast<std::uint64_t>(array_.size()), "element"));
}

}  // namespace kernelbatch
