// RunContext: what the harness and the calls of one run share through the run's streams.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace kernelbatch {

/// Modified execution of work, to find out what limits its time; its results are wrong.
enum class Twin : std::uint8_t {
  kNone,
  kNoArithmetic,   ///< generated kernels do all reads and writes but almost no arithmetic
  kNoLoads,        ///< generated kernels compute on constants and do all writes
  kHalfOccupancy,  ///< half as many blocks are resident on a compute unit
  kHalfGrid,       ///< the first half of the blocks
};

class FilledTextures;
class TextureMemory;

/// Shared by the streams of one run.
struct RunContext {
  /// Execution of later work. Available twins depend on the backend and the kernels; work without
  /// the twin runs normally.
  Twin twin = Twin::kNone;
  FilledTextures* filled_textures = nullptr;  ///< null: not listed
};

/// Lists the texture memory that is filled through a run's streams during its lifetime, each once.
/// One list of a run at a time.
class FilledTextures {
 public:
  explicit FilledTextures(RunContext& context) noexcept : context_(context) {
    context.filled_textures = this;
  }
  ~FilledTextures() { context_.filled_textures = nullptr; }
  FilledTextures(const FilledTextures&) = delete;
  FilledTextures& operator=(const FilledTextures&) = delete;

  void add(const std::shared_ptr<TextureMemory>& memory) {
    if (std::ranges::find(list_, memory) == list_.end()) list_.push_back(memory);
  }
  const std::vector<std::shared_ptr<TextureMemory>>& list() const noexcept { return list_; }

 private:
  RunContext& context_;
  std::vector<std::shared_ptr<TextureMemory>> list_;
};

}  // namespace kernelbatch
