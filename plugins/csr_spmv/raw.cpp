// csr_spmv in plain CUDA, compiled ahead.
#include <algorithm>
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace kernelbatch::workloads::csr_spmv {

Work raw(const CsrSpmv& in, Run& run) {
  const auto indptr = run.to_device(in.matrix.indptr);
  const auto indices = run.to_device(in.matrix.indices);
  const auto data = run.to_device(in.matrix.data);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const std::string dtype(name_of(in.x.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {"csr_spmv_" + dtype},
                         {.name = "csr_spmv_raw"}};
  const auto csr_spmv = module.function("csr_spmv_" + dtype);
  const std::string& wanted = run.params().text("lanes");
  const std::int64_t mean =
      std::max<std::int64_t>(in.matrix.data.size() / std::max<std::int64_t>(in.matrix.rows, 1), 1);
  // A lane sums four entries or so.
  const int lanes =
      wanted == "auto" ? static_cast<int>(lanes_of_row((mean + 3) / 4)) : std::stoi(wanted);
  // Rows of a block have a little less than what it keeps at once, so that most blocks need one
  // turn where rows differ.
  constexpr std::int64_t kMostRows = 1024, kKeptBytes = 16 * 1024;
  const std::int64_t kept = kKeptBytes / static_cast<std::int64_t>(size_of(in.x.dtype()));
  const std::int64_t rows_of_block = std::clamp<std::int64_t>(kept * 15 / 16 / mean, 1, kMostRows);
  const LaunchShape shape{
      .grid = {static_cast<std::uint32_t>((in.matrix.rows + rows_of_block - 1) / rows_of_block)},
      .block = {256}};
  const auto extent = [](std::int64_t value) { return static_cast<int>(value); };

  return [=, &in](Stream& stream) {
    csr_spmv(stream, shape, indptr, indices, data, x, y, extent(in.matrix.rows),
             extent(in.matrix.data.size()), extent(rows_of_block), lanes);
  };
}

}  // namespace kernelbatch::workloads::csr_spmv
