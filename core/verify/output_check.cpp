#include "core/verify/output_check.hpp"

#include <xxhash.h>

#include <algorithm>

namespace kernelbatch {
namespace {

void restore(GuardedOutput& output, Sentinel sentinel, Stream& stream) {
  // Elements of an output without reference may stay unwritten.
  output.restore(stream, output.spec().has_reference ? sentinel : Sentinel::kUsual);
}

RandomPlaces places_of(const Array& array, std::uint64_t seed) {
  return {array.data(), static_cast<std::uint64_t>(array.size()),
          static_cast<std::uint32_t>(size_of(array.dtype())), seed};
}

}  // namespace

void OutputCheck::begin_whole(Sentinel sentinel, Stream& stream) {
  holds_.reset();
  method_ = WholeHash{};
  restore(guarded_, sentinel, stream);
}

void OutputCheck::begin_varying(std::size_t set, Sentinel sentinel, const CheckTools& tools,
                                Stream& stream) {
  holds_.reset();
  method_ = tolerance_of(set, tools, stream);
  restore(guarded_, sentinel, stream);
}

void OutputCheck::begin_places(bool are_checked, std::uint64_t seed, const CheckTools& tools,
                               Stream& stream) {
  holds_.reset();
  method_ = are_checked ? Method(SampledPlaces{}) : Unchecked{};
  if (guarded_.array().is_staged()) return;
  places_ = places_of(guarded_.array(), seed);
  tools.kernels.digest(places_, before_, stream);
  tools.kernels.perturb(places_, stream);
}

void OutputCheck::perturb(std::uint64_t seed, const CheckTools& tools, Stream& stream) {
  RandomPlaces some = places_of(guarded_.array(), seed);
  some.is_thinned = true;
  tools.kernels.perturb(some, stream);
}

void OutputCheck::scramble(std::uint64_t seed, const CheckTools& tools, Stream& stream) {
  if (guarded_.array().is_staged())
    guarded_.restore(stream);
  else if (guarded_.array().size() > 0)
    tools.kernels.perturb(places_of(guarded_.array(), seed), stream);
  holds_.reset();
}

void OutputCheck::queue_whole(const CheckTools& tools, Stream& stream) {
  const Array& memory = guarded_.memory();
  if (!guarded_.array().is_staged())
    return tools.kernels.digest(memory.data(), memory.bytes(), after_, stream);
  stream.synchronize();
  const XXH128_hash_t hash = XXH3_128bits(memory.data(), memory.bytes());
  hashed_ = {hash.low64, hash.high64};
}

Digest OutputCheck::whole_digest(Stream& stream) const {
  return guarded_.array().is_staged() ? hashed_ : after_.value(stream);
}

/// Compares the next call with the reference on the device, if that is possible. Done before the
/// call, not while a stream is held back: it uploads, allocates and compiles.
OutputCheck::Method OutputCheck::tolerance_of(std::size_t set, const CheckTools& tools,
                                              Stream& stream) {
  const Array& array = guarded_.array();
  if (array.is_staged() || array.size() == 0 || !tools.want_on_device) return Unchecked{};
  DeviceTolerance method{tools.want_on_device(guarded_.spec())};
  if (method.want.bytes() == 0) return Unchecked{};
  tolerances_.resize(std::max(tolerances_.size(), set + 1));
  if (!tolerances_[set]) {
    Tolerance& tolerance = tolerances_[set].emplace(guarded_.spec().tolerance);
    for (Array* bounds : {&tolerance.row_bounds, &tolerance.column_bounds})
      if (bounds->bytes() > 0) *bounds = to_device(*bounds, stream);
  }
  if (!beyond_) {
    beyond_.emplace(*array.device());
    tools.tolerance.count(array, method.want, *tolerances_[set], *beyond_, stream);
  }
  return method;
}

void OutputCheck::queue(std::size_t set, const CheckTools& tools, Stream& stream) {
  if (const auto* by = std::get_if<DeviceTolerance>(&method_))
    tools.tolerance.count(guarded_.array(), by->want, *tolerances_[set], *beyond_, stream);
  else if (std::holds_alternative<WholeHash>(method_))
    queue_whole(tools, stream);
  else if (std::holds_alternative<SampledPlaces>(method_) && !guarded_.array().is_staged())
    tools.kernels.digest(places_, after_, stream);
}

bool OutputCheck::finish(std::size_t set, Stream& stream) {
  holds_ = set;
  if (std::holds_alternative<WholeHash>(method_)) return learned_[set] == whole_digest(stream);
  return guarded_.array().is_staged() || before_.value(stream) == after_.value(stream);
}

std::optional<bool> OutputCheck::is_beyond(Stream& stream) const {
  if (!std::holds_alternative<DeviceTolerance>(method_)) return std::nullopt;
  return beyond_->value(stream) > 0;
}

std::optional<Digest> OutputCheck::learn(std::size_t set, const CheckTools& tools, Stream& stream) {
  queue_whole(tools, stream);
  stream.synchronize();
  learned_.resize(std::max(learned_.size(), set + 1));
  learned_[set] = whole_digest(stream);
  holds_ = set;
  const Array& array = guarded_.array();
  if (array.is_staged()) return std::nullopt;
  tools.kernels.digest(array.data(), array.bytes(), before_, stream, CheckKernels::Seed::kFixed);
  stream.synchronize();
  return before_.value(stream);
}

bool OutputCheck::equals_learned(std::size_t set, const CheckTools& tools, Stream& stream) {
  queue_whole(tools, stream);
  stream.synchronize();
  return has_learned(set) && learned_[set] == whole_digest(stream);
}

}  // namespace kernelbatch
