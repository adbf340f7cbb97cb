// CallCheck: compares every call of a variant's work with the verified calls.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/verify/output_check.hpp"
#include "core/verify/verify.hpp"

namespace kernelbatch {

/// Around each call: poison(), the call, queue_check(), a synchronised stream, finish_check().
///
/// poison() fills every output with its initial contents: one of two sentinels, the numeric one in
/// the first call and a random one in later calls, or the job's contents. Outputs above
/// `whole_bytes` that begin with a sentinel are filled only in a random quarter of the calls, and
/// whenever they do not hold the result of the same inputs; in other calls elements at random
/// places are changed, so that the work cannot detect from memory whether a call is checked
/// completely. queue_check() queues a digest of every output and its guard bands, or of those
/// places. If a digest differs from the verified call's on the same inputs, and in the first call
/// on a set, the whole output is compared with the reference: if it is wrong, VerificationError
/// names the call. If it is correct, the work is not deterministic: its outputs are then checked
/// against their tolerance on the device, and in a random part of the calls they are compared with
/// the reference in host memory, guard bands included.
class CallCheck {
 public:
  struct Setting {
    CheckKernels& kernels;
    std::vector<GuardedOutput*> outputs;
    bool must_be_deterministic = false;
    /// Compares the current outputs with the reference of the current set, in host memory.
    std::function<Wrong()> compare;
    /// After a wrong call: true if a few elements were wrong, and another call gives others.
    std::function<bool()> is_sporadic = [] { return false; };
    /// The reference of the current set on the device, in the output's form; empty if there is
    /// none, or no room for it.
    std::function<Array(const OutputArray& spec)> want_on_device = {};
    /// Outputs up to this size are checked completely in every call.
    std::size_t whole_bytes = kWhole;
  };

  static constexpr std::size_t kWhole = std::size_t{64} << 20;

  explicit CallCheck(Setting setting);

  /// Sets the inputs that the next calls use.
  void use_set(std::size_t set);
  std::size_t set() const noexcept { return set_; }

  void poison(Stream& stream);
  void queue_check(Stream& stream);
  /// `name`: "cold sample 7". Throws VerificationError.
  void finish_check(const std::string& name, Stream& stream);
  /// The current outputs are those of a call that was compared with the reference: later calls on
  /// this set are compared with them. Waits for the stream.
  void learn(Stream& stream);
  /// Queues a change of elements at random places between two back-to-back calls, so that the later
  /// ones must write them again.
  void perturb(Stream& stream);
  /// Changes elements of every output at random places, so that copying an output yields a wrong
  /// result. Waits for the stream.
  void scramble(Stream& stream);
  /// True if some outputs are not checked completely in every call.
  bool has_large() const noexcept;
  /// Checks the outputs of the last call completely. Throws VerificationError.
  void look_at_last(const std::string& name, Stream& stream);
  /// True if the current outputs equal the learned ones of the set, whichever is current, bit by
  /// bit. Waits for the stream.
  bool is_learned(std::size_t set, Stream& stream);

  std::int64_t checked_calls() const noexcept { return checked_; }
  bool is_deterministic() const noexcept { return is_deterministic_; }
  /// Digests of the learned elements, which are equal in every process.
  const std::vector<Digest>& known() const noexcept { return known_; }

 private:
  bool is_whole_next(const OutputCheck& output);
  CheckTools tools() const noexcept;
  void finish_varying_check(const std::string& name, Stream& stream);
  void find_difference(const std::string& name, Stream& stream);

  Setting setting_;
  std::vector<OutputCheck> outputs_;
  std::size_t set_ = 0;
  std::mt19937_64 random_;
  bool has_armed_ = false;
  bool is_deterministic_ = true, is_compared_ = false, is_looked_at_ = false;
  ToleranceKernel tolerance_;
  MeasuringClock::time_point compared_since_;
  double calls_ = 0, compares_ = 0,
         compare_s_ = 0;  ///< since the work was found to be nondeterministic
  std::int64_t checked_ = 0;
  std::vector<Digest> known_;
};

}  // namespace kernelbatch
