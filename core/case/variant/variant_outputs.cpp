#include "core/case/variant/variant_outputs.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/clock.hpp"
#include "core/base/memory.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/case/output_spill.hpp"
#include "core/verify/known_answers.hpp"

namespace kernelbatch {
namespace {

void give_back(OutputArrays outputs, SharedArrays& shared) {
  for (auto& [name, array] : outputs) shared.give_back(std::move(array));
}

Wrong compare_hidden(const std::vector<OutputArray>& specs, const OutputArrays& got,
                     const HiddenOutputs* want, std::vector<OutputRecord>& records) {
  if (want == nullptr) return compare_outputs(specs, got, nullptr, records);
  const OutputArrays right = shown(*want);
  return compare_outputs(specs, got, &right, records);
}

}  // namespace

VariantOutputs::VariantOutputs(Setting setting, std::vector<OutputArray> specs,
                               const HiddenOutputs* want)
    : setting_(setting) {
  sets_.emplace_back(std::move(specs), want);
}

const OutputArray& VariantOutputs::spec(std::string_view name) const {
  return output_named(sets_.front().first, name);
}

Array VariantOutputs::array(std::string_view name, Device& device) {
  const OutputArray& spec = this->spec(name);
  const auto found = guarded_.find(name);
  if (found != guarded_.end()) return found->second->array();
  const std::size_t bytes =
      static_cast<std::size_t>(element_count(spec.shape)) * size_of(spec.dtype);
  const bool is_staged = setting_.budget.stays_on_host(bytes);
  if (!is_staged) setting_.budget.count(static_cast<double>(bytes));
  auto guarded = std::make_unique<GuardedOutput>(device, spec, is_staged);
  return guarded_.emplace(name, std::move(guarded)).first->second->array();
}

std::vector<GuardedOutput*> VariantOutputs::all() const {
  std::vector<GuardedOutput*> all;
  for (const auto& [name, guarded] : guarded_) all.push_back(guarded.get());
  return all;
}

void VariantOutputs::add_set(const std::vector<OutputArray>& specs, const HiddenOutputs* want,
                             Stream& stream) {
  sets_.emplace_back(specs, want);
  for (const OutputArray& spec : specs) guarded_.at(spec.name)->add_set(spec);
  keep_contents(stream);
}

void VariantOutputs::keep_contents(Stream& stream) {
  const auto may_keep = [&](std::size_t bytes) {
    return setting_.budget.may_keep(bytes, stream.device());
  };
  for (const auto& [name, guarded] : guarded_) guarded->keep_contents(may_keep, stream);
}

void VariantOutputs::refill(Stream& stream) {
  for (const auto& [name, guarded] : guarded_) guarded->refill(stream);
}

OutputArrays VariantOutputs::read(Stream& stream) {
  OutputArrays outputs;
  const auto start = MeasuringClock::now();
  for (const auto& [name, guarded] : guarded_) {
    const Array& there = guarded->array();
    Array& here = outputs[name] = setting_.shared.take(there.dtype(), there.shape());
    copy(there, here, stream);
  }
  // Time of the first call's outputs: later ones are read only for further checks.
  double& time = setting_.record.d2h_time;
  if (std::isnan(time)) time = seconds_since(start);
  return outputs;
}

bool VariantOutputs::guards_are_whole(Stream& stream) {
  ResultRecord& record = setting_.record;
  for (const auto& [name, guarded] : guarded_) {
    const std::string reason = guarded->check_guards(stream);
    if (reason.empty()) continue;
    overrun_.insert(name);
    for (OutputRecord& output : record.outputs)
      if (output.name == name) forget_errors(output);
    if (record.status == Status::kVerificationFailed) continue;
    record.status = Status::kVerificationFailed;
    record.phase = Phase::kVerify;
    record.reason = reason;
    record.fault = "out of bounds";
  }
  return overrun_.empty();
}

bool VariantOutputs::verify_first(Stream& stream) {
  const bool is_whole = guards_are_whole(stream);
  OutputArrays got = read(stream);
  const bool is_right = compare_first(got) && is_whole;
  if (is_right && !keeps_outputs(setting_.kept, Status::kOk)) {
    got_.clear();
    give_back(std::move(got), setting_.shared);
  }
  return is_right;
}

bool VariantOutputs::compare_first(const OutputArrays& got) {
  const auto& [specs, want] = sets_.front();
  ResultRecord& record = setting_.record;
  const Wrong wrong = compare_hidden(specs, got, want, record.outputs);
  bool all_compared = true;
  for (OutputRecord& output : record.outputs) {
    if (overrun_.contains(output.name)) forget_errors(output);
    all_compared = all_compared && output.mode != "none";
  }
  is_few_ = wrong.is_few;
  if (wrong && record.status == Status::kOk) {
    record.status = Status::kVerificationFailed;
    record.phase = Phase::kVerify;
    record.reason = wrong.reason;
    record.fault = wrong.fault;
  }
  record.verified = record.status == Status::kOk && all_compared;
  if (record.status != Status::kOk || setting_.kept != KeptArrays::kNone) got_ = hidden(got);
  return record.status == Status::kOk;
}

Wrong VariantOutputs::compare_again(std::size_t set, Stream& stream) {
  const auto& [specs, want] = sets_[set];
  if (want == nullptr) return {};
  OutputArrays got = read(stream);
  const OutputArrays right = shown(*want);
  std::vector<OutputRecord> records;
  Wrong wrong;
  if (!are_right(specs, got, right)) wrong = compare_outputs(specs, got, &right, records);
  if (!wrong) {
    give_back(std::move(got), setting_.shared);
    return wrong;
  }
  setting_.record.outputs = std::move(records);
  got_ = hidden(got);
  is_few_ = wrong.is_few;
  return wrong;
}

bool VariantOutputs::is_sporadic(const std::function<void()>& call, Stream& stream) {
  if (!is_few_) return false;
  call();
  OutputArrays got = read(stream);
  const bool is_same = std::ranges::all_of(got, [&](const auto& named) {
    const Array before = got_.at(named.first).shown();
    return equal_bytes(named.second.data(), before.data(), before.bytes());
  });
  give_back(std::move(got), setting_.shared);
  return !is_same;
}

bool VariantOutputs::is_right_on_zeros(const std::function<void()>& call, Stream& stream) {
  const auto& [specs, want] = sets_.front();
  if (want == nullptr) return false;
  for (const auto& [name, guarded] : guarded_) guarded->zero(stream);
  stream.synchronize();
  call();
  OutputArrays got = read(stream);
  const bool is_right = are_right(specs, got, shown(*want));
  give_back(std::move(got), setting_.shared);
  return is_right;
}

bool VariantOutputs::distinguish(std::size_t other, std::size_t set, Stream& stream) {
  OutputArrays got = read(stream);
  const auto want_of = [&](std::size_t of, const OutputArray& spec) {
    return astype(contiguous(sets_[of].second->at(name_of_want(spec)).shown()), spec.dtype);
  };
  bool all = true;
  for (const OutputArray& spec : sets_[set].first) {
    if (!spec.has_reference) continue;
    const Array known = want_of(other, spec), want = want_of(set, spec);
    if (known.size() != want.size() ||
        !compare(known.reshape(want.shape()), want, spec.tolerance).equal)
      continue;
    all = all && distinguishes(got.at(spec.name), want, known);
  }
  give_back(std::move(got), setting_.shared);
  return all;
}

std::string VariantOutputs::answer_of_other_set(std::size_t other, std::size_t set,
                                                Stream& stream) {
  OutputArrays got = read(stream);
  const auto is_right = [&](std::size_t of, std::size_t k) {
    const auto& [specs, want] = sets_[of];
    return want != nullptr && specs[k].has_reference && are_right({specs[k]}, got, shown(*want));
  };
  std::string name;
  for (std::size_t k = 0; k < sets_[set].first.size() && name.empty(); ++k)
    if (is_right(other, k) && !is_right(set, k)) name = sets_[set].first[k].name;
  give_back(std::move(got), setting_.shared);
  return name;
}

Array VariantOutputs::want_on_device(std::size_t set, const OutputArray& spec, Stream& stream) {
  const HiddenOutputs* const want = sets_[set].second;
  if (want == nullptr || !spec.has_reference || hides_memory()) return {};
  const auto [found, is_new] = reference_copies_.try_emplace({set, spec.name});
  if (!is_new) return found->second;
  const Array original = want->at(name_of_want(spec)).shown();
  const Array right = astype(original, spec.dtype);
  if (right.data() == original.data())
    if (const Array there = setting_.shared.on_device(right, stream); there.bytes() > 0)
      return found->second = there.reshape(spec.shape);
  if (setting_.budget.may_keep(right.bytes(), stream.device()))
    found->second = to_device(right, stream).reshape(spec.shape);
  return found->second;
}

Array VariantOutputs::want(const OutputArray& spec) const {
  const HiddenOutputs* const all = sets_.front().second;
  return all == nullptr || !spec.has_reference ? Array{} : all->at(name_of_want(spec)).shown();
}

OutputArrays VariantOutputs::take(std::size_t set, Stream* stream) {
  ResultRecord& record = setting_.record;
  // A later call was wrong after the first one was correct; the first call's outputs are no longer
  // available.
  const bool is_later = stream != nullptr && got_.empty() && !record.outputs.empty() &&
                        record.status == Status::kVerificationFailed;
  if (is_later && keeps_outputs(setting_.kept, record.status)) {
    const auto& [specs, want] = sets_[set];
    try {
      OutputArrays got = read(*stream);
      compare_hidden(specs, got, want, record.outputs);
      got_ = hidden(got);
    } catch (const std::exception&) {
      // The device is lost: there is nothing to keep.
    }
  }
  return shown(std::exchange(got_, {}));
}

}  // namespace kernelbatch
