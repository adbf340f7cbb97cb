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

/// Copies the contents for the first set aside.
void keep(const std::vector<PreparedBlock*>& blocks,
          const std::function<bool(std::size_t bytes)>& may_keep, Stream& stream) {
  for (PreparedBlock* block : blocks) {
    const Array& here = block->here;
    block->other = may_keep(here.bytes())
                       ? Array::on_device(*here.device(), here.dtype(), here.shape())
                       : Array::on_host(here.dtype(), here.shape());
    kernelbatch::copy(here, block->other, stream);
  }
}

void restore(const std::vector<PreparedBlock*>& blocks, Stream& stream) {
  for (PreparedBlock* block : blocks) {
    kernelbatch::copy(block->other, block->here, stream);
    block->other = {};
  }
}

/// Returns the memory of the first preparation, in the same order.
class SecondRun final : public Run {
 public:
  SecondRun(const SecondPreparation& second, std::vector<PreparedBlock>& uploads,
            std::vector<PreparedBlock>& scratch, Stream& stream)
      : second_(second), uploads_(uploads), scratch_(scratch), stream_(stream) {}

  const Params& params() const override { return second_.inner.params(); }
  Device& device() override { return second_.inner.device(); }
  Stream& stream(int number) override { return second_.inner.stream(number); }
  Array output(std::string_view name) override { return second_.inner.output(name); }

  Array to_device(const Array& host) override {
    if (uploaded_ == uploads_.size()) throw OtherForm("it uploads more arrays");
    PreparedBlock& block = uploads_[uploaded_++];
    if (block.here.dtype() != host.dtype() || !(block.here.shape() == host.shape()))
      throw OtherForm(fmt::format("it uploads {} {} instead of {} {}",
                                  kernelbatch::name_of(host.dtype()), to_text(host.shape()),
                                  kernelbatch::name_of(block.here.dtype()),
                                  to_text(block.here.shape())));
    const Array there = second_.on_device ? second_.on_device(host) : Array{};
    kernelbatch::copy(there.bytes() > 0 ? there : contiguous(host), block.here, stream_);
    block.is_drawn = std::ranges::find(second_.drawn, host.data()) != second_.drawn.end();
    block.is_problems = block.is_problems && belongs_to(host, second_.problem);
    return block.here;
  }

  Array scratch(DType dtype, const Shape& shape) override {
    if (taken_scratch_ == scratch_.size()) throw OtherForm("it needs more scratch memory");
    const Array& there = scratch_[taken_scratch_++].here;
    if (there.dtype() != dtype || !(there.shape() == shape))
      throw OtherForm("it needs other scratch memory");
    return there;
  }

  /// Throws OtherForm.
  void prepare(ExchangedTextures& textures) {
    const FilledTextures filled(stream_.context());
    second_.prepare(*this);
    stream_.synchronize();
    if (uploaded_ != uploads_.size() || taken_scratch_ != scratch_.size())
      throw OtherForm("it needs less memory");
    if (!textures.pair_with(filled.list(), stream_.device()))
      throw OtherForm("it needs other textures");
  }

 private:
  const SecondPreparation& second_;
  std::vector<PreparedBlock>&uploads_, &scratch_;
  Stream& stream_;
  std::size_t uploaded_ = 0, taken_scratch_ = 0;
};

}  // namespace

std::string PreparedMemory::prepare_second(const SecondPreparation& second, Stream& stream) {
  for (const PreparedBlock& block : uploads_)
    if (block.here.is_staged()) return "arrays pass through the device in pieces";
  std::vector<PreparedBlock*> blocks;
  for (PreparedBlock& block : uploads_) blocks.push_back(&block);
  for (PreparedBlock& block : scratch_)
    if (!block.is_left_alone && block.here.bytes() > 0) blocks.push_back(&block);
  keep(blocks, second.may_keep, stream);
  try {
    SecondRun(second, uploads_, scratch_, stream).prepare(textures_);
  } catch (const OtherForm& error) {
    restore(blocks, stream);
    return fmt::format("with a second one {}", error.what());
  }
  has_second_ = true;
  set_ = 1;
  const std::size_t known_before = known_.size();
  remember_set(stream);
  textures_.exchange(stream);
  const bool differs =
      second.differs || std::ranges::any_of(uploads_, [](const PreparedBlock& block) {
        return !(block.expected[0] == block.expected[1]);
      });
  if (differs || !textures_.empty()) return "";
  has_second_ = false;
  set_ = 0;
  known_.resize(known_before);
  restore(blocks, stream);
  return "all that the variant uploads is the same in a second one";
}

}  // namespace kernelbatch
