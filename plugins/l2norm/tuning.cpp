#include "plugins/l2norm/tuning.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "plugins/tuning.hpp"

namespace kernelbatch::workloads::l2norm {
namespace {

constexpr std::int64_t kFewestChains = 8;  ///< required by the tolerance

bool is_power_of_two(std::int64_t value) {
  return std::has_single_bit(static_cast<std::uint64_t>(value));
}

}  // namespace

std::vector<ParameterDeclaration> tuning_parameters() {
  return {
      tunable("block", 1024,
              "threads in a block of raw, a multiple of 32; 0: not set. If none of these is set, "
              "raw is precompiled; else those not set are 256"),
      tunable("items", 16, "loads of a thread side by side, a power of two; else 4"),
      tunable("vector", 4,
              "elements of a load: 1, 2 or 4, at most 16 bytes, if rows are multiples of it; "
              "else 16 bytes"),
      tuning_parameter(choice_parameter("share", "auto", {"auto", "lanes", "warp", "blocks"},
                                        "threads that sum a row: lanes of a warp, a warp, blocks; "
                                        "auto: not set, then by its length")),
      tunable("lanes", 32,
              "lanes for a row where those sum it, a power of two; else by its length"),
      tunable("tile", 1024,
              "loads side by side for a block that sums columns, at most block; else up to 128"),
      tunable("blocks_per_unit", 64,
              "blocks for each unit of the device that long rows and columns are cut for; else "
              "8")};
}

Tuning tuning_of(const L2Norm& problem, Run& run) {
  using Kernel = Schedule::Kernel;
  const std::string& share = run.params().text("share");
  Tuning t;
  if (!is_tuned(run, {"block", "items", "vector", "lanes", "tile", "blocks_per_unit"}) &&
      share == "auto")
    return t;
  const auto item = static_cast<std::int64_t>(size_of(problem.x.dtype()));
  t.is_set = true;
  t.items = tuned(run, "items", t.items);
  Choices& c = t.choices;
  c.block = tuned(run, "block", Schedule::kBlock);
  c.width = tuned(run, "vector", 16 / item);
  c.lanes = run.params().integer("lanes");
  c.tile = tuned(run, "tile", std::clamp<std::int64_t>(c.block * t.items / kFewestChains, 1, 128));
  c.blocks_per_unit = tuned(run, "blocks_per_unit", c.blocks_per_unit);
  if (share != "auto")
    c.of_rows = share == "lanes"  ? Kernel::kShortRows
                : share == "warp" ? Kernel::kRows
                                  : Kernel::kRowPieces;
  require_tuning(c.block % 32 == 0, setting("block", c.block) + " is no multiple of 32");
  require_tuning(is_power_of_two(t.items), setting("items", t.items) + " is no power of two");
  require_tuning(is_power_of_two(c.width), setting("vector", c.width) + " is none of 1, 2, 4");
  require_tuning(c.width * item <= 16,
                 setting("vector", c.width) + " elements are more than the 16 bytes of a load");
  require_tuning(c.lanes == kUnset || is_power_of_two(c.lanes),
                 setting("lanes", c.lanes) + " is no power of two");
  require_tuning(c.tile <= c.block,
                 setting("tile", c.tile) + " is more than " + setting("block", c.block));
  require_tuning(
      c.of_rows != Kernel::kShortRows || problem.length <= std::numeric_limits<int>::max(),
      "share = lanes: rows are too long");
  return t;
}

std::vector<std::string> options_of(const L2Norm& problem, const Schedule& schedule,
                                    const Tuning& tuning) {
  using Kernel = Schedule::Kernel;
  if (!tuning.is_set) return {};
  const std::int64_t block = tuning.choices.block;
  // Number of chains per sum; each chain adds elements one after another.
  const std::int64_t chains = schedule.kernel == Kernel::kShortRows
                                  ? schedule.lanes * schedule.width
                              : schedule.kernel == Kernel::kRows ? 32 * schedule.width
                              : schedule.kernel == Kernel::kRowPieces
                                  ? block * schedule.pieces * schedule.width
                                  : block / schedule.tile * schedule.pieces * tuning.items;
  constexpr std::int64_t kShort = 60;
  require_tuning(
      chains >= kFewestChains || problem.length <= kShort * chains,
      std::string(schedule.kernel == Kernel::kColumns ? "block items / tile leaves "
                                                      : "lanes times the elements of a load are ") +
          std::to_string(chains) + " chains for each sum, and its tolerance needs " +
          std::to_string(kFewestChains));
  const bool is_single = size_of(problem.x.dtype()) == sizeof(float);
  return macros({{"THREADS", block},
                 {"ITEMS", tuning.items},
                 {"VECTOR", schedule.width},
                 {"LANES", schedule.lanes},
                 {is_single ? "ONLY_FLOAT32" : "ONLY_FLOAT64", 1}});
}

}  // namespace kernelbatch::workloads::l2norm
