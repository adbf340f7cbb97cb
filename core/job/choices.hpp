// Choices of a job: one enumeration and one table of names per key.
#pragma once

#include <cstdint>

#include "core/base/choice.hpp"
#include "core/base/compare_mode.hpp"
#include "core/base/variant_kind.hpp"

namespace kernelbatch {

/// `measure.preset`
enum class Preset : std::uint8_t { kQuick, kStandard, kPaper };
template <>
struct Names<Preset> {
  static constexpr Named<Preset> rows[] = {
      {Preset::kQuick, "quick"}, {Preset::kStandard, "standard"}, {Preset::kPaper, "paper"}};
};

/// `measure.energy`
enum class EnergyChoice : std::uint8_t { kOff, kOn };
template <>
struct Names<EnergyChoice> {
  static constexpr Named<EnergyChoice> rows[] = {{EnergyChoice::kOff, "off"},
                                                 {EnergyChoice::kOn, "on"}};
};

/// `measure.counters` and `measure.twins`: evidence for a variant's time.
enum class EvidenceChoice : std::uint8_t { kAuto, kOff };
template <>
struct Names<EvidenceChoice> {
  static constexpr Named<EvidenceChoice> rows[] = {{EvidenceChoice::kAuto, "auto"},
                                                   {EvidenceChoice::kOff, "off"}};
};

/// `limits.isolate`: lifetime of a healthy worker.
enum class Isolate : std::uint8_t {
  kNone,     ///< until the end of the run
  kCase,     ///< a fresh one for each case
  kVariant,  ///< a fresh one for each variant
};
template <>
struct Names<Isolate> {
  static constexpr Named<Isolate> rows[] = {
      {Isolate::kNone, "none"}, {Isolate::kCase, "case"}, {Isolate::kVariant, "variant"}};
};

/// `verify.on_fail`: what follows a wrong result.
enum class OnFail : std::uint8_t { kRecord, kStopCase, kStopJob };
template <>
struct Names<OnFail> {
  static constexpr Named<OnFail> rows[] = {{OnFail::kRecord, "record"},
                                           {OnFail::kStopCase, "stop-case"},
                                           {OnFail::kStopJob, "stop-job"}};
};

/// `verify.determinism`: whether all calls must give the same bits.
enum class Determinism : std::uint8_t { kAny, kRequired };
template <>
struct Names<Determinism> {
  static constexpr Named<Determinism> rows[] = {{Determinism::kAny, "any"},
                                                {Determinism::kRequired, "required"}};
};

/// `output.arrays`: which outputs are stored.
enum class KeptArrays : std::uint8_t { kAll, kFailing, kSample, kNone };
template <>
struct Names<KeptArrays> {
  static constexpr Named<KeptArrays> rows[] = {{KeptArrays::kAll, "all"},
                                               {KeptArrays::kFailing, "failing"},
                                               {KeptArrays::kSample, "sample"},
                                               {KeptArrays::kNone, "none"}};
};

/// The source of an input: the key of `inputs.<name>` that selects how the array is created.
enum class InputKind : std::uint8_t {
  kFile,
  kRandom,
  kArange,
  kZeros,
  kOnes,
  kFull,
  kLinspace,
  kValues,
  kOf,
  kScalar,
};
template <>
struct Names<InputKind> {
  static constexpr Named<InputKind> rows[] = {{InputKind::kFile, "file"},
                                              {InputKind::kRandom, "random"},
                                              {InputKind::kArange, "arange"},
                                              {InputKind::kZeros, "zeros"},
                                              {InputKind::kOnes, "ones"},
                                              {InputKind::kFull, "full"},
                                              {InputKind::kLinspace, "linspace"},
                                              {InputKind::kValues, "values"},
                                              {InputKind::kOf, "of"},
                                              {InputKind::kScalar, "scalar"}};
};

/// The distribution of `random:`.
enum class Distribution : std::uint8_t { kUniform, kNormal, kIntegers };
template <>
struct Names<Distribution> {
  static constexpr Named<Distribution> rows[] = {{Distribution::kUniform, "uniform"},
                                                 {Distribution::kNormal, "normal"},
                                                 {Distribution::kIntegers, "integers"}};
};

}  // namespace kernelbatch
