#include "core/case/prepared_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/base/error.hpp"
#include "core/verify/call_check.hpp"

namespace kernelbatch {
namespace {

/// The second preparation wants other memory than the first.
class OtherForm : public RunError {
 public:
  using RunError::RunError;
};

/// Parts of inputs that change places are multiples of so many bytes; smaller inputs stay.
constexpr std::int64_t kUnit = 16;
constexpr std::size_t kMixed = 64 * kUnit;
constexpr std::int64_t kLeftShare = 16, kLeastLeft = 8;

void fill(const Array& array, Stream& stream) {
  stream.device().fill(array.data(), info(array.dtype()).sentinel, array.bytes(), stream);
}

}  // namespace

/// Hands out what the first preparation was given, in the same order.
class PreparedMemory::SecondRun final : public Run {
 public:
  SecondRun(PreparedMemory& memory, Run& inner, const std::vector<const std::byte*>& drawn,
            Stream& stream, const std::function<Array(const Array& host)>& on_device)
      : memory_(memory), inner_(inner), drawn_(drawn), stream_(stream), on_device_(on_device) {}

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
  Stream& stream_;
  const std::function<Array(const Array& host)>& on_device_;
  std::size_t uploads_ = 0, scratch_ = 0;
};

PreparedMemory::PreparedMemory(CheckKernels& checks, const NamedArrays& inputs)
    : checks_(checks), inputs_(inputs) {}

void PreparedMemory::add_upload(const Array& host, const Array& on_device) {
  Block block{.here = on_device,
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
                                           const std::function<Array(const Array&)>& on_device) {
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
  SecondRun run(*this, inner, drawn, stream, on_device);
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
  const bool differs = std::ranges::any_of(
      uploads_, [](const Block& block) { return !(block.expected[0] == block.expected[1]); });
  if (differs || !texels_.empty()) return "";
  has_second_ = false;
  set_ = 0;
  known_.resize(known_before);
  restore();
  return "nothing that the variant uploads is random";
}

/// Memory of textures has a layout of its own, which copies alone know.
void PreparedMemory::exchange_texels(Stream& stream) {
  for (Texels& each : texels_) {
    each.here.copy_to(each.first, stream);
    each.other.copy_to(each.second, stream);
    each.here.copy_from(each.second, stream);
    each.other.copy_from(each.first, stream);
  }
  stream.synchronize();
}

void PreparedMemory::exchange(Stream& stream) {
  const auto exchange_one = [&](Block& block) {
    if (block.other.bytes() == 0) return;
    if (block.other.device() != nullptr) return checks_.exchange(block.here, block.other, stream);
    const Array kept = to_host(block.here, stream);
    kernelbatch::copy(block.other, block.here, stream);
    block.other = kept;
  };
  for (Block& block : uploads_) exchange_one(block);
  for (Block& block : scratch_) exchange_one(block);
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
    // Nearly all elements, to places where they have not been: work that knows elements at their
    // places must gain nothing. What stays behind leaves room for many such exchanges.
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
