// OutputCheck: how one output of a call is checked, and the answers that it is compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "core/verify/check_kernels.hpp"
#include "core/verify/guarded_output.hpp"
#include "core/verify/tolerance_kernel.hpp"

namespace kernelbatch {

/// Kernels of the checks, and expected values on the device.
struct CheckTools {
  CheckKernels& kernels;
  const ToleranceKernel& tolerance;
  const std::function<Array(const OutputArray& spec)>& want_on_device;  ///< may be empty
};

/// Around each call: one of the begin_…(), the call, queue(), a synchronised stream, then the
/// result.
class OutputCheck {
 public:
  /// `is_large`: not checked completely in every call.
  OutputCheck(GuardedOutput& guarded, bool is_large) : guarded_(guarded), is_large_(is_large) {}

  GuardedOutput& guarded() const noexcept { return guarded_; }
  bool is_large() const noexcept { return is_large_; }
  /// True if the memory holds the answer for the set.
  bool holds(std::size_t set) const noexcept { return holds_ == set; }
  bool has_learned(std::size_t set) const noexcept {
    return learned_.size() > set && learned_[set].has_value();
  }

  /// The next call begins with initial contents and is checked completely: by a digest, or, if it
  /// varies, by its tolerance on the device, if that is possible.
  void begin_whole(Sentinel sentinel, Stream& stream);
  void begin_varying(std::size_t set, Sentinel sentinel, const CheckTools& tools, Stream& stream);
  /// Elements at random places are changed before the next call; these places are checked, or
  /// nothing is.
  void begin_places(bool are_checked, std::uint64_t seed, const CheckTools& tools, Stream& stream);

  /// Queues a change of elements at random places between two calls.
  void perturb(std::uint64_t seed, const CheckTools& tools, Stream& stream);
  /// Queues a change of elements, so that the output holds no answer.
  void scramble(std::uint64_t seed, const CheckTools& tools, Stream& stream);
  /// Checks this call by a digest of the whole output.
  void check_whole() noexcept { method_ = WholeHash{}; }

  void queue(std::size_t set, const CheckTools& tools, Stream& stream);
  /// True if the digests equal those of the verified call on the set, whose answer the memory then
  /// holds.
  bool finish(std::size_t set, Stream& stream);
  /// True if an element is outside the tolerance; nothing if that was not checked.
  std::optional<bool> is_beyond(Stream& stream) const;

  /// Remembers the current elements as the answer for the set. Returns their digest, which is equal
  /// in every process; nothing for a staged output.
  std::optional<Digest> learn(std::size_t set, const CheckTools& tools, Stream& stream);
  /// True if the current elements are the learned ones. Waits for the stream.
  bool equals_learned(std::size_t set, const CheckTools& tools, Stream& stream);

 private:
  // How the current call's output is checked.
  struct WholeHash {};      ///< by a digest of all elements and guard bands
  struct SampledPlaces {};  ///< by digests of changed elements, before and after the call
  struct DeviceTolerance {
    Array want;  ///< expected values on the device
  };
  struct Unchecked {};
  using Method = std::variant<WholeHash, SampledPlaces, DeviceTolerance, Unchecked>;

  void queue_whole(const CheckTools& tools, Stream& stream);
  Digest whole_digest(Stream& stream) const;
  Method tolerance_of(std::size_t set, const CheckTools& tools, Stream& stream);

  GuardedOutput& guarded_;
  bool is_large_;
  Method method_ = WholeHash{};
  std::optional<std::size_t> holds_;  ///< the set whose answer is in the memory
  RandomPlaces places_;
  PendingDigest before_, after_;
  std::vector<std::optional<Digest>> learned_;        ///< by set
  std::optional<ElementCount> beyond_;                ///< its tolerance
  std::vector<std::optional<Tolerance>> tolerances_;  ///< by set, with bounds on the device
  Digest hashed_;                                     ///< of a staged output, by the host
};

}  // namespace kernelbatch
