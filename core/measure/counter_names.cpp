#include "core/measure/counter_names.hpp"

#include <algorithm>

namespace kernelbatch {
namespace {

// Names and descriptions were checked against CUPTI 13.0's lists for the chips TU102 to GB202.
constexpr CounterName kCounters[] = {
    {"gpu__time_duration.sum", "time while counted", "ns", "duration of the launch while counted"},
    {"dram__bytes_read.sum|dram__bytes_op_read.sum", "dram read", "byte", "read from DRAM"},
    {"dram__bytes_write.sum|dram__bytes_op_write.sum", "dram written", "byte", "written to DRAM"},
    {"smsp__inst_executed.sum", "instructions", "instruction", "instructions, each of a warp"},

    // L2: sectors of 32 bytes.
    {"lts__t_bytes.sum", "L2 bytes", "byte", "asked of the L2 cache"},
    {"lts__t_sectors_op_read.sum", "L2 reads", "sector", "read through the L2 cache"},
    {"lts__t_sectors_op_write.sum", "L2 writes", "sector", "written through the L2 cache"},
    {"lts__t_sectors_op_atom.sum", "L2 atomics", "sector", "atomics with a result in the L2 cache"},
    {"lts__t_sectors_op_red.sum", "L2 reductions", "sector",
     "atomics without a result in the L2 cache"},
    {"lts__t_sector_hit_rate.pct", "L2 hits", "%", "sectors that the L2 cache had"},

    // Utilization and balance of the device.
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy", "%",
     "resident warps on an SM that has any"},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", "issue slots", "%",
     "cycles in which one was issued"},
    {"sm__cycles_active.avg", "active cycles", "cycle", "of an SM with a warp, mean of all SMs"},
    {"sm__cycles_active.min", "least active cycles", "cycle", "the same of the idlest SM"},
    {"sm__cycles_active.max", "most active cycles", "cycle", "the same of the busiest SM"},
    {"gpc__cycles_elapsed.max", "elapsed cycles", "cycle", "from the launch's begin to its end"},
    {"sm__ctas_launched.sum", "blocks", "block", "blocks that were launched"},

    // L1 and shared memory.
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global load requests", "request",
     "loads of a warp"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global load sectors", "sector",
     "sectors that these asked for"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global store requests", "request",
     "stores of a warp"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global store sectors", "sector",
     "sectors that these wrote"},
    {"l1tex__t_sector_hit_rate.pct", "L1 hits", "%", "sectors that the L1 cache had"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "bank conflicts", "conflict",
     "wavefronts more than without conflicts in shared memory"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "shared wavefronts", "wavefront",
     "turns in which shared memory was read or written"},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "local loads", "sector",
     "loads of local memory: spilled registers"},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "local stores", "sector",
     "stores to local memory"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "atomic requests", "request",
     "atomics with a result, of a warp"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "reduction requests", "request",
     "atomics without a result, of a warp"},
    {"smsp__average_thread_inst_executed_per_inst_executed.ratio|"
     "smsp__thread_inst_executed_per_inst_executed.ratio",
     "active threads", "thread", "threads of a warp that took part in an instruction, mean"},

    // Why warps wait: number of waiting warps per issued instruction.
    {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
     "stall: global memory", "warp", "wait for L1, L2 or DRAM"},
    {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
     "stall: shared memory", "warp", "wait for shared memory or a special function"},
    {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "stall: fixed latency",
     "warp", "wait for an earlier instruction"},
    {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
     "stall: math pipe", "warp", "wait for a pipe to be free"},
    {"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", "stall: MIO queue",
     "warp", "wait for room in the queue of shared memory and special functions"},
    {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", "stall: LSU queue",
     "warp", "wait for room in the queue of global and local memory"},
    {"smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio",
     "stall: texture queue", "warp", "wait for room in the queue of textures"},
    {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "stall: barrier", "warp",
     "wait for the block's other warps"},
    {"smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", "stall: fence", "warp",
     "wait for a memory fence"},
    {"smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio", "stall: branch",
     "warp", "wait for a branch's target"},
    {"smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
     "stall: instruction fetch", "warp", "wait for instructions to be fetched"},
    {"smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio", "stall: constants",
     "warp", "wait for a constant's cache line"},
    {"smsp__average_warps_issue_stalled_drain_per_issue_active.ratio", "stall: drain", "warp",
     "wait for stores after their last instruction"},
    {"smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio", "stall: dispatch",
     "warp", "wait for the dispatcher"},
    {"smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio", "stall: sleep", "warp",
     "sleep (nanosleep)"},
    {"smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", "not selected",
     "warp", "could issue, but others did"},
    {"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", "selected", "warp",
     "issue"},
    {"smsp__average_warps_issue_stalled_misc_per_issue_active.ratio", "stall: other", "warp",
     "wait for something else"},
    {"smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", "stall: tensor group", "warp",
     "wait for a warp group's registers"},

    // Utilization of the pipes.
    {"sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", "FP64 pipe", "%",
     "instructions of the pipe"},
    {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "FMA pipe", "%",
     "cycles of the FP32 pipe"},
    {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", "XU pipe", "%",
     "instructions of the pipe for special functions and conversions"},
    {"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active", "ALU pipe", "%",
     "cycles of the pipe for integers, logic and comparisons"},
    {"sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", "LSU pipe", "%",
     "instructions of the pipe for loads and stores"},
    {"sm__inst_executed_pipe_tensor.sum", "tensor instructions", "instruction",
     "instructions of the tensor pipe, each of a warp"},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "tensor pipe", "%",
     "cycles of the pipe"},

    // Operations of threads whose predicate was true. A two-element half operation counts once.
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "FP32 add", "instruction",
     "float32 additions of threads"},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "FP32 multiply", "instruction",
     "float32 products of threads"},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "FP32 FMA", "instruction",
     "float32 fused operations of threads"},
    {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "FP64 add", "instruction",
     "float64 additions of threads"},
    {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "FP64 multiply", "instruction",
     "float64 products of threads"},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "FP64 FMA", "instruction",
     "float64 fused operations of threads"},
    {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "FP16 add", "instruction",
     "float16 additions of threads"},
    {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "FP16 multiply", "instruction",
     "float16 products of threads"},
    {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", "FP16 FMA", "instruction",
     "float16 fused operations of threads"},
    {"smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "integer", "instruction",
     "integer instructions of threads"},

    // Shares of the peak: each of the last four is the maximum of many counters.
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram", "%", "throughput of DRAM"},
    {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "L2 sectors", "%",
     "throughput of the L2 cache's lookups"},
    {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "L1", "%",
     "throughput of the L1 cache's busiest part"},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2", "%",
     "throughput of the L2 cache's busiest part"},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "memory", "%",
     "throughput of the busiest part from L1 to DRAM"},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "SM", "%",
     "throughput of the SMs' busiest part"},
};

bool is_one_of(std::string_view name, std::string_view names) noexcept {
  while (true) {
    const std::size_t end = names.find('|');
    if (names.substr(0, end) == name) return true;
    if (end == std::string_view::npos) return false;
    names.remove_prefix(end + 1);
  }
}

}  // namespace

std::span<const CounterName> counter_names() noexcept { return kCounters; }

std::vector<std::string> counters_to_ask() {
  std::vector<std::string> names;
  for (const CounterName& counter : kCounters) names.emplace_back(counter.names);
  return names;
}

const CounterName* find_counter(std::string_view name) noexcept {
  const auto* const found = std::ranges::find_if(
      kCounters, [&](const CounterName& counter) { return is_one_of(name, counter.names); });
  return found != std::end(kCounters) ? found : nullptr;
}

}  // namespace kernelbatch
