#include "core/case/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/base/variant_kind.hpp"
#include "core/device/counters.hpp"
#include "core/measure/counter_names.hpp"
#include "core/measure/timing.hpp"

namespace kernelbatch {
namespace {

constexpr int kMostCalls = 20;

void add(ResultRecord& record, const LaunchRecord* launch, EvidenceSource source,
         std::string_view name, double value, std::string_view unit) {
  if (std::isnan(value)) return;
  CounterRecord each;
  if (launch != nullptr) {
    each.kernel = launch->kernel;
    each.launch = launch->order;
  }
  each.source = source;
  each.name = name;
  each.value = value;
  each.unit = unit;
  record.counters.push_back(std::move(each));
}

/// Registers are allocated to warps in units of 256; a compute unit has 65,536.
double blocks_by_registers(std::int64_t registers, double warps) {
  if (registers <= 0) return kMissing;
  const double per_warp = std::ceil(static_cast<double>(registers) * 32 / 256) * 256;
  return std::floor(std::floor(65536 / per_warp) / warps);
}

void add_launch(ResultRecord& record, const LaunchRecord& launch, const DeviceProperties& device,
                std::int64_t shared_static) {
  const auto add_one = [&](std::string_view name, double value) {
    add(record, &launch, EvidenceSource::kStatic, name, value, "1");
  };
  double blocks = 1, threads = 1;
  for (const std::int64_t extent : launch.grid) blocks *= static_cast<double>(extent);
  for (const std::int64_t extent : launch.block) threads *= static_cast<double>(extent);
  add_one("blocks", blocks);
  add_one("threads", threads);
  if (!device.is_gpu || device.max_threads_per_unit <= 0) return;
  const double warps = std::ceil(threads / device.warp_size);
  const double by_threads = std::floor(device.max_threads_per_unit / (warps * device.warp_size));
  const double by_registers = blocks_by_registers(launch.registers, warps);
  constexpr double kSystemShared = 1024;  // of each block, since sm_80
  const double shared = static_cast<double>(launch.shared_dynamic) +
                        static_cast<double>(std::max<std::int64_t>(0, shared_static)) +
                        kSystemShared;
  const double by_shared = std::floor(static_cast<double>(device.shared_per_unit) / shared);
  add_one("blocks_by_threads", by_threads);
  add_one("blocks_by_registers", by_registers);
  add_one("blocks_by_shared", by_shared);
  double resident = std::min(by_threads, by_shared);
  if (by_registers >= 1) resident = std::min(resident, by_registers);
  constexpr double kMostBlocks = 32;
  resident = std::clamp(resident, 1.0, kMostBlocks);
  add_one("resident_blocks", resident);
  add_one("occupancy", resident * warps * device.warp_size / device.max_threads_per_unit);
  add_one("waves", blocks / (resident * device.compute_units));
}

}  // namespace

void add_static_evidence(ResultRecord& record, const DeviceProperties& device,
                         std::span<const ProgramLog::Entry> kernels, const ArrayBytes& arrays) {
  const auto add_one = [&](std::string_view name, double value, std::string_view unit) {
    add(record, nullptr, EvidenceSource::kStatic, name, value, unit);
  };
  add_one("units", device.compute_units, "1");
  add_one("is_gpu", device.is_gpu ? 1 : 0, "1");
  add_one("shared_cache", static_cast<double>(device.shared_cache), "byte");
  if (device.clock > 0) add_one("clock", device.clock, "Hz");
  add_one("input_bytes", arrays.inputs, "byte");
  add_one("output_bytes", arrays.outputs, "byte");
  for (const LaunchRecord& launch : record.launches) {
    const auto known = std::ranges::find(record.kernels, launch.kernel, &KernelRecord::name);
    add_launch(record, launch, device, known == record.kernels.end() ? -1 : known->shared_static);
  }
  for (const ProgramLog::Entry& kernel : kernels) {
    if (!kernel.mix) continue;
    LaunchRecord of;
    of.kernel = kernel.name;
    of.order = -1;
    const auto add_static = [&](std::string_view name, double value, std::string_view unit) {
      add(record, &of, EvidenceSource::kStatic, name, value, unit);
    };
    for (const Named<InstructionKind>& kind : Names<InstructionKind>::rows)
      if (const double count = (*kernel.mix)[kind.value]; count > 0)
        add_static("instructions_" + std::string(kind.name), count, "1");
    add_static("loops", kernel.mix->loops, "1");
    add_static("global_bytes_of_thread", kernel.mix->global_bytes, "byte");
    add_static("shared_bytes_of_thread", kernel.mix->shared_bytes, "byte");
  }
}

std::vector<Twin> possible_twins(const ResultRecord& record, const DeviceProperties& device,
                                 std::span<const ProgramLog::Entry> kernels) {
  std::vector<Twin> twins;
  const bool is_known = !record.launches.empty() && !kernels.empty();
  const bool may_wait = std::ranges::any_of(kernels, &ProgramLog::Entry::may_wait);
  const bool knows_grid = std::ranges::any_of(kernels, &ProgramLog::Entry::knows_grid);
  const auto least = [&](std::string_view name) {
    double smallest = HUGE_VAL;
    for (const CounterRecord& each : record.counters)
      if (each.name == name) smallest = std::min(smallest, each.value);
    return smallest;
  };
  if (device.is_gpu && is_known) {
    // If all blocks are resident at once, blocks may rely on that.
    const double waves = least("waves");
    if (std::isfinite(waves) && (!may_wait || waves > 1)) twins.push_back(Twin::kHalfOccupancy);
    // A second kernel may use unwritten elements of the first as an index.
    const double blocks = least("blocks");
    if (record.launches.size() == 1 && !may_wait && !knows_grid && blocks >= 2)
      twins.push_back(Twin::kHalfGrid);
  }
  if (record.kind && record.kernel_launches == 1) {
    const VariantTraits& style = traits_of(*record.kind);
    if (style.is_generated) twins.push_back(Twin::kNoArithmetic);
    if (style.has_loads_twin) twins.push_back(Twin::kNoLoads);
  }
  return twins;
}

void add_twins(ResultRecord& record, std::span<const TwinTime> times) {
  for (const TwinTime& each : times)
    add(record, nullptr, EvidenceSource::kTwin, name_of(each.twin), each.time, "s");
}

void add_counters(ResultRecord& record, Device& device, const std::vector<Stream*>& streams,
                  const CounterCalls& calls) {
  CounterRequest request;
  request.names = counters_to_ask();
  request.most_calls = kMostCalls;
  request.launches = record.launches.size();
  request.prepare = calls.prepare;
  request.after_flush = calls.after_flush;
  request.work = calls.work;
  const CounterList list = read_counters(device, streams, request);
  if (!list.reason.empty()) return record.add_note(NoteKind::kCounters, list.reason);
  for (const CounterValue& value : list.values) {
    const auto order = static_cast<std::size_t>(value.launch);
    LaunchRecord of;
    of.order = value.launch;
    // If the list has another number of launches, the names would not match.
    if (static_cast<std::size_t>(list.launches) == record.launches.size())
      of.kernel = record.launches[order].kernel;
    const CounterName* const row = find_counter(value.name);
    add(record, &of, EvidenceSource::kCounter, value.name, value.value,
        row == nullptr ? "" : row->unit);
  }
}

}  // namespace kernelbatch
