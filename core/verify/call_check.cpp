#include "core/verify/call_check.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

using Clock = MeasuringClock;

/// Maximum share of the calls' time for comparisons on the host, after the first few.
constexpr double kCompareShare = 0.1;
constexpr double kFirstCompared = 4;
constexpr double kWholeShare = 0.25;
/// Share of the calls whose outputs are filled with the numeric sentinel.
constexpr double kNumericShare = 0.5;

}  // namespace

CallCheck::CallCheck(Setting setting)
    : setting_(std::move(setting)), random_(std::random_device{}()) {
  for (GuardedOutput* guarded : setting_.outputs) {
    const bool is_large =
        guarded->memory().bytes() > setting_.whole_bytes && !guarded->has_contents();
    outputs_.push_back({guarded, is_large});
  }
}

void CallCheck::use_set(std::size_t set) {
  set_ = set;
  for (Output& output : outputs_) output.guarded->use_set(set);
}

/// True if the next call is checked completely, and so begins with a filled output.
bool CallCheck::is_whole_next(const Output& output) {
  const bool is_learned = output.learned.size() > set_ && output.learned[set_].has_value();
  if (!output.is_large || !is_learned) return true;
  return is_deterministic_ ? output.holds != set_ || chance() < kWholeShare : is_looked_at_;
}

void CallCheck::poison(Stream& stream) {
  if (!is_deterministic_) {
    const double interval = seconds_since(compared_since_) / std::max(calls_, 1.0);
    const double cost = compare_s_ / std::max(compares_, 1.0);
    is_compared_ = calls_ < kFirstCompared || chance() * cost < kCompareShare * interval;
    is_looked_at_ = is_compared_ || chance() < kWholeShare;
  }
  // The first call was made on the usual sentinel.
  const bool is_numeric = !std::exchange(has_armed_, true) || chance() < kNumericShare;
  for (Output& output : outputs_) {
    const bool is_whole = is_whole_next(output);
    output.holds.reset();
    if (is_deterministic_)
      output.method = is_whole ? Method(WholeHash{}) : SampledPlaces{};
    else
      output.method = is_whole ? tolerance_of(output, stream) : Unchecked{};
    if (is_whole) {
      // Elements of an output without reference may stay unwritten.
      output.guarded->restore(stream, is_numeric && output.guarded->spec().has_reference
                                          ? Sentinel::kNumeric
                                          : Sentinel::kUsual);
    } else if (const Array& array = output.guarded->array(); !array.is_staged()) {
      output.places = {array.data(), static_cast<std::uint64_t>(array.size()),
                       static_cast<std::uint32_t>(size_of(array.dtype())), random_()};
      setting_.kernels.digest(output.places, output.before, stream);
      setting_.kernels.perturb(output.places, stream);
    }
  }
}

void CallCheck::perturb(Stream& stream) {
  for (Output& output : outputs_) {
    const Array& array = output.guarded->array();
    if (output.guarded->has_contents() || array.is_staged() || array.size() == 0) continue;
    setting_.kernels.perturb({array.data(), static_cast<std::uint64_t>(array.size()),
                              static_cast<std::uint32_t>(size_of(array.dtype())), random_(), true},
                             stream);
    // The changes are visible in the digest of the whole output.
    if (is_deterministic_) output.method = WholeHash{};
  }
}

void CallCheck::scramble(Stream& stream) {
  for (Output& output : outputs_) {
    const Array& array = output.guarded->array();
    if (array.is_staged())
      output.guarded->restore(stream);
    else if (array.size() > 0)
      setting_.kernels.perturb({array.data(), static_cast<std::uint64_t>(array.size()),
                                static_cast<std::uint32_t>(size_of(array.dtype())), random_()},
                               stream);
    output.holds.reset();
  }
  stream.synchronize();
}

std::size_t CallCheck::bytes() const noexcept {
  std::size_t sum = 0;
  for (const Output& output : outputs_) sum += output.guarded->memory().bytes();
  return sum;
}

bool CallCheck::has_large() const noexcept {
  return std::ranges::any_of(outputs_, &Output::is_large);
}

void CallCheck::queue_whole(Output& output, Stream& stream) {
  const Array& memory = output.guarded->memory();
  if (!output.guarded->array().is_staged())
    return setting_.kernels.digest(memory.data(), memory.bytes(), output.after, stream);
  stream.synchronize();
  const XXH128_hash_t hash = XXH3_128bits(memory.data(), memory.bytes());
  output.hashed = {hash.low64, hash.high64};
}

Digest CallCheck::whole_digest(const Output& output, Stream& stream) {
  return output.guarded->array().is_staged() ? output.hashed : output.after.value(stream);
}

/// Compares the next call with the reference on the device, if that is possible. Done before the
/// call, not while a stream is held back: it uploads, allocates and compiles.
CallCheck::Method CallCheck::tolerance_of(Output& output, Stream& stream) {
  const Array& array = output.guarded->array();
  if (array.is_staged() || array.size() == 0 || !setting_.want_on_device) return Unchecked{};
  DeviceTolerance method{setting_.want_on_device(output.guarded->spec())};
  if (method.want.bytes() == 0) return Unchecked{};
  output.tolerances.resize(std::max(output.tolerances.size(), set_ + 1));
  if (!output.tolerances[set_]) {
    Tolerance& tolerance = output.tolerances[set_].emplace(output.guarded->spec().tolerance);
    for (Array* bounds : {&tolerance.row_bounds, &tolerance.column_bounds})
      if (bounds->bytes() > 0) *bounds = to_device(*bounds, stream);
  }
  if (!output.beyond) {
    output.beyond.emplace(*array.device());
    tolerance_.count(array, method.want, *output.tolerances[set_], *output.beyond, stream);
  }
  return method;
}

void CallCheck::queue_check(Stream& stream) {
  for (Output& output : outputs_) {
    if (const auto* by = std::get_if<DeviceTolerance>(&output.method))
      tolerance_.count(output.guarded->array(), by->want, *output.tolerances[set_], *output.beyond,
                       stream);
    else if (std::holds_alternative<WholeHash>(output.method))
      queue_whole(output, stream);
    else if (std::holds_alternative<SampledPlaces>(output.method) &&
             !output.guarded->array().is_staged())
      setting_.kernels.digest(output.places, output.after, stream);
  }
}

void CallCheck::finish_check(const std::string& name, Stream& stream) {
  if (!is_deterministic_) return finish_varying_check(name, stream);
  ++checked_;
  const bool is_first = std::ranges::any_of(outputs_, [this](const Output& output) {
    return output.learned.size() <= set_ || !output.learned[set_].has_value();
  });
  // There is no learned digest to compare with.
  if (is_first) return find_difference(name, stream);
  for (Output& output : outputs_) {
    output.holds = set_;
    if (std::holds_alternative<WholeHash>(output.method)) {
      if (output.learned[set_] == whole_digest(output, stream)) continue;
    } else if (output.guarded->array().is_staged() ||
               output.before.value(stream) == output.after.value(stream)) {
      continue;
    }
    find_difference(name, stream);
    if (setting_.must_be_deterministic)
      throw VerificationError(
          fmt::format("{}: output '{}' is within its tolerance, and not the same bits as in the "
                      "first call: verify.determinism is 'required'",
                      name, output.guarded->spec().name),
          "varies");
    is_deterministic_ = false;
    compared_since_ = Clock::now();
    return;
  }
}

void CallCheck::finish_varying_check(const std::string& name, Stream& stream) {
  ++calls_;
  bool is_beyond = false, is_counted = false;
  for (const Output& output : outputs_) {
    if (!std::holds_alternative<DeviceTolerance>(output.method)) continue;
    is_counted = true;
    is_beyond = is_beyond || output.beyond->value(stream) > 0;
  }
  if (is_counted || is_compared_) ++checked_;
  if (is_beyond || is_compared_) find_difference(name, stream);
}

void CallCheck::find_difference(const std::string& name, Stream& stream) {
  const Clock::time_point start = Clock::now();
  for (const Output& output : outputs_)
    if (const std::string reason = output.guarded->check_guards(stream); !reason.empty())
      throw VerificationError(fmt::format("{}: {}", name, reason), "out of bounds");
  if (const Wrong wrong = setting_.compare())
    throw VerificationError(fmt::format("{}: {}", name, wrong.reason), wrong.fault);
  compare_s_ += seconds_since(start);
  ++compares_;
}

void CallCheck::learn(Stream& stream) {
  for (Output& output : outputs_) {
    queue_whole(output, stream);
    stream.synchronize();
    output.learned.resize(std::max(output.learned.size(), set_ + 1));
    output.learned[set_] = whole_digest(output, stream);
    output.holds = set_;
    const Array& array = output.guarded->array();
    if (array.is_staged()) continue;
    setting_.kernels.digest(array.data(), array.bytes(), output.before, stream,
                            CheckKernels::Seed::kFixed);
    stream.synchronize();
    known_.push_back(output.before.value(stream));
  }
}

bool CallCheck::is_learned(std::size_t set, Stream& stream) {
  return std::ranges::all_of(outputs_, [&](Output& output) {
    queue_whole(output, stream);
    stream.synchronize();
    return output.learned.size() > set && output.learned[set] == whole_digest(output, stream);
  });
}

void CallCheck::look_at_last(const std::string& name, Stream& stream) {
  if (is_deterministic_ && is_as_learned(stream)) return;
  find_difference(name, stream);
}

}  // namespace kernelbatch
