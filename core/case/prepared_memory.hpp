// PreparedMemory: what a variant's preparation put on the device, for one set of inputs or two.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel/texture/texture.hpp"
#include "core/verify/check_kernels.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Arrays with their names.
using NamedArrays = std::vector<std::pair<std::string, Array>>;

/// Copies of inputs and scratch memory. A second set of inputs has the same addresses: what is on
/// the device for one set is exchanged with what waits beside it for the other.
class PreparedMemory {
 public:
  using HostMemory = std::vector<HostArrayLog::Memory>;

  /// `inputs`: the case's, in host memory, for their names in messages. `problem`: memory of the
  /// problem's arrays; other uploads are made by the preparation.
  PreparedMemory(CheckKernels& checks, const NamedArrays& inputs, HostMemory problem = {});

  /// Runs a preparation and lists what it puts on the device; then remembers what is there. Waits
  /// for the stream.
  void prepare(const std::function<void()>& preparation, Stream& stream);

  void add_upload(const Array& host, const Array& on_device);
  /// Fills it, so that it shows what is read before it is written. Waits for the stream.
  void add_scratch(const Array& on_device, Stream& stream);
  /// The first array that the preparation made itself and that holds what `is_answer` accepts;
  /// empty where there is none. Arrays are on the device.
  std::string find_answer(const std::function<bool(const Array& array)>& is_answer) const;

  /// `drawn`: memory of inputs whose elements may change places. `on_device`: the same elements
  /// where they are on the device already, else an array without memory. `problem`: memory of the
  /// second problem's arrays. Calls `prepare` with a Run
  /// that hands out the same memory once more and copies what is uploaded there; then what it made
  /// there is in use. `inner` does the rest of that Run's work. `differs`: outputs begin with other
  /// contents, so that the uploads may be the same. Returns an empty text if that could be done;
  /// else the reason, and all is as it was.
  std::string prepare_second(const std::function<void(Run& run)>& prepare, Run& inner,
                             const std::vector<const std::byte*>& drawn,
                             const std::function<bool(std::size_t bytes)>& may_keep, Stream& stream,
                             const std::function<Array(const Array& host)>& on_device = nullptr,
                             bool differs = false, const HostMemory& problem = {});
  bool has_second() const noexcept { return has_second_; }
  /// The set in use, 0 or 1.
  std::size_t set() const noexcept { return set_; }
  /// Puts the other set in place. Waits for the stream.
  void exchange(Stream& stream);
  /// Exchanges only what the preparations made from the inputs, so that it is that of the other
  /// set; the next call takes it back. Returns false, and does nothing, if there is none that
  /// differs by set. Waits for the stream.
  bool exchange_made(Stream& stream);
  /// Whether inputs that nobody has seen can be made: there is one whose elements may change
  /// places.
  bool can_mix() const noexcept;
  /// Exchanges a random part of such inputs with another part of the other set's. The same `seed`
  /// once more takes it back. Waits for the stream.
  void mix(std::uint64_t seed, Stream& stream);

  /// Bytes of the inputs that were copied to the device.
  double uploaded_bytes() const noexcept;
  /// Queues filling scratch memory that the preparation left alone.
  void poison_scratch(bool is_whole, Stream& stream);
  /// Throws VerificationError naming an input that calls have written to. Waits for the stream.
  void require_unchanged(Stream& stream);
  /// Digests of the uploads by set, which are the same in every process.
  const std::vector<Digest>& known() const noexcept { return known_; }

 private:
  class SecondRun;
  struct Block {
    Array host = {};  ///< what was uploaded, where it is an input of the case
    Array here = {};
    Array other = {};            ///< what is there for the other set; on the device or the host
    Digest expected[2] = {};     ///< by set
    bool is_drawn = false;       ///< its elements may change places
    bool is_left_alone = false;  ///< scratch that the preparation did not write
    bool is_problems = false;    ///< of the problem's memory, or a part of it in another place
    std::string name = {};
  };
  struct Texels {
    TextureArray here, other;
    Array first, second;  ///< room for both on the way
  };
  Digest digest(const Array& array, Stream& stream,
                CheckKernels::Seed seed = CheckKernels::Seed::kOwn);
  void remember_set(Stream& stream);
  void exchange_texels(Stream& stream);
  void exchange_block(Block& block, Stream& stream);

  CheckKernels& checks_;
  const NamedArrays& inputs_;
  const HostMemory problem_;
  std::vector<Block> uploads_, scratch_;
  std::vector<TextureArray> filled_;
  std::vector<Texels> texels_;
  PendingDigest pending_;
  std::vector<Digest> known_;
  std::size_t set_ = 0;
  bool has_second_ = false;
};

}  // namespace kernelbatch
