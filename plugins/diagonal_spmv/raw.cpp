// diagonal_spmv in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

static Work raw(const DiagonalSpmv& in, Run& run) {
  const auto offsets = run.to_device(in.offsets);
  const auto diagonals = run.to_device(in.diagonals);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const std::string dtype(name_of(in.x.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {"diagonal_spmv_" + dtype},
                         {.name = "diagonal_spmv_raw"}};
  const auto diagonal_spmv = module.function("diagonal_spmv_" + dtype);
  const std::int64_t widest = 16 / static_cast<std::int64_t>(size_of(in.x.dtype()));
  const std::int64_t width = y.size() % widest == 0 ? widest : 1;
  const LaunchShape shape = loop_shape(y.size(), 256, width);

  return [=, &in](Stream& stream) {
    diagonal_spmv(stream, shape, offsets, diagonals, x, y, static_cast<int>(in.offsets.size()),
                  in.matrix.rows, in.matrix.columns, static_cast<std::int32_t>(width));
  };
}
static const Variant kRaw{"raw", VariantKind::kRaw,
                          "16 bytes of rows for each thread, four diagonals in flight", raw};

}  // namespace kernelbatch::workloads::diagonal_spmv
