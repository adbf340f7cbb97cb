#include "core/report/explain/bottleneck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/text.hpp"
#include "core/report/explain/instructions.hpp"
#include "core/report/explain/words.hpp"

namespace kernelbatch::explain {
namespace {

using enum Bottleneck;

// Utilization from which a unit counts as the bottleneck. A kernel limited by one unit seldom uses
// more than 90 % of it; one limited by none seldom uses more than 50 % of any.
constexpr double kBusy = 0.6;
/// A call shorter than this number of empty launches is launch bound.
constexpr double kFewLaunches = 2.5;
/// Largest share of the time that all kernels together may take in a launch-bound call.
constexpr double kMostInKernels = 0.6;
/// With fewer blocks than this share of the compute units, the other units are idle.
constexpr double kFewBlocks = 0.75;
constexpr double kUneven = 0.6;
constexpr double kSpilled = 0.25;
constexpr double kAtomic = 0.1;
constexpr double kDiverged = 16;  ///< active threads of a warp
/// Twins: relative time with half of the resident blocks, half of the blocks, no arithmetic.
constexpr double kNeedsOccupancy = 1.35;
constexpr double kHalfLow = 0.35, kHalfHigh = 0.8;
constexpr double kComputes = 0.7;
/// Occupancy below this share cannot hide memory latency.
constexpr double kLowOccupancy = 0.3;

using Rule = std::optional<Diagnosis> (*)(const Facts& f);

std::string flops(double rate) { return format_decimal(rate, "FLOP/s"); }
std::string rate_text(double rate) { return format_decimal(rate, "B/s"); }
std::string count(double number) { return fmt::format("{:.0f}", number); }

/// "; its warps wait most for global memory"
std::string wait_text(const Facts& f) {
  if (f.stalls[0].name.empty()) return "";
  std::string text = fmt::format("; its warps wait most for {}", f.stalls[0].name);
  if (!f.stalls[1].name.empty() && f.stalls[1].warps > f.stalls[0].warps / 2)
    text += fmt::format(" and {}", f.stalls[1].name);
  return text;
}

std::optional<Diagnosis> host_bound(const Facts& f) {
  if (f.time < kFewLaunches * f.empty_launch)
    return Diagnosis{kLaunch, fmt::format("a call takes {}, an empty launch {}",
                                          format_seconds(f.time), format_seconds(f.empty_launch))};
  if (f.launches > 1 && f.kernel_time < kMostInKernels * f.time)
    return Diagnosis{
        kLaunch,
        fmt::format("its {} kernels run for {} of its {}: the rest is between them",
                    count(f.launches), format_seconds(f.kernel_time), format_seconds(f.time))};
  if (f.launches > 1 && f.time < kFewLaunches * f.launches * f.empty_launch)
    return Diagnosis{
        kLaunch, fmt::format("just its {} launches take {} of its {}", count(f.launches),
                             format_seconds(f.launches * f.empty_launch), format_seconds(f.time))};
  return std::nullopt;
}

std::string spilled_registers(const Facts& f) {
  return f.local_bytes > 0
             ? fmt::format(" ({} of local memory per thread in addition to {} registers)",
                           bytes(f.local_bytes), count(f.registers))
             : "";
}

std::optional<Diagnosis> spills(const Facts& f) {
  if (f.has_counters) {
    if (!(f.local_share > kSpilled)) return std::nullopt;
    return Diagnosis{kSpills, fmt::format("{} of what it loads and stores is local memory{}",
                                          share(f.local_share), spilled_registers(f))};
  }
  if (!(f.local_bytes > 0) || f.memory_time() > kBusy * f.time) return std::nullopt;
  // If the instructions are unknown, a few bytes may be a return address. A few instructions may be
  // a rarely used path of a library function.
  constexpr double kManyBytes = 64, kMany = 0.1;
  const bool is_much = f.has_instructions() ? f.instructions("local") > kMany * f.all_instructions()
                                            : f.local_bytes >= kManyBytes;
  if (!is_much) return std::nullopt;
  return Diagnosis{
      kSpills, fmt::format("much of its loads and stores is local memory{}", spilled_registers(f))};
}

std::optional<Diagnosis> few_blocks(const Facts& f) {
  if (!f.is_gpu || !(f.blocks < kFewBlocks * f.units)) return std::nullopt;
  if (f.memory_time() > kBusy * f.time) return std::nullopt;
  const std::string blocks =
      f.blocks == 1 ? "its one block keeps" : fmt::format("its {} blocks keep", count(f.blocks));
  return Diagnosis{kLatency, fmt::format("{} {} of {} SMs busy", blocks,
                                         share(std::min(1.0, f.blocks / f.units)), count(f.units))};
}

std::optional<Diagnosis> imbalance(const Facts& f) {
  if (f.has_counters) {
    const double even = std::min(f.busy_share, f.elapsed_share);
    if (!(f.busy_share < kUneven) && !(f.elapsed_share < kUneven)) return std::nullopt;
    return Diagnosis{kImbalance,
                     fmt::format("the SMs are busy for {} of the time of the busiest, on average",
                                 share(std::isnan(even) ? f.busy_share : even))};
  }
  if (f.half_grid < kHalfLow || (f.waves >= 2 && f.half_grid > kHalfHigh))
    return Diagnosis{kImbalance, fmt::format("the first half of its blocks takes {} of its time",
                                             share(f.half_grid))};
  constexpr double kFewWaves = 3;
  const double filled = f.waves / std::ceil(f.waves);
  if (f.waves > 1 && f.waves < kFewWaves && filled < kUneven)
    return Diagnosis{kImbalance, fmt::format("its blocks come in {:.2f} waves: the last one leaves "
                                             "{} of the SMs idle",
                                             f.waves, share(1 - (f.waves - std::floor(f.waves))))};
  return std::nullopt;
}

std::string scattered(const Facts& f) {
  constexpr double kCoalesced = 8;
  return f.sectors_per_request > kCoalesced
             ? fmt::format("; a warp's access takes {:.2g} sectors", f.sectors_per_request)
             : "";
}

std::string wasted(const Facts& f) {
  std::string text;
  constexpr double kMore = 1.15;
  if (f.dram_bytes > kMore * f.declared_bytes && f.declared_bytes > 0)
    text += fmt::format(", {} the {} that must move", times(f.dram_bytes, f.declared_bytes),
                        bytes(f.declared_bytes));
  return text + scattered(f);
}

/// More bytes than memory can deliver came from a cache.
std::optional<Diagnosis> cached(const Facts& f) {
  constexpr double kMore = 1.1;
  if (f.has_counters || !(f.memory_time() > kMore * f.time)) return std::nullopt;
  return Diagnosis{
      kCache,
      fmt::format("it moves {} (as declared) in {}, {:.1f}x what a copy through "
                  "memory moves in that time: they come from a cache",
                  bytes(f.declared_bytes), format_seconds(f.time), f.memory_time() / f.time)};
}

std::optional<Diagnosis> memory(const Facts& f) {
  const double of_ceiling = f.memory_time() / f.time;
  if (!(of_ceiling > kBusy) && !(f.dram_share > kBusy)) return std::nullopt;
  const double moved = f.bytes();
  return Diagnosis{
      kMemory,
      fmt::format("it moves {} {} in {}, {} of the {} that {}{}", bytes(moved),
                  std::isnan(f.dram_bytes) ? "(as declared)" : "of DRAM", format_seconds(f.time),
                  share(of_ceiling), rate_text(f.memory_ceiling),
                  f.is_peak ? "its memory has at most" : "a copy reaches here", wasted(f))};
}

std::optional<Diagnosis> atomics(const Facts& f) {
  const double shared_atomics = f.instructions("shared_atomic"), shared = f.instructions("shared");
  const bool contends_in_shared = shared_atomics > 0 && shared_atomics >= shared / 3;
  if (f.has_counters) {
    if (f.atomic_share > kAtomic)
      return Diagnosis{kAtomics, fmt::format("{} of its accesses to global memory are atomic{}",
                                             share(f.atomic_share), wait_text(f))};
    constexpr double kSomewhat = 0.3;
    if (contends_in_shared && (f.shared_share > kSomewhat || f.conflict_share > kSomewhat))
      return Diagnosis{kAtomics,
                       fmt::format("atomics keep shared memory busy for {} of its cycles{}",
                                   share(f.shared_share), wait_text(f))};
    return std::nullopt;
  }
  const double global = f.instructions("global_load") + f.instructions("global_store");
  const double global_atomics = f.instructions("global_atomic");
  if (global_atomics > kAtomic * (global + global_atomics))
    return Diagnosis{
        kAtomics,
        "atomics are a large part of its accesses to memory, which is far from its ceiling"};
  if (contends_in_shared)
    return Diagnosis{kAtomics, "atomics are a large part of its accesses to shared memory"};
  return std::nullopt;
}

std::optional<Diagnosis> cache(const Facts& f) {
  if (!f.has_counters) return std::nullopt;
  if (f.shared_share > kBusy) {
    constexpr double kSome = 0.2;
    const std::string conflicts =
        f.conflict_share > kSome
            ? fmt::format("; {} of that are bank conflicts", share(f.conflict_share))
            : "";
    return Diagnosis{kCache, fmt::format("shared memory is busy for {} of its cycles{}",
                                         share(f.shared_share), conflicts)};
  }
  const double of_ceiling = f.cache.time() / f.time;
  if (!(f.cache_share > kBusy) && !(of_ceiling > kBusy)) return std::nullopt;
  return Diagnosis{kCache, fmt::format("{} pass through the L2 cache, {} of the {} that it gives{}",
                                       bytes(f.cache.done), share(of_ceiling),
                                       rate_text(f.cache.ceiling), scattered(f))};
}

std::optional<Diagnosis> divergence(const Facts& f) {
  constexpr double kWarp = 32, kIssues = 0.15;
  if (!f.has_counters || !(f.active_threads < kDiverged) || f.threads < kWarp) return std::nullopt;
  if (!(f.issue_share > kIssues)) return std::nullopt;
  return Diagnosis{kDivergence, fmt::format("{:.1f} of the 32 threads of a warp take part in an "
                                            "instruction, on average",
                                            f.active_threads)};
}

struct Unit {
  std::string_view name;
  const Rate& rate;
};

std::optional<Diagnosis> compute(const Facts& f) {
  if (f.no_arithmetic < kComputes)
    return Diagnosis{kCompute, fmt::format("without its arithmetic it takes {} of the time",
                                           share(f.no_arithmetic))};
  if (!f.has_counters) return std::nullopt;
  const Unit units[] = {{"float32", f.float32}, {"float64", f.float64}, {"float16", f.float16}};
  const Unit& most = *std::ranges::max_element(units, {}, [&](const Unit& unit) {
    const double time = unit.rate.time();
    return std::isnan(time) ? 0.0 : time;
  });
  const double of_ceiling = most.rate.time() / f.time;
  constexpr double kHalf = 0.5;
  if (of_ceiling > kHalf)
    return Diagnosis{kCompute, fmt::format("{} of the {} of {} that this device reaches",
                                           share(of_ceiling), flops(most.rate.ceiling), most.name)};
  if (f.tensor_share > kHalf)
    return Diagnosis{
        kCompute, fmt::format("the matrix units work in {} of the cycles", share(f.tensor_share))};
  if (f.sm_share > kBusy || f.issue_share > kBusy)
    return Diagnosis{kCompute,
                     fmt::format("its busiest arithmetic unit works for {} of the time and an "
                                 "instruction is issued in {} of the cycles{}",
                                 share(f.sm_share), share(f.issue_share), wait_text(f))};
  return std::nullopt;
}

/// Without counted bytes: the time that disappears when loads are removed belongs to the loads.
std::optional<Diagnosis> loads(const Facts& f) {
  if (f.has_counters || !(f.no_loads < kComputes) || !(f.no_arithmetic > kComputes))
    return std::nullopt;
  return Diagnosis{kMemory, fmt::format("without its loads it takes {} of the time, without its "
                                        "arithmetic {}",
                                        share(f.no_loads), share(f.no_arithmetic))};
}

std::string occupancy_text(const Facts& f) {
  std::string text;
  if (!std::isnan(f.occupancy)) text += fmt::format("occupancy {}", share(f.occupancy));
  if (!std::isnan(f.achieved_occupancy))
    text += fmt::format("{}{} reached", text.empty() ? "" : ", ", share(f.achieved_occupancy));
  if (!f.occupancy_limit.empty())
    text += fmt::format("{}limited by {}", text.empty() ? "" : ", ", f.occupancy_limit);
  return text;
}

std::optional<Diagnosis> latency(const Facts& f) {
  if (f.half_occupancy > kNeedsOccupancy)
    return Diagnosis{
        kLatency, fmt::format("with half of its blocks resident it takes {:.2g}x the time ({}){}",
                              f.half_occupancy, occupancy_text(f), wait_text(f))};
  if (f.has_counters) {
    if (f.issue_share > kBusy) return std::nullopt;
    return Diagnosis{kLatency, fmt::format("no unit is busy: instructions are issued in {} of the "
                                           "cycles ({}){}",
                                           share(f.issue_share), occupancy_text(f), wait_text(f))};
  }
  if (f.is_gpu && f.filled() < kLowOccupancy)
    return Diagnosis{
        kLatency,
        f.waves < 1
            ? fmt::format("few warps are resident: its blocks fill {} of the available slots ({})",
                          share(f.waves), occupancy_text(f))
            : fmt::format("few warps are resident ({})", occupancy_text(f))};
  return std::nullopt;
}

constexpr Rule kRules[] = {host_bound,       spills,         few_blocks, imbalance, cached, memory,
                           atomics,          cache,          divergence, compute,   loads,  latency,
                           few_instructions, by_instructions};

}  // namespace

Diagnosis diagnose(const Facts& facts) {
  if (!(facts.time > 0)) return {kUnknown, "it has no time"};
  for (const Rule rule : kRules)
    if (auto said = rule(facts)) return *std::move(said);
  return {kUnknown, facts.has_counters ? "no counted quantity accounts for its time"
                                       : "without counters, nothing accounts for its time"};
}

}  // namespace kernelbatch::explain
