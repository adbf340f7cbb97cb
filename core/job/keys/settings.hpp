// Tables of the keys for running a job, independent of the workload.
#pragma once

#include <span>

#include "core/job/keys/field.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

template <>
std::span<const Field<MeasureSpec>> fields<MeasureSpec>();
template <>
std::span<const Field<LimitsSpec>> fields<LimitsSpec>();
template <>
std::span<const Field<OutputSpec>> fields<OutputSpec>();
template <>
std::span<const Field<VerifySpec>> fields<VerifySpec>();
template <>
std::span<const Field<ToleranceSpec>> fields<ToleranceSpec>();
template <>
std::span<const Field<ReferenceFile>> fields<ReferenceFile>();
/// `params` is read by the workload's parser; it has no `read`.
template <>
std::span<const Field<TuneSpec>> fields<TuneSpec>();

}  // namespace kernelbatch
