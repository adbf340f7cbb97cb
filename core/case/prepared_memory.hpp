// PreparedMemory: device memory created by a variant's preparation, for one set of inputs or two.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/case/copied_memory.hpp"
#include "core/case/exchanged_textures.hpp"
#include "core/verify/check_kernels.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Arrays with their names.
using NamedArrays = std::vector<std::pair<std::string, Array>>;

/// An array on the device that a preparation requested.
struct PreparedBlock {
  Array host = {};  ///< the uploaded array, if it is an input of the case
  Array here = {};
  Array other = {};            ///< contents for the other set; on the device or the host
  Digest expected[2] = {};     ///< by set
  bool is_drawn = false;       ///< its elements may be permuted
  bool is_left_alone = false;  ///< scratch that the preparation did not write
  bool is_problems = false;    ///< the problem's memory, or a copy of a part of it
  std::string name = {};
};

/// A preparation for the second set of inputs.
struct SecondPreparation {
  std::function<void(Run& run)> prepare;
  Run& inner;  ///< does what needs no memory of the first preparation
  const std::vector<const std::byte*>& drawn;  ///< memory of inputs whose elements may be permuted
  std::function<bool(std::size_t bytes)> may_keep;
  /// The same elements if they are already on the device, else an array without memory.
  std::function<Array(const Array& host)> on_device = {};
  bool differs = false;     ///< outputs begin with other contents: the uploads may be equal
  HostMemory problem = {};  ///< memory of the second problem's arrays
};

/// Tracks copies of inputs and scratch memory. A second set of inputs has the same addresses: the
/// device contents for one set are exchanged with stored contents for the other.
class PreparedMemory {
 public:
  /// `inputs`: the case's, in host memory, for their names in messages. `problem`: memory of the
  /// problem's arrays; other uploads are made by the preparation.
  PreparedMemory(CheckKernels& checks, const NamedArrays& inputs, HostMemory problem = {});

  /// Runs a preparation and lists its arrays on the device; then records their contents. Waits for
  /// the stream.
  void prepare(const std::function<void()>& preparation, Stream& stream);

  void add_upload(const Array& host, const Array& on_device);
  /// Fills the array with poison, to reveal reads of uninitialized memory. Waits for the stream.
  void add_scratch(const Array& on_device, Stream& stream);
  /// The first array created by the preparation itself whose contents `is_answer` accepts; empty if
  /// there is none. Arrays are on the device.
  std::string find_answer(const std::function<bool(const Array& array)>& is_answer) const;

  /// Prepares the second set with a Run that returns the same memory again and copies uploads
  /// there; then the second set is in use. Returns an empty text on success; otherwise the reason,
  /// and the first set is restored.
  std::string prepare_second(const SecondPreparation& second, Stream& stream);
  bool has_second() const noexcept { return has_second_; }
  /// The set in use, 0 or 1.
  std::size_t set() const noexcept { return set_; }
  /// Makes the other set current. Waits for the stream.
  void exchange(Stream& stream);
  /// Exchanges only arrays that the preparations computed from the inputs, so that they belong to
  /// the other set; the next call reverts it. Returns false, and does nothing, if no such array
  /// differs by set. Waits for the stream.
  bool exchange_made(Stream& stream);
  /// True if unseen inputs can be made: there is an input whose elements may be permuted.
  bool can_mix() const noexcept;
  /// Exchanges a random part of such inputs with another part of the other set's. A second call
  /// with the same `seed` reverts it. Waits for the stream.
  void mix(std::uint64_t seed, Stream& stream);

  /// Bytes of the inputs that were copied to the device.
  double uploaded_bytes() const noexcept;
  /// Queues filling scratch memory that the preparation did not write.
  void poison_scratch(bool is_whole, Stream& stream);
  /// Throws VerificationError naming an input that calls have written to. Waits for the stream.
  void require_unchanged(Stream& stream);
  /// Digests of the uploads by set, which are equal in every process.
  const std::vector<Digest>& known() const noexcept { return known_; }

 private:
  void remember_set(Stream& stream);

  CheckKernels& checks_;
  const NamedArrays& inputs_;
  const HostMemory problem_;
  std::vector<PreparedBlock> uploads_, scratch_;
  ExchangedTextures textures_;
  PendingDigest pending_;
  std::vector<Digest> known_;
  std::size_t set_ = 0;
  bool has_second_ = false;
};

}  // namespace kernelbatch
