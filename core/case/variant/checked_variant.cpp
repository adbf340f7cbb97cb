#include "core/case/variant/checked_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/case/guard/doubts.hpp"

namespace kernelbatch {

CheckedVariant::CheckedVariant(const VariantDeclaration& variant, Device& device,
                               CheckKernels& checks, RunSetting setting, ResultRecord record)
    : DeviceVariant(variant, device, std::move(setting), std::move(record)),
      checks_(checks),
      memory_(checks, setting_.inputs, std::move(setting_.problem)) {
  run_.list_in(memory_);
}

void CheckedVariant::prepare(const Problem& problem) {
  const RangeEnd end(*this);
  enter(Phase::kLaunch);
  threads_before_ = ThreadTimes::now();
  memory_.prepare([&] { make_work(problem); }, run_.first());
  note_staging();
}

bool CheckedVariant::verify() {
  const RangeEnd end(*this);
  if (!verify_first_call()) {
    explain_failure();
    return false;
  }
  look_for_answer();
  make_calls();
  for (int k = 1; k < setting_.repeat; ++k) {
    enter(Phase::kRun);
    calls_->call(fmt::format("repetition {} of {}", k + 1, setting_.repeat));
  }
  memory_.require_unchanged(run_.first());
  record_checks();
  if (setting_.is_timed) busy_threads_ = busy_threads(threads_before_);
  return setting_.is_timed;
}

void CheckedVariant::explain_failure() {
  constexpr double kLongest_s = 1;
  if (record_.status != Status::kVerificationFailed) return;
  try {
    memory_.require_unchanged(run_.first());
  } catch (const VerificationError& error) {
    record_.reason += fmt::format("; {}", error.what());
    record_.fault = error.fault();
    return;
  }
  // Writes past the end do not depend on the contents.
  if (record_.fault == "out of bounds" || record_.first_launch_time > kLongest_s) return;
  try {
    if (!outputs_.is_right_on_zeros([this] { call(); }, run_.first())) {
      if (is_sporadic()) record_.fault += kVaries;
      return;
    }
    record_.reason += "; it is right if its outputs are zero before the call";
    record_.fault = "not zeroed";
  } catch (const Error&) {
    // The failure of the first call is the one to report.
  }
}

bool CheckedVariant::is_sporadic() {
  try {
    return outputs_.is_sporadic([this] { call(); }, run_.first());
  } catch (const Error&) {
    return false;  // the first failure is the one to report
  }
}

void CheckedVariant::make_calls() {
  CheckedCalls::Setting setting{
      .check = {.kernels = checks_,
                .outputs = outputs_.all(),
                .must_be_deterministic = setting_.must_be_deterministic,
                .compare = [this] { return outputs_.compare_again(memory_.set(), run_.first()); },
                .is_sporadic = [this] { return is_sporadic(); },
                .want_on_device =
                    [this](const OutputArray& spec) {
                      return outputs_.want_on_device(memory_.set(), spec, run_.first());
                    }},
      .memory = memory_,
      .streams = run_.streams(),
      .work = [this] { call(); },
      .first_calls = std::max(1, setting_.measure.warmup + setting_.measure.min_samples / 2)};
  outputs_.keep_contents(run_.first());
  calls_ = std::make_unique<CheckedCalls>(std::move(setting));
  calls_->check().learn(run_.first());
}

void CheckedVariant::record_checks() {
  record_.checked_calls = 1 + calls_->check().checked_calls();
  record_.input_sets = (memory_.has_second() ? 2 : 1) + further_sets_;
  record_.deterministic = calls_->check().is_deterministic();
  record_.digest.clear();
  const auto add = [this](std::string_view name, const std::vector<Digest>& digests) {
    for (const Digest& digest : digests)
      record_.digest +=
          fmt::format("{}{}:{}", record_.digest.empty() ? "" : " ", name, to_text(digest));
  };
  add("in", memory_.known());
  add("out", calls_->check().known());
}

void CheckedVariant::leave_turn() {
  if (calls_ != nullptr) calls_->hide_outputs();
}

OutputArrays CheckedVariant::take_outputs() {
  return outputs_.take(memory_.set(), run_.has_streams() ? &run_.first() : nullptr);
}

}  // namespace kernelbatch
