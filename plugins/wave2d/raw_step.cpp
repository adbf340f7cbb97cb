#include "plugins/wave2d/raw_step.hpp"

#include <algorithm>
#include <string>

#include "embedded.hpp"
#include "plugins/tuning.hpp"

namespace kernelbatch::workloads::wave2d {
namespace {

bool is_tuned(const Run& run) {
  return workloads::is_tuned(run, {"block_x", "block_y", "items", "vector", "unroll"}) ||
         run.params().text("memory") != "auto";
}

/// Unset values are those of raw.cu.
Cells cells_of(const Run& run) {
  Cells c{};
  c.block_x = tuned(run, "block_x", 64);
  c.block_y = tuned(run, "block_y", 4);
  c.items = tuned(run, "items", 1);
  c.vector = tuned(run, "vector", 1);
  c.unroll = tuned(run, "unroll", c.items);
  c.is_shared = run.params().text("memory") == "shared";
  return c;
}

void require_kernel(const Cells& c, const DeviceProperties& device, std::int64_t item) {
  const std::int64_t threads = c.block_x * c.block_y;
  require_tuning(threads <= device.max_threads_per_block,
                 "block_x block_y is " + std::to_string(threads) + ", and a block has at most " +
                     std::to_string(device.max_threads_per_block) + " threads");
  require_tuning(c.vector == 1 || c.vector == 2 || c.vector == 4,
                 setting("vector", c.vector) + " is none of 1, 2, 4");
  require_tuning(c.unroll <= c.items,
                 setting("unroll", c.unroll) + " is more than " + setting("items", c.items));
  const std::int64_t bytes =
      c.is_shared ? (c.block_x * c.vector + 2) * (c.block_y * c.items + 2) * item : 0;
  require_tuning(bytes <= static_cast<std::int64_t>(device.shared_per_block),
                 "memory = shared: (block_x vector + 2) (block_y items + 2) needs " +
                     std::to_string(bytes) + " bytes, and a block has at most " +
                     std::to_string(device.shared_per_block));
}

RawKernel tuned_kernel(const Wave2D& in, const Cells& c, bool is_by_vectors) {
  const std::string element(info(in.q.dtype()).c_name);
  return {embedded::raw_tuned_cu,
          "step<" + element + (is_by_vectors ? ", true>" : ", false>"),
          {.options = macros({{"BLOCK_X", c.block_x},
                              {"BLOCK_Y", c.block_y},
                              {"ITEMS", c.items},
                              {"VECTOR", c.vector},
                              {"UNROLL", c.unroll},
                              {"IN_SHARED", c.is_shared}}),
           .name = "wave2d_raw_tuned"}};
}

RawKernel kernel(const Wave2D& in, Run& run, bool is_by_vectors) {
  if (is_tuned(run)) {
    const Cells c = cells_of(run);
    require_kernel(c, run.device().properties(), static_cast<std::int64_t>(size_of(in.q.dtype())));
    return tuned_kernel(in, c, is_by_vectors);
  }
  const std::string entry = "step_" + std::string(name_of(in.q.dtype()));
  const RawModule module{
      EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin}, {entry}, {.name = "wave2d_raw"}};
  return module.function(entry);
}

}  // namespace

std::vector<ParameterDeclaration> tuning_parameters() {
  return {tunable("block_x", 1024,
                  "threads side by side in a block of raw and graph; 0: not set. If none of these "
                  "is set, both are precompiled; else 64"),
          tunable("block_y", 1024, "threads below each other in a block of raw; else 4"),
          tunable("items", 64, "rows for a thread of raw, which follow each other; else 1"),
          tunable("vector", 4,
                  "columns for a thread of raw: 1, 2 or 4, loaded at once if rows are "
                  "multiples of it; else 1"),
          tunable("unroll", 64, "how often raw's loop over rows is unrolled; else items"),
          tuning_parameter(choice_parameter("memory", "auto", {"auto", "cache", "shared"},
                                            "where raw reads a cell's neighbours; auto: not set, "
                                            "then through the cache"))};
}

RawStep::RawStep(const Wave2D& in, Run& run)
    : q_(run.to_device(in.q)),
      cells_(cells_of(run)),
      by_elements_(kernel(in, run, false)),
      by_vectors_(kernel(in, run, true)) {}

void RawStep::operator()(Stream& stream, const Array& now, const Array& before) const {
  constexpr std::int64_t kMostRows = 65535;
  const std::int64_t rows = now.shape()[0], cols = now.shape()[1];
  const std::int64_t width = cells_.block_x * cells_.vector, height = cells_.block_y * cells_.items;
  const auto narrow = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const auto bytes =
      std::min<std::size_t>(static_cast<std::size_t>(cells_.vector) * size_of(q_.dtype()), 16);
  const auto begins_well = [&](const Array& array) {
    return reinterpret_cast<std::uintptr_t>(array.data()) % bytes == 0;
  };
  const bool has_vectors =
      cols % cells_.vector == 0 && begins_well(now) && begins_well(q_) && begins_well(before);
  const LaunchShape shape{.grid = {narrow((cols + width - 1) / width),
                                   narrow(std::min((rows + height - 1) / height, kMostRows))},
                          .block = {narrow(cells_.block_x), narrow(cells_.block_y)}};
  (has_vectors ? by_vectors_ : by_elements_)(stream, shape, now, q_, before, static_cast<int>(rows),
                                             static_cast<int>(cols));
}

}  // namespace kernelbatch::workloads::wave2d
