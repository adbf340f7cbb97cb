// CheckedCalls: setup and checks around every call of one variant's work.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/case/prepared_memory.hpp"
#include "core/case/variant/turn_schedule.hpp"
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

  /// One call with its setup and checks. Throws like finish_check().
  void call(const std::string& name);
  /// Makes calls on inputs without a known answer: their outputs are not checked.
  void on_unknown(const std::function<void()>& calls);
  /// Makes a set of inputs current.
  void use_set(std::size_t set);
  /// From here on the sets alternate, if there are two.
  void begin_turns();
  /// From here on the current set stays.
  void end_turns() noexcept { turns_.end(); }
  /// After all calls: checks the outputs of the last one, and the inputs. Throws VerificationError.
  void finish();
  /// Before another variant's turn: checks the outputs of the last call, then scrambles them.
  void hide_outputs();
  /// "call 7 (cold sample 2)"
  const std::string& last_call() const noexcept { return last_call_; }

  CallCheck& check() noexcept { return check_; }

 private:
  void exchange();
  Stream& first() { return *setting_.streams.front(); }

  Setting setting_;
  PreparedMemory& memory_;
  CallCheck check_;
  std::mt19937_64 random_;
  TurnSchedule turns_;
  bool is_hidden_ = false, is_unknown_ = false;
  std::int64_t calls_ = 1;  ///< the first one was made earlier
  std::string last_call_;
};

/// Device time in seconds of preparing and checking one call.
double check_time(CallCheck& check, Stream& stream, Event& start, Event& stop);

}  // namespace kernelbatch
