// PreparedMemory::prepare_second(): the preparation for the second set of inputs.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/case/copied_memory.hpp"
#include "core/case/prepared_memory.hpp"

namespace kernelbatch {
namespace {

/// The second preparation requests different memory than the first.
class OtherForm : public RunError {
 public:
  using RunError::RunError;
};

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
  const FilledTextures textures(stream.context());
  try {
    prepare(run);
    stream.synchronize();
    if (!run.has_taken_all()) throw OtherForm("it needs less memory");
    if (textures.list().size() != filled_.size()) throw OtherForm("it needs other textures");
    for (std::size_t k = 0; k < filled_.size(); ++k) {
      const TextureMemory &here = *filled_[k], &other = *textures.list()[k];
      if (!(here.format() == other.format() && here.extent() == other.extent()))
        throw OtherForm("it needs other textures");
      const auto room = [&] {
        return Array::on_device(stream.device(), DType::kUInt8,
                                {static_cast<std::int64_t>(here.bytes())});
      };
      texels_.push_back({filled_[k], textures.list()[k], room(), room()});
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

}  // namespace kernelbatch
