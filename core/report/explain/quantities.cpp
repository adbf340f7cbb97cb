#include "core/report/explain/facts.hpp"

namespace kernelbatch::explain {

std::span<const Quantity> quantities() noexcept {
  static constexpr Quantity kRows[] = {
      {"time", "s", [](const Facts& f) { return f.time; }},
      {"kernel_time", "s", [](const Facts& f) { return f.kernel_time; }},
      {"launches", "1", [](const Facts& f) { return f.launches; }},
      {"declared_bytes", "byte", [](const Facts& f) { return f.declared_bytes; }},
      {"dram_bytes", "byte", [](const Facts& f) { return f.dram_bytes; }},
      {"share_of_memory_ceiling", "", [](const Facts& f) { return f.memory_time() / f.time; }},
      {"cache_bytes", "byte", [](const Facts& f) { return f.cache.done; }},
      {"share_of_cache_ceiling", "", [](const Facts& f) { return f.cache.time() / f.time; }},
      {"sectors_per_request", "", [](const Facts& f) { return f.sectors_per_request; }},
      {"shared_memory_share", "", [](const Facts& f) { return f.shared_share; }},
      {"bank_conflict_share", "", [](const Facts& f) { return f.conflict_share; }},
      {"local_memory_share", "", [](const Facts& f) { return f.local_share; }},
      {"atomic_share", "", [](const Facts& f) { return f.atomic_share; }},
      {"float32_operations", "1", [](const Facts& f) { return f.float32.done; }},
      {"share_of_float32_ceiling", "", [](const Facts& f) { return f.float32.time() / f.time; }},
      {"float64_operations", "1", [](const Facts& f) { return f.float64.done; }},
      {"share_of_float64_ceiling", "", [](const Facts& f) { return f.float64.time() / f.time; }},
      {"float16_operations", "1", [](const Facts& f) { return f.float16.done; }},
      {"share_of_float16_ceiling", "", [](const Facts& f) { return f.float16.time() / f.time; }},
      {"instructions", "1", [](const Facts& f) { return f.executed; }},
      {"issue_share", "", [](const Facts& f) { return f.issue_share; }},
      {"sm_share", "", [](const Facts& f) { return f.sm_share; }},
      {"active_threads", "1", [](const Facts& f) { return f.active_threads; }},
      {"blocks", "1", [](const Facts& f) { return f.blocks; }},
      {"waves", "1", [](const Facts& f) { return f.waves; }},
      {"occupancy", "", [](const Facts& f) { return f.occupancy; }},
      {"achieved_occupancy", "", [](const Facts& f) { return f.achieved_occupancy; }},
      {"busy_share", "", [](const Facts& f) { return f.busy_share; }},
      {"registers", "1", [](const Facts& f) { return f.registers; }},
      {"local_bytes", "byte", [](const Facts& f) { return f.local_bytes; }},
      {"half_occupancy_time", "", [](const Facts& f) { return f.half_occupancy; }},
      {"half_grid_time", "", [](const Facts& f) { return f.half_grid; }},
      {"no_loads_time", "", [](const Facts& f) { return f.no_loads; }},
      {"hot_share", "", [](const Facts& f) { return f.hot_share; }},
      {"tensor_share", "", [](const Facts& f) { return f.tensor_share; }},
      {"no_arithmetic_time", "", [](const Facts& f) { return f.no_arithmetic; }},
  };
  return kRows;
}

}  // namespace kernelbatch::explain
