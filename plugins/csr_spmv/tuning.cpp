#include "plugins/csr_spmv/tuning.hpp"

#include <algorithm>

#include "plugins/tuning.hpp"

namespace kernelbatch::workloads::csr_spmv {
namespace {

constexpr std::int64_t kMostRows = 1024;  ///< of a block, unless set by a job

/// Maximum shared memory in the kernel's layout.
std::int64_t shared_bytes(std::int64_t block, std::int64_t part, std::int64_t rows,
                          std::int64_t long_row, std::int64_t item) {
  return (part + part / 8) * item + 4 * (rows + 1) + 4 * (part / long_row + 2) + 4 +
         block / 32 * item + 16;
}

}  // namespace

std::vector<ParameterDeclaration> tuning_parameters() {
  return {
      tuning_parameter(choice_parameter(
          "lanes", "auto", {"auto", "1", "2", "4", "8", "16", "32"},
          "threads that sum a row in the raw variant; auto: by the rows' mean length")),
      tunable("block", 1024,
              "threads in a block of raw, a multiple of 32; 0: not set. If only lanes is set, or "
              "none of these, raw is precompiled; else 256"),
      tunable("items", 16, "times that a thread reads four entries at once; else 16 bytes' worth"),
      tunable("rows_per_block", 8192,
              "rows of a block of raw; 0: not set, then as many as have a little less than what "
              "it reads at once"),
      tunable("long_row", 4096,
              "entries for each of its lanes that make a row one for all of a block; else 64"),
      tunable("blocks_per_unit", 32,
              "blocks that are to fit on a unit, which bounds the registers of each; else as "
              "many as have 1024 threads")};
}

Tuning tuning_of(const CsrSpmv& problem, std::int64_t mean, Run& run) {
  const auto item = static_cast<std::int64_t>(size_of(problem.x.dtype()));
  Tuning t;
  t.block = tuned(run, "block", t.block);
  const std::int64_t items = tuned(run, "items", 16 / item);
  const std::int64_t long_row = tuned(run, "long_row", 64);
  const std::int64_t blocks = tuned(run, "blocks_per_unit", 1024 / t.block);
  const DeviceProperties& device = run.device().properties();
  require_tuning(t.block % 32 == 0, setting("block", t.block) + " is no multiple of 32");
  require_tuning(t.block * blocks <= device.max_threads_per_unit,
                 setting("blocks_per_unit", blocks) + " of " + setting("block", t.block) +
                     " threads, and a unit has at most " +
                     std::to_string(device.max_threads_per_unit));
  // The rows of a block have slightly fewer entries than the block holds at once, so that most
  // blocks need one iteration even if row lengths differ.
  const std::int64_t part = 4 * items * t.block;
  t.rows_per_block =
      tuned(run, "rows_per_block", std::clamp<std::int64_t>(part * 15 / 16 / mean, 1, kMostRows));
  if (!is_tuned(run, {"block", "items", "long_row", "blocks_per_unit"}) &&
      t.rows_per_block <= kMostRows)
    return t;
  const std::int64_t bytes = shared_bytes(t.block, part, t.rows_per_block, long_row, item);
  const auto most = static_cast<std::int64_t>(device.shared_per_block);
  require_tuning(bytes <= most, setting("block", t.block) + ", " + setting("items", items) + ", " +
                                    setting("rows_per_block", t.rows_per_block) + " need " +
                                    std::to_string(bytes) +
                                    " bytes of shared memory, and a block has at most " +
                                    std::to_string(most));
  t.options = macros({{"THREADS", t.block},
                      {"ITEMS", items},
                      {"MOST_ROWS", t.rows_per_block},
                      {"LONG_ROW", long_row},
                      {"BLOCKS_PER_UNIT", blocks},
                      {item == 4 ? "ONLY_FLOAT32" : "ONLY_FLOAT64", 1}});
  return t;
}

}  // namespace kernelbatch::workloads::csr_spmv
