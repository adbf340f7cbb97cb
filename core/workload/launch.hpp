// Launch shapes shared by workloads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/device/device.hpp"
#include "core/workload/params.hpp"
#include "core/workload/run.hpp"

namespace kernelbatch {

/// One axis of blocks for `count` iterations, `per_thread` in each thread; at least one block, and
/// never more than every GPU supports, so the kernel must stride over the grid.
inline LaunchShape loop_shape(std::int64_t count, std::int64_t block = 256,
                              std::int64_t per_thread = 1) {
  const std::int64_t per_block = block * per_thread;
  const std::int64_t blocks =
      std::clamp<std::int64_t>((count + per_block - 1) / per_block, 1, 1 << 30);
  return {.grid = {static_cast<std::uint32_t>(blocks)},
          .block = {static_cast<std::uint32_t>(block)}};
}

/// The tuning parameters read by loop_shape(run, …): `block`, threads of a block, and
/// `items_per_thread`, iterations per thread.
inline ParameterDeclaration block_parameter(std::int64_t threads) {
  return tuning_parameter(
      integer_parameter("block", threads, 1, 1024, "threads in a block of the jit variant"));
}
inline ParameterDeclaration items_per_thread_parameter(std::int64_t items) {
  return tuning_parameter(integer_parameter("items_per_thread", items, 1, 1 << 20,
                                            "turns of a thread's loop in the jit variant"));
}

/// loop_shape() with the case's `block` and `items_per_thread`.
inline LaunchShape loop_shape(const Run& run, std::int64_t count) {
  return loop_shape(count, run.params().integer("block"), run.params().integer("items_per_thread"));
}

/// "combine<double>": the instance of a kernel template for elements of that dtype, as an entry of
/// RawKernel and RawModule.
inline std::string instance_name(std::string_view kernel, DType dtype) {
  return std::string(kernel) + "<" + std::string(kernelbatch::info(dtype).c_name) + ">";
}

/// Number of lanes of a warp that share a row of `loads` loads: a power of two, so that rows fill
/// the warp.
inline std::int64_t lanes_of_row(std::int64_t loads) {
  std::int64_t lanes = 1;
  while (lanes < loads && lanes < 32) lanes *= 2;
  return lanes;
}

/// Number of pieces of a sum of `length` terms, so that `outputs` such sums keep the device busy
/// with `per_unit` workers on each of its units; a piece has at least `grain` terms.
inline std::int64_t pieces_of_sum(const DeviceProperties& device, std::int64_t outputs,
                                  std::int64_t length, std::int64_t per_unit, std::int64_t grain) {
  const std::int64_t wanted = device.compute_units * per_unit / std::max<std::int64_t>(outputs, 1);
  return std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(length / grain, 1));
}

}  // namespace kernelbatch
