// CheckedVariant: the second set of inputs, and answers known without reading them.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/memory.hpp"
#include "core/case/variant/checked_variant.hpp"

namespace kernelbatch {
namespace {

/// True if outputs begin with other elements than those of another set of inputs.
bool other_contents(const std::vector<OutputArray>& outputs,
                    const std::vector<OutputArray>& others) {
  for (const OutputArray& output : outputs) {
    const Array &a = output.initial, &b = output_named(others, output.name).initial;
    if (a.bytes() != b.bytes() || (a.bytes() > 0 && !equal_bytes(a.data(), b.data(), a.bytes())))
      return true;
  }
  return false;
}

/// A device copy of an input of the second set, shared by all variants.
Array second_on_device(const SecondInputs& second, const Array& host, SharedArrays& shared,
                       Stream& stream) {
  const bool is_input = std::ranges::any_of(second.inputs, [&](const auto& named) {
    return named.second.data() == host.data() && named.second.bytes() == host.bytes();
  });
  return is_input && host.is_contiguous() ? shared.on_device(host, stream) : Array{};
}

}  // namespace

void CheckedVariant::add_second_set(const SecondInputs& second) {
  const RangeEnd end(*this);
  enter(Phase::kVerify);
  prepare_second(second);
  record_checks();
}

void CheckedVariant::prepare_second(const SecondInputs& second) {
  const std::string reason = memory_.prepare_second(
      {.prepare = [&](Run& run) { variant_.prepare(second.problem, run); },
       .inner = run_,
       .drawn = second.drawn,
       .may_keep = [this](std::size_t bytes) { return budget_.may_keep(bytes, device_); },
       .on_device =
           [&](const Array& host) {
             return second_on_device(second, host, setting_.shared, run_.first());
           },
       .differs = other_contents(setting_.outputs, second.outputs),
       .problem = second.problem_memory},
      run_.first());
  if (!reason.empty()) return record_.add_note(NoteKind::kSecondSet, reason);
  record_.input_seed = second.seed;
  outputs_.add_set(second.outputs, &second.want, run_.first());
  calls_->use_set(1);
  try {
    calls_->call("the first one on other inputs");
  } catch (const VerificationError& error) {
    if (!calls_->check().is_learned(0, run_.first())) throw;
    throw VerificationError(
        fmt::format("{}: it gives the answer to the first inputs, whatever its input arrays hold",
                    calls_->last_call()),
        "inputs not read");
  }
  calls_->check().learn(run_.first());
  if (!setting_.known.empty() && distinguishes_sets()) setting_.known.clear();
  check_use_of_inputs();
  calls_->begin_turns();
}

/// True if the outputs for each of the two sets are computed from it. The second set is current
/// before and after.
bool CheckedVariant::distinguishes_sets() {
  if (!outputs_.distinguish(0, 1, run_.first())) return false;
  calls_->use_set(0);
  calls_->call("one more on the first inputs");
  const bool is_other = outputs_.distinguish(1, 0, run_.first());
  calls_->use_set(1);
  return is_other;
}

/// With the second inputs, but arrays that the preparation computed from the first: work that gives
/// the first answer does not read its inputs.
void CheckedVariant::check_use_of_inputs() {
  if (!memory_.exchange_made(run_.first())) return;
  calls_->on_unknown([this] { calls_->call("on exchanged memory"); });
  const std::string name = outputs_.answer_of_other_set(0, 1, run_.first());
  memory_.exchange_made(run_.first());
  // The outputs now hold no valid answer.
  calls_->call("a call after one on exchanged memory");
  if (name.empty()) return;
  prepared_answer_ = fmt::format(
      "output '{}' depends only on arrays that the preparation computed from the inputs, which is "
      "not timed: compute them in the timed work, or in the problem that all variants share",
      name);
}

/// An array created by the preparation that already holds the answer leaves nothing to compute.
void CheckedVariant::look_for_answer() {
  for (const OutputArray& spec : setting_.outputs) {
    const auto is_answer = [&](const Array& array) {
      if (array.dtype() != spec.dtype || array.size() != element_count(spec.shape)) return false;
      const Array right = outputs_.want(spec);
      return right.size() > 1 && compare(to_host(array, run_.first()).reshape(right.shape()),
                                         astype(right, spec.dtype), spec.tolerance)
                                     .equal;
    };
    const std::string where = memory_.find_answer(is_answer);
    if (!where.empty())
      throw VerificationError(
          fmt::format(
              "its preparation leaves the answer '{}' in {}: what is timed would only copy it",
              spec.name, where),
          "prepared answer");
  }
}

}  // namespace kernelbatch
