// csr_spmv in plain CUDA, precompiled unless a job tunes the kernel.
#include <algorithm>
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/csr_spmv/tuning.hpp"

namespace kernelbatch::workloads::csr_spmv {

static Work raw(const CsrSpmv& in, Run& run) {
  const std::int64_t mean =
      std::max<std::int64_t>(in.matrix.data.size() / std::max<std::int64_t>(in.matrix.rows, 1), 1);
  const Tuning t = tuning_of(in, mean, run);
  const auto indptr = run.to_device(in.matrix.indptr);
  const auto indices = run.to_device(in.matrix.indices);
  const auto data = run.to_device(in.matrix.data);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const std::string entry = "csr_spmv_" + std::string(name_of(in.x.dtype()));
  const bool is_ahead = t.options.empty();
  const RawModule module{
      EmbeddedKernel{embedded::raw_cu, is_ahead ? embedded::raw_cu_fatbin : ""},
      {entry},
      {.options = t.options, .name = is_ahead ? "csr_spmv_raw" : "csr_spmv_raw_tuned"}};
  const auto csr_spmv = module.function(entry);
  const std::string& wanted = run.params().text("lanes");
  // A lane sums about four entries.
  const int lanes =
      wanted == "auto" ? static_cast<int>(lanes_of_row((mean + 3) / 4)) : std::stoi(wanted);
  const LaunchShape shape{.grid = {static_cast<std::uint32_t>(
                              (in.matrix.rows + t.rows_per_block - 1) / t.rows_per_block)},
                          .block = {static_cast<std::uint32_t>(t.block)}};
  const auto extent = [](std::int64_t value) { return static_cast<int>(value); };

  return [=, &in](Stream& stream) {
    csr_spmv(stream, shape, indptr, indices, data, x, y, extent(in.matrix.rows),
             extent(in.matrix.data.size()), extent(t.rows_per_block), lanes);
  };
}
static const Variant kRaw{
    "raw", VariantKind::kRaw,
    "a block for some rows: products into shared memory four at a time, summed there", raw};

}  // namespace kernelbatch::workloads::csr_spmv
