// diagonal_spmv in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace diagonal_spmv {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const DiagonalSpmv&>(problem);
  const auto offsets = run.to_device(in.offsets);
  const auto diagonals = run.to_device(in.diagonals);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const kernelbatch::JitKernel kernel{
      embedded::jit_cuh, "diagonal_spmv", {.constants = {{"DIAGONALS", in.offsets.size()}}}};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, y.size());

  run.measure([&] { kernel(run.stream(), shape, offsets, diagonals, x, y); });
}

}  // namespace diagonal_spmv
