#include "core/case/prepared_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "core/base/error.hpp"
#include "core/case/copied_memory.hpp"
#include "core/verify/call_check.hpp"

namespace kernelbatch {
namespace {

/// Alignment in bytes of exchanged parts of inputs; inputs smaller than kMixed are not exchanged.
constexpr std::int64_t kUnit = 16;
constexpr std::size_t kMixed = 64 * kUnit;
constexpr std::int64_t kLeftShare = 16, kLeastLeft = 8;

void fill(const Array& array, Stream& stream) {
  stream.device().fill(array.data(), info(array.dtype()).sentinel, array.bytes(), stream);
}

void exchange_block(PreparedBlock& block, CheckKernels& kernels, Stream& stream) {
  if (block.other.bytes() == 0) return;
  if (block.other.device() != nullptr) return kernels.exchange(block.here, block.other, stream);
  const Array kept = to_host(block.here, stream);
  kernelbatch::copy(block.other, block.here, stream);
  block.other = kept;
}

}  // namespace

PreparedMemory::PreparedMemory(CheckKernels& checks, const NamedArrays& inputs, HostMemory problem)
    : checks_(checks), inputs_(inputs), problem_(std::move(problem)) {}

void PreparedMemory::add_upload(const Array& host, const Array& on_device) {
  PreparedBlock block{
      .here = on_device,
      .is_problems = belongs_to(host, problem_),
      .name = fmt::format("the array that it uploads as number {}", uploads_.size() + 1)};
  for (const auto& [name, array] : inputs_) {
    if (array.data() != host.data()) continue;
    block.host = host;
    block.name = fmt::format("its input '{}'", name);
  }
  uploads_.push_back(std::move(block));
}

void PreparedMemory::add_scratch(const Array& on_device, Stream& stream) {
  if (on_device.bytes() == 0) return scratch_.push_back({.here = on_device});
  fill(on_device, stream);
  PreparedBlock block{.here = on_device};
  block.expected[0] = digest_of(on_device, checks_, pending_, stream);
  scratch_.push_back(std::move(block));
}

void PreparedMemory::prepare(const std::function<void()>& preparation, Stream& stream) {
  const FilledTextures textures(stream.context());
  preparation();
  stream.synchronize();
  textures_.set_first(textures.list());
  for (PreparedBlock& block : scratch_)
    block.is_left_alone = block.here.bytes() > 0 &&
                          digest_of(block.here, checks_, pending_, stream) == block.expected[0];
  remember_set(stream);
}

void PreparedMemory::remember_set(Stream& stream) {
  for (PreparedBlock& block : uploads_) {
    if (block.here.is_staged()) continue;
    block.expected[set_] = digest_of(block.here, checks_, pending_, stream);
    known_.push_back(digest_of(block.here, checks_, pending_, stream, CheckKernels::Seed::kFixed));
  }
}

bool PreparedMemory::exchange_made(Stream& stream) {
  if (!has_second_) return false;
  std::vector<PreparedBlock*> made;
  bool differs = false;
  for (PreparedBlock& block : uploads_) {
    if (block.is_problems || block.expected[0] == block.expected[1]) continue;
    made.push_back(&block);
    differs = true;
  }
  for (PreparedBlock& block : scratch_) {
    if (block.is_left_alone || block.other.bytes() == 0) continue;
    const Array here = to_host(block.here, stream), other = to_host(block.other, stream);
    if (is_copied_from(set_ == 0 ? here : other, problem_)) continue;
    made.push_back(&block);
    differs = differs || std::memcmp(here.data(), other.data(), here.bytes()) != 0;
  }
  if (!differs) return false;
  for (PreparedBlock* block : made) exchange_block(*block, checks_, stream);
  stream.synchronize();
  return true;
}

void PreparedMemory::exchange(Stream& stream) {
  for (PreparedBlock& block : uploads_) exchange_block(block, checks_, stream);
  for (PreparedBlock& block : scratch_) exchange_block(block, checks_, stream);
  textures_.exchange(stream);
  set_ = 1 - set_;
}

bool PreparedMemory::can_mix() const noexcept {
  return has_second_ && std::ranges::any_of(uploads_, [](const PreparedBlock& block) {
           return block.is_drawn && block.other.device() != nullptr && block.here.bytes() >= kMixed;
         });
}

void PreparedMemory::mix(std::uint64_t seed, Stream& stream) {
  std::mt19937_64 random(seed);
  for (const PreparedBlock& block : uploads_) {
    if (!block.is_drawn || block.other.device() == nullptr || block.here.bytes() < kMixed) continue;
    const auto units = static_cast<std::int64_t>(block.here.bytes()) / kUnit;
    // Exchange nearly all elements, to new positions: work that remembers elements by position must
    // gain nothing. The elements that stay leave room for many different exchanges.
    const std::int64_t most_left = std::max(units / kLeftShare, std::min(units / 2, kLeastLeft));
    const std::int64_t count =
        std::uniform_int_distribution<std::int64_t>(units - most_left, units - 1)(random);
    std::uniform_int_distribution<std::int64_t> begins(0, units - count);
    const std::int64_t here = begins(random);
    std::int64_t other = begins(random);
    if (other == here) other = here == 0 ? 1 : here - 1;
    const auto part = [&](const Array& array, std::int64_t begin) {
      return Array::of_memory(array.data() + begin * kUnit, DType::kUInt8, {count * kUnit},
                              array.device());
    };
    checks_.exchange(part(block.here, here), part(block.other, other), stream);
  }
  stream.synchronize();
}

std::string PreparedMemory::find_answer(
    const std::function<bool(const Array& array)>& is_answer) const {
  for (const PreparedBlock& block : uploads_)
    if (block.host.bytes() == 0 && !block.here.is_staged() && is_answer(block.here))
      return block.name;
  for (const PreparedBlock& block : scratch_)
    if (!block.is_left_alone && block.here.bytes() > 0 && is_answer(block.here))
      return "scratch memory";
  return "";
}

double PreparedMemory::uploaded_bytes() const noexcept {
  double bytes = 0;
  for (const PreparedBlock& block : uploads_)
    if (block.host.bytes() > 0 && !block.here.is_staged())
      bytes += static_cast<double>(block.here.bytes());
  return bytes;
}

void PreparedMemory::poison_scratch(bool is_whole, Stream& stream) {
  for (const PreparedBlock& block : scratch_)
    if (block.is_left_alone && (is_whole || block.here.bytes() <= CallCheck::kWhole))
      fill(block.here, stream);
}

void PreparedMemory::require_unchanged(Stream& stream) {
  for (const PreparedBlock& block : uploads_) {
    if (block.here.is_staged() || block.here.bytes() == 0) continue;
    if (digest_of(block.here, checks_, pending_, stream) == block.expected[set_]) continue;
    std::string first;
    if (set_ == 0 && block.host.bytes() > 0) {
      const Comparison found =
          compare(to_host(block.here, stream), contiguous(block.host), {CompareMode::kExact});
      first = found.first_text.empty() ? "" : fmt::format(", first at {}", found.first_text);
    }
    throw VerificationError(fmt::format("its calls write into {}{}", block.name, first),
                            "input written");
  }
}

}  // namespace kernelbatch
