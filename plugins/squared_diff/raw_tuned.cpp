// squared_diff in plain CUDA, compiled for the loads requested by a job.
#include "plugins/squared_diff/raw_tuned.hpp"

#include <algorithm>
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/squared_diff/row_shape.hpp"
#include "plugins/tuning.hpp"

namespace kernelbatch::workloads::squared_diff {
namespace {

struct Loads {
  std::int64_t block, items, vector, unroll;
  bool is_streaming;
};

Loads loads_of(const Run& run, const DeviceProperties& device, std::int64_t item) {
  Loads l{};
  l.block = tuned(run, "block", 256);
  l.items = tuned(run, "items", 4);
  l.vector = tuned(run, "vector", 16 / item);
  l.unroll = tuned(run, "unroll", std::min<std::int64_t>(l.items, 4));
  l.is_streaming = run.params().text("cache") == "streaming";
  require_tuning(l.block <= device.max_threads_per_block,
                 setting("block", l.block) + ", and a block has at most " +
                     std::to_string(device.max_threads_per_block) + " threads");
  require_tuning(l.vector == 1 || l.vector == 2 || l.vector == 4,
                 setting("vector", l.vector) + " is none of 1, 2, 4");
  require_tuning(l.vector * item <= 16,
                 setting("vector", l.vector) + " elements are more than the 16 bytes of a load");
  require_tuning(l.unroll <= l.items,
                 setting("unroll", l.unroll) + " is more than " + setting("items", l.items));
  return l;
}

RawKernel kernel_of(const Loads& l, const std::string& entry) {
  return {embedded::raw_tuned_cu,
          entry,
          {.options = macros({{"THREADS", l.block},
                              {"ITEMS", l.items},
                              {"UNROLL", l.unroll},
                              {"IS_STREAMING", l.is_streaming}}),
           .name = "squared_diff_raw_tuned"}};
}

bool begins_at(const Array& array, std::int64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(array.data()) % static_cast<std::uintptr_t>(bytes) == 0;
}

}  // namespace

std::vector<ParameterDeclaration> tuning_parameters() {
  return {tunable("block", 1024,
                  "threads in a block of raw; 0: not set. If none of these is set, raw is "
                  "precompiled; else those not set are 256"),
          tunable("items", 64, "loads for a thread, of rows if y is broadcast; else 4"),
          tunable("vector", 4,
                  "elements of a load: 1, 2 or 4, at most 16 bytes, if rows are multiples of it; "
                  "else 16 bytes"),
          tunable("unroll", 16, "loads of x before the first is used, at most items; else 4"),
          tuning_parameter(
              choice_parameter("cache", "auto", {"auto", "keep", "streaming"},
                               "what loads leave in the cache; auto: not set, then keep"))};
}

bool is_tuned(const Run& run) {
  return workloads::is_tuned(run, {"block", "items", "vector", "unroll"}) ||
         run.params().text("cache") != "auto";
}

Work raw_tuned(const SquaredDiff& in, Run& run) {
  const auto item = static_cast<std::int64_t>(size_of(in.x.dtype()));
  const Loads l = loads_of(run, run.device().properties(), item);
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");
  const std::string element(info(in.x.dtype()).c_name);
  const std::int64_t bytes = l.vector * item;

  if (in.is_dense()) {
    const std::int64_t width =
        begins_at(x, bytes) && begins_at(y, bytes) && begins_at(z, bytes) ? l.vector : 1;
    const RawKernel kernel = kernel_of(l, "stream<" + element + ", " + std::to_string(width) + ">");
    const std::int64_t of_block = l.block * l.items * width;
    const std::int64_t blocks = (z.size() + of_block - 1) / of_block;
    require_tuning(blocks < std::int64_t{1} << 31,
                   "block items vector is too small for these arrays");
    const LaunchShape shape{.grid = {static_cast<std::uint32_t>(blocks)},
                            .block = {static_cast<std::uint32_t>(l.block)}};
    return [=](Stream& stream) { kernel(stream, shape, x, y, z, z.size()); };
  }
  const auto y_all = y.broadcast_to({in.rows, in.cols});
  const auto step = [item](const Array& array, int axis) {
    return static_cast<long long>(array.strides()[axis] / item);
  };
  // Elements that are not neighbours in memory are always loaded one by one.
  const auto has_packs = [&](const Array& array) {
    return step(array, 1) != 1 || (begins_at(array, bytes) && array.strides()[0] % bytes == 0);
  };
  const bool has_vectors =
      in.cols % l.vector == 0 && begins_at(z, bytes) && has_packs(x) && has_packs(y_all);
  const std::int64_t width = has_vectors ? l.vector : 1;
  const RawKernel kernel = kernel_of(l, "by_rows<" + element + ", " + std::to_string(width) + ">");
  const LaunchShape shape = row_shape(in.rows, in.cols / width, l.items, l.block);
  return [=, &in](Stream& stream) {
    kernel(stream, shape, as_pointer(x), step(x, 0), step(x, 1), as_pointer(y_all), step(y_all, 0),
           step(y_all, 1), z, in.rows, in.cols);
  };
}

}  // namespace kernelbatch::workloads::squared_diff
