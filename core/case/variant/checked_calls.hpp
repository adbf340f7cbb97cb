// CheckedCalls: setup and checks around every call of one variant's work.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/case/prepared_memory.hpp"
#include "core/measure/timer.hpp"
#include "core/verify/call_check.hpp"

namespace kernelbatch {

/// Before each call: at random times exchanges the set of inputs, then refills outputs and scratch
/// memory. After it checks the outputs. Counts the calls.
class CheckedCalls final : public CallChecks {
 public:
  struct Setting {
    CallCheck::Setting check;
    PreparedMemory& memory;
    std::vector<Stream*> streams;  ///< of the work, beginning with its first one
    std::function<void()> work;    ///< one call on the current set
    int first_calls = 8;           ///< number of calls within which the other set is used first
  };
  explicit CheckedCalls(Setting setting);

  void prepare(Stream& stream) override;
  void queue_check(Stream& stream) override;
  void finish_check(const std::string& name) override;
  std::size_t input_set() const override { return memory_.set(); }
  std::string why_not_hot() override;
  void perturb(Stream& stream) override;
  /// On a busy machine it takes several calls to see whether calls on unknown inputs are slower.
  int calls_at_end() const override { return memory_.can_mix() ? 15 : 1; }

  /// The first call was verified: later ones are compared with it.
  void learn();
  /// One call with its setup and checks. Throws like finish_check().
  void call(const std::string& name);
  /// One call on inputs without a known answer: its outputs are not checked.
  void call_on_unknown();
  /// Makes a set of inputs current.
  void use_set(std::size_t set);
  /// From here on the sets alternate, if there are two.
  void begin_turns();
  /// After all calls: checks the outputs of the last one, and the inputs. Throws VerificationError.
  void finish();
  /// Before another variant's turn: checks the outputs of the last call, then scrambles them.
  void hide_outputs();
  /// Returns a sentence if calls on one of the two sets take much longer than those on the other.
  /// Alternating calls are timed by `time_call`, which returns seconds; none are made if the
  /// samples summarised in `by_set` show no difference.
  std::string compare_sets(std::span<const Summary> by_set,
                           const std::function<double()>& time_call);
  /// Times some calls on inputs that no call has seen, and more known ones if `known` has few
  /// samples. Returns a sentence if they take much longer than the known ones. Long calls are made
  /// rarely: only one for an honest kernel.
  std::string look_for_memory(const Summary& known, const std::function<double()>& time_call);
  /// "call 7 (cold sample 2)"
  const std::string& last_call() const noexcept { return last_call_; }
  /// Device time in seconds of prepare() and queue_check() for one call.
  double check_time(Event& start, Event& stop);

  CallCheck& check() noexcept { return check_; }
  std::int64_t calls() const noexcept { return calls_; }

 private:
  void exchange();
  Stream& first() { return *setting_.streams.front(); }
  void wait();

  Setting setting_;
  PreparedMemory& memory_;
  CallCheck check_;
  std::mt19937_64 random_;
  bool takes_turns_ = false, is_hidden_ = false, is_unknown_ = false;
  std::int64_t calls_ = 1;  ///< the first one was made earlier
  std::int64_t until_exchange_ = 0, calls_of_turns_ = 0;
  double exchange_s_ = 0;
  MeasuringClock::time_point turns_since_;
  std::string last_call_;
};

}  // namespace kernelbatch
