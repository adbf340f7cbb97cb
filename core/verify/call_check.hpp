// CallCheck: holds every call of a variant's work to the calls that were verified.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/verify/check_kernels.hpp"
#include "core/verify/guarded_output.hpp"
#include "core/verify/tolerance_kernel.hpp"
#include "core/verify/verify.hpp"

namespace kernelbatch {

/// Around each call: arm(), the call, look(), a synchronised stream, settle().
///
/// arm() fills every output with what it begins with: one of two sentinels, the numeric one in the
/// first call and a random one in later calls, or the job's contents. Of
/// outputs above `whole_bytes` that begin with the sentinel this happens in a random quarter of the
/// calls, and where they hold something else than the answer to the same inputs; in the others
/// elements at random places are changed, so that nothing in the memory tells whether a call is
/// looked at as a whole. look() queues a digest of every output and its guard bands, or of those
/// places. A digest that differs from the verified call's on the same inputs is looked into by
/// comparing the whole output with the reference, as is the first call on a set: where that finds
/// it wrong, VerificationError names the call. Where it is right, the work is not deterministic:
/// its outputs are then held to their tolerance on the device, and in a random part of the calls
/// they are compared with the reference in host memory, guard bands included.
class CallCheck {
 public:
  struct Setting {
    CheckKernels& kernels;
    std::vector<GuardedOutput*> outputs;
    bool must_be_deterministic = false;
    /// Compares the outputs as they are with the reference of the current set, in host memory.
    std::function<Wrong()> compare;
    /// The reference of the set in place on the device, in the output's form; empty where there is
    /// none, or no room for it.
    std::function<Array(const OutputArray& spec)> want_on_device = {};
    /// Outputs up to so many bytes are looked at as a whole in every call.
    std::size_t whole_bytes = kWhole;
  };

  static constexpr std::size_t kWhole = std::size_t{64} << 20;

  explicit CallCheck(Setting setting);

  /// Which inputs the next calls work on.
  void use_set(std::size_t set);
  std::size_t set() const noexcept { return set_; }

  void arm(Stream& stream);
  void look(Stream& stream);
  /// `name`: "cold sample 7". Throws VerificationError.
  void settle(const std::string& name, Stream& stream);
  /// The outputs are those of a call that was compared with the reference: later calls on this set
  /// are held to them. Waits for the stream.
  void learn(Stream& stream);
  /// Queues changing elements at random places between two calls back to back, so that the later
  /// ones must write them again.
  void disturb(Stream& stream);
  /// Changes elements of every output at random places: whoever copies it copies something wrong.
  /// Waits for the stream.
  void hide(Stream& stream);
  /// Whether there are outputs that are not looked at as a whole in every call.
  bool has_large() const noexcept;
  /// Of all outputs with their guard bands.
  std::size_t bytes() const noexcept;
  /// Looks at the outputs as a whole as the last call left them. Throws VerificationError.
  void look_at_last(const std::string& name, Stream& stream);
  /// Whether the outputs as they are have the learned bits. Waits for the stream.
  bool is_as_learned(Stream& stream) { return is_learned(set_, stream); }
  /// The same for the call on some set, whichever is in place.
  bool is_learned(std::size_t set, Stream& stream);

  std::int64_t checked_calls() const noexcept { return checked_; }
  bool is_deterministic() const noexcept { return is_deterministic_; }
  /// Digests of the elements that were learned, which are the same in every process.
  const std::vector<Digest>& known() const noexcept { return known_; }

 private:
  struct Output {
    GuardedOutput* guarded;
    bool is_large;  ///< not looked at as a whole in every call
    bool is_whole = true;
    std::optional<std::size_t> holds = {};  ///< the set whose answer is in the memory
    RandomPlaces places = {};
    PendingDigest before = {}, after = {};
    std::vector<std::optional<Digest>> learned = {};  ///< by set
    Array want = {};                          ///< on the device, where this call is held to it
    std::optional<ElementCount> beyond = {};  ///< its tolerance
    std::vector<std::optional<Tolerance>> tolerances = {};  ///< by set, with bounds on the device
    Digest hashed = {};                                     ///< of a staged output, by the host
  };
  void queue_whole(Output& output, Stream& stream);
  static Digest whole_digest(const Output& output, Stream& stream);
  void prepare_tolerance(Output& output, Stream& stream);
  void settle_varying(const std::string& name, Stream& stream);
  void find_difference(const std::string& name, Stream& stream);

  Setting setting_;
  std::vector<Output> outputs_;
  std::size_t set_ = 0;
  std::mt19937_64 random_;
  bool has_armed_ = false;
  bool is_deterministic_ = true, is_compared_ = false, is_looked_at_ = false;
  ToleranceKernel tolerance_;
  MeasuringClock::time_point compared_since_;
  double calls_ = 0, compares_ = 0, compare_s_ = 0;  ///< since the work was found not deterministic
  std::int64_t checked_ = 0;
  std::vector<Digest> known_;
};

}  // namespace kernelbatch
