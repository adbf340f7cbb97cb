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
  const std::int64_t mean = in.matrix.data.size() / std::max<std::int64_t>(in.matrix.rows, 1);
  const int lanes = wanted == "auto" ? static_cast<int>(lanes_of_row(mean)) : std::stoi(wanted);
  const LaunchShape shape = loop_shape(in.matrix.rows * lanes, 256);

  return [=, &in](Stream& stream) {
    csr_spmv(stream, shape, indptr, indices, data, x, y, static_cast<int>(in.matrix.rows), lanes);
  };
}

}  // namespace kernelbatch::workloads::csr_spmv
