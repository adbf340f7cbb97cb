// Evidence in a variant's result that explains its time.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/device/device.hpp"
#include "core/measure/twins.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Usual duration of gathering a variant's evidence on a GPU: counters and twins.
constexpr double kUsualEvidenceSeconds = 0.6;

/// Bytes of all arrays of a variant on the device.
struct ArrayBytes {
  double inputs = 0, outputs = 0;
};

/// Adds evidence that needs no run: of the device, of each launch of the record (waves of blocks,
/// what limits residency), of each kernel (its instructions). Needs the record's launches.
void add_static_evidence(ResultRecord& record, const DeviceProperties& device,
                         std::span<const ProgramLog::Entry> kernels, const ArrayBytes& arrays);

/// The twins that may be timed: none that could wait for a missing block, or compute an index from
/// wrong values.
std::vector<Twin> possible_twins(const ResultRecord& record, const DeviceProperties& device,
                                 std::span<const ProgramLog::Entry> kernels);

void add_twins(ResultRecord& record, std::span<const TwinTime> times);

/// Functions of CounterRequest.
struct CounterCalls {
  std::function<void()> prepare;
  std::function<std::size_t()> after_flush;
  std::function<void()> work;
};

/// Reads the hardware counters in further calls; if that is impossible, adds a note with the
/// reason.
void add_counters(ResultRecord& record, Device& device, const std::vector<Stream*>& streams,
                  const CounterCalls& calls);

}  // namespace kernelbatch
