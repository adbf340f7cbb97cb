#include "core/case/prepared_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>

#include "core/base/error.hpp"
#include "core/base/parallel.hpp"
#include "core/verify/call_check.hpp"

namespace kernelbatch {
namespace {

/// The second preparation requests different memory than the first.
class OtherForm : public RunError {
 public:
  using RunError::RunError;
};

/// Alignment in bytes of exchanged parts of inputs; inputs smaller than kMixed are not exchanged.
constexpr std::int64_t kUnit = 16;
constexpr std::size_t kMixed = 64 * kUnit;
constexpr std::int64_t kLeftShare = 16, kLeastLeft = 8;

using HostMemory = PreparedMemory::HostMemory;

/// The first bytes of an element, at most eight.
std::uint64_t word_at(const std::byte* element, std::size_t item) {
  std::uint64_t word = 0;
  std::memcpy(&word, element, std::min(item, sizeof word));
  return word;
}

/// True if all of these elements occur in the memory.
bool holds_all(const HostMemory& memory, std::vector<std::uint64_t> words, std::size_t item) {
  const auto slot = [](std::uint64_t word) { return (word * 0x9e3779b97f4a7c15ull) >> 48; };
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<std::uint8_t> may_be(std::size_t{1} << 16);
  for (const std::uint64_t word : words) may_be[slot(word)] = 1;
  std::vector<std::atomic<bool>> found(words.size());
  std::atomic<std::size_t> missing = words.size();
  for (const HostArrayLog::Memory& each : memory) {
    if (each.owner.expired()) continue;
    const auto search = [&](std::int64_t begin, std::int64_t end) {
      const std::byte* element = each.begin + static_cast<std::size_t>(begin) * item;
      for (std::int64_t k = begin; k < end; ++k, element += item) {
        const std::uint64_t word = word_at(element, item);
        if (may_be[slot(word)] == 0) continue;
        const auto place = std::ranges::lower_bound(words, word);
        if (place == words.end() || *place != word) continue;
        if (!found[static_cast<std::size_t>(place - words.begin())].exchange(true)) --missing;
      }
    };
    constexpr std::int64_t kGrain = 1 << 16;
    parallel_for(static_cast<std::int64_t>(each.bytes / item), kGrain, search);
    if (missing == 0) return true;
  }
  return false;
}

/// True if randomly chosen elements of an array occur in this memory: it is a copy in another order
/// or layout, such as a transposed one. Elements below four bytes, which coincide by chance, are
/// compared in pieces of eight bytes.
bool is_copied_from(const Array& array, const HostMemory& memory) {
  constexpr std::size_t kSamples = 64, kPiece = 8;
  const Array whole = contiguous(array);
  const auto size = static_cast<std::size_t>(whole.size());
  const std::size_t elements = size_of(whole.dtype()) < 4 ? std::min(size, kPiece) : 1;
  const std::size_t item = size_of(whole.dtype()) * elements;
  std::mt19937_64 random(std::random_device{}());
  std::uniform_int_distribution<std::size_t> begins(0, size - elements);
  std::vector<std::uint64_t> words;
  for (std::size_t k = 0; k < kSamples; ++k) {
    const std::byte* const begin = whole.data() + begins(random) * size_of(whole.dtype());
    if (elements == 1) {
      words.push_back(word_at(begin, item));
      continue;
    }
    const bool is_there = std::ranges::any_of(memory, [&](const HostArrayLog::Memory& each) {
      return !each.owner.expired() && ::memmem(each.begin, each.bytes, begin, item) != nullptr;
    });
    if (!is_there) return false;
  }
  return holds_all(memory, std::move(words), item);
}

/// True if a host array is the problem's, or a copy of a part of it.
bool belongs_to(const Array& host, const HostMemory& problem) {
  return host.size() == 0 || is_in(problem, host) || is_copied_from(host, problem);
}

void fill(const Array& array, Stream& stream) {
  stream.device().fill(array.data(), info(array.dtype()).sentinel, array.bytes(), stream);
}

}  // namespace

/// Returns the memory of the first preparation, in the same order.
class PreparedMemory::SecondRun final : public Run {
 public:
  SecondRun(PreparedMemory& memory, Run& inner, const std::vector<const std::byte*>& drawn,
            const HostMemory& problem, Stream& stream,
            const std::function<Array(const Array& host)>& on_device)
      : memory_(memory),
        inner_(inner),
        drawn_(drawn),
        problem_(problem),
        stream_(stream),
        on_device_(on_device) {}

  const Params& params() const override { return inner_.params(); }
  Device& device() override { return inner_.device(); }
  Stream& stream(int number) override { return inner_.stream(number); }
  Array output(std::string_view name) override { return inner_.output(name); }

  Array to_device(const Array& host) override {
    if (uploads_ == memory_.uploads_.size()) throw OtherForm("it uploads more arrays");
    Block& block = memory_.uploads_[uploads_++];
    if (block.here.dtype() != host.dtype() || !(block.here.shape() == host.shape()))
      throw OtherForm(fmt::format("it uploads {} {} instead of {} {}",
                                  kernelbatch::name_of(host.dtype()), to_text(host.shape()),
                                  kernelbatch::name_of(block.here.dtype()),
                                  to_text(block.here.shape())));
    const Array there = on_device_ ? on_device_(host) : Array{};
    kernelbatch::copy(there.bytes() > 0 ? there : contiguous(host), block.here, stream_);
    block.is_drawn = std::ranges::find(drawn_, host.data()) != drawn_.end();
    block.is_problems = block.is_problems && belongs_to(host, problem_);
    return block.here;
  }

  Array scratch(DType dtype, const Shape& shape) override {
    if (scratch_ == memory_.scratch_.size()) throw OtherForm("it needs more scratch memory");
    const Array& there = memory_.scratch_[scratch_++].here;
    if (there.dtype() != dtype || !(there.shape() == shape))
      throw OtherForm("it needs other scratch memory");
    return there;
  }

  bool has_taken_all() const {
    return uploads_ == memory_.uploads_.size() && scratch_ == memory_.scratch_.size();
  }

 private:
  PreparedMemory& memory_;
  Run& inner_;
  const std::vector<const std::byte*>& drawn_;
  const HostMemory& problem_;
  Stream& stream_;
  const std::function<Array(const Array& host)>& on_device_;
  std::size_t uploads_ = 0, scratch_ = 0;
};

PreparedMemory::PreparedMemory(CheckKernels& checks, const NamedArrays& inputs, HostMemory problem)
    : checks_(checks), inputs_(inputs), problem_(std::move(problem)) {}

void PreparedMemory::add_upload(const Array& host, const Array& on_device) {
  Block block{.here = on_device,
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
  Block block{.here = on_device};
  block.expected[0] = digest(on_device, stream);
  scratch_.push_back(std::move(block));
}

Digest PreparedMemory::digest(const Array& array, Stream& stream, CheckKernels::Seed seed) {
  if (array.bytes() == 0) return {};
  checks_.digest(array.data(), array.bytes(), pending_, stream, seed);
  stream.synchronize();
  return pending_.value(stream);
}

void PreparedMemory::prepare(const std::function<void()>& preparation, Stream& stream) {
  const FilledTextures textures;
  preparation();
  stream.synchronize();
  filled_ = textures.arrays();
  for (Block& block : scratch_)
    block.is_left_alone = block.here.bytes() > 0 && digest(block.here, stream) == block.expected[0];
  remember_set(stream);
}

void PreparedMemory::remember_set(Stream& stream) {
  for (Block& block : uploads_) {
    if (block.here.is_staged()) continue;
    block.expected[set_] = digest(block.here, stream);
    known_.push_back(digest(block.here, stream, CheckKernels::Seed::kFixed));
  }
}

std::string PreparedMemory::prepare_second(const std::function<void(Run& run)>& prepare, Run& inner,
                                           const std::vector<const std::byte*>& drawn,
                                           const std::function<bool(std::size_t)>& may_keep,
                                           Stream& stream,
                                           const std::function<Array(const Array&)>& on_device,
                                           bool differs, const HostMemory& problem) {
  for (const Block& block : uploads_)
    if (block.here.is_staged()) return "arrays pass through the device in pieces";
  std::vector<Block*> blocks;
  for (Block& block : uploads_) blocks.push_back(&block);
  for (Block& block : scratch_)
    if (!block.is_left_alone && block.here.bytes() > 0) blocks.push_back(&block);
  const auto restore = [&] {
    for (Block* block : blocks) {
      kernelbatch::copy(block->other, block->here, stream);
      block->other = {};
    }
  };
  for (Block* block : blocks) {
    const Array& here = block->here;
    block->other = may_keep(here.bytes())
                       ? Array::on_device(*here.device(), here.dtype(), here.shape())
                       : Array::on_host(here.dtype(), here.shape());
    kernelbatch::copy(here, block->other, stream);
  }
  SecondRun run(*this, inner, drawn, problem, stream, on_device);
  const FilledTextures textures;
  try {
    prepare(run);
    stream.synchronize();
    if (!run.has_taken_all()) throw OtherForm("it needs less memory");
    if (textures.arrays().size() != filled_.size()) throw OtherForm("it needs other textures");
    for (std::size_t k = 0; k < filled_.size(); ++k) {
      const TextureArray &here = filled_[k], &other = textures.arrays()[k];
      if (here.dtype() != other.dtype() || !(here.shape() == other.shape()))
        throw OtherForm("it needs other textures");
      const auto room = [&] {
        return Array::on_device(stream.device(), here.dtype(), here.shape());
      };
      texels_.push_back({here, other, room(), room()});
    }
  } catch (const OtherForm& error) {
    texels_.clear();
    restore();
    return fmt::format("with a second one {}", error.what());
  }
  has_second_ = true;
  set_ = 1;
  const std::size_t known_before = known_.size();
  remember_set(stream);
  exchange_texels(stream);
  differs = differs || std::ranges::any_of(uploads_, [](const Block& block) {
              return !(block.expected[0] == block.expected[1]);
            });
  if (differs || !texels_.empty()) return "";
  has_second_ = false;
  set_ = 0;
  known_.resize(known_before);
  restore();
  return "all that the variant uploads is the same in a second one";
}

/// Texture memory has a device-specific layout, so it is exchanged by copies.
void PreparedMemory::exchange_texels(Stream& stream) {
  for (Texels& each : texels_) {
    each.here.copy_to(each.first, stream);
    each.other.copy_to(each.second, stream);
    each.here.copy_from(each.second, stream);
    each.other.copy_from(each.first, stream);
  }
  stream.synchronize();
}

void PreparedMemory::exchange_block(Block& block, Stream& stream) {
  if (block.other.bytes() == 0) return;
  if (block.other.device() != nullptr) return checks_.exchange(block.here, block.other, stream);
  const Array kept = to_host(block.here, stream);
  kernelbatch::copy(block.other, block.here, stream);
  block.other = kept;
}

bool PreparedMemory::exchange_made(Stream& stream) {
  if (!has_second_) return false;
  std::vector<Block*> made;
  bool differs = false;
  for (Block& block : uploads_) {
    if (block.is_problems || block.expected[0] == block.expected[1]) continue;
    made.push_back(&block);
    differs = true;
  }
  for (Block& block : scratch_) {
    if (block.is_left_alone || block.other.bytes() == 0) continue;
    const Array here = to_host(block.here, stream), other = to_host(block.other, stream);
    if (is_copied_from(set_ == 0 ? here : other, problem_)) continue;
    made.push_back(&block);
    differs = differs || std::memcmp(here.data(), other.data(), here.bytes()) != 0;
  }
  if (!differs) return false;
  for (Block* block : made) exchange_block(*block, stream);
  stream.synchronize();
  return true;
}

void PreparedMemory::exchange(Stream& stream) {
  for (Block& block : uploads_) exchange_block(block, stream);
  for (Block& block : scratch_) exchange_block(block, stream);
  exchange_texels(stream);
  stream.synchronize();
  set_ = 1 - set_;
}

bool PreparedMemory::can_mix() const noexcept {
  return has_second_ && std::ranges::any_of(uploads_, [](const Block& block) {
           return block.is_drawn && block.other.device() != nullptr && block.here.bytes() >= kMixed;
         });
}

void PreparedMemory::mix(std::uint64_t seed, Stream& stream) {
  std::mt19937_64 random(seed);
  for (const Block& block : uploads_) {
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
  for (const Block& block : uploads_)
    if (block.host.bytes() == 0 && !block.here.is_staged() && is_answer(block.here))
      return block.name;
  for (const Block& block : scratch_)
    if (!block.is_left_alone && block.here.bytes() > 0 && is_answer(block.here))
      return "scratch memory";
  return "";
}

double PreparedMemory::uploaded_bytes() const noexcept {
  double bytes = 0;
  for (const Block& block : uploads_)
    if (block.host.bytes() > 0 && !block.here.is_staged())
      bytes += static_cast<double>(block.here.bytes());
  return bytes;
}

void PreparedMemory::poison_scratch(bool is_whole, Stream& stream) {
  for (const Block& block : scratch_)
    if (block.is_left_alone && (is_whole || block.here.bytes() <= CallCheck::kWhole))
      fill(block.here, stream);
}

void PreparedMemory::require_unchanged(Stream& stream) {
  for (const Block& block : uploads_) {
    if (block.here.is_staged() || block.here.bytes() == 0) continue;
    if (digest(block.here, stream) == block.expected[set_]) continue;
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
