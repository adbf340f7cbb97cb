// Outcomes, phases and kinds of samples, with their names in result files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/choice.hpp"

namespace kernelbatch {

/// Outcome of a case and variant.
enum class Status : std::uint8_t {
  kOk,                  ///< ran, and is verified or declared unverified
  kVerificationFailed,  ///< ran, and its output is wrong: it has no ranked time
  kCrashed,
  kTimedOut,
  kOutOfMemory,
  kCompileFailed,
  kSkipped,  ///< not tried, with a reason
  kFailed,   ///< an error that did not damage the worker (an exception of the variant)
  kSuspect,  ///< ran with a correct output, but its time or its check is invalid
  kUnsafe,   ///< a sanitizer found a fault in its kernels
  kDropped,  ///< in a search: correct, but too slow to be timed further
};
inline constexpr std::size_t kStatusCount = 11;
template <>
struct Names<Status> {
  static constexpr Named<Status> rows[kStatusCount] = {
      {Status::kOk, "ok"},
      {Status::kVerificationFailed, "verification_failed"},
      {Status::kCrashed, "crashed"},
      {Status::kTimedOut, "timed_out"},
      {Status::kOutOfMemory, "out_of_memory"},
      {Status::kCompileFailed, "compile_failed"},
      {Status::kSkipped, "skipped"},
      {Status::kFailed, "failed"},
      {Status::kSuspect, "suspect"},
      {Status::kUnsafe, "unsafe"},
      {Status::kDropped, "dropped"}};
};
/// "ok", "verification_failed", "crashed", … as stored.
constexpr std::string_view to_text(Status status) noexcept { return name_of(status); }

/// Current activity of a worker. In a result: the activity during which it failed.
enum class Phase : std::uint8_t {
  kNone,       ///< all went well
  kLoad,       ///< the plugin
  kCalibrate,  ///< the device, before the first case
  kInputs,     ///< making the case's inputs
  kLaunch,     ///< preparing the variant: copies to the device, kernels, the first call
  kCompile,
  kRun,
  kVerify,
  kMeasure,
  kRecord,   ///< listing kernels and launches
  kExplain,  ///< gathering evidence for its time: the result already exists
  kWrite,    ///< storing the result
  kUnknown,  ///< another value, from a file of another version
};
template <>
struct Names<Phase> {
  static constexpr Named<Phase> rows[] = {
      {Phase::kNone, ""},          {Phase::kLoad, "load"},       {Phase::kCalibrate, "calibrate"},
      {Phase::kInputs, "inputs"},  {Phase::kLaunch, "launch"},   {Phase::kCompile, "compile"},
      {Phase::kRun, "run"},        {Phase::kVerify, "verify"},   {Phase::kMeasure, "measure"},
      {Phase::kRecord, "record"},  {Phase::kExplain, "explain"}, {Phase::kWrite, "write"},
      {Phase::kUnknown, "unknown"}};
};

/// Timed work of a sample, and the state of the caches.
enum class SampleKind : std::uint8_t {
  kCold,  ///< one call after the caches were flushed
  kHot,   ///< calls back to back
  kHost,  ///< the host's time to queue one call
};
template <>
struct Names<SampleKind> {
  static constexpr Named<SampleKind> rows[] = {
      {SampleKind::kCold, "cold"}, {SampleKind::kHot, "hot"}, {SampleKind::kHost, "host"}};
};

}  // namespace kernelbatch
