// csr_spmv on the CPU: each row's sum in a wider type.
#include "core/plugin/host_input.hpp"
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace csr_spmv {

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const CsrSpmv&>(problem);
  const kernelbatch::Array out = run.output("y");
  const auto indptr = in.matrix.indptr.as<int>();
  const auto indices = in.matrix.indices.as<int>();

  kernelbatch::dispatch_among<float, double>(in.x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto data = in.matrix.data.as<T>();
    const auto x = in.x.as<T>();
    const auto y = out.as<T>();
    run.measure([&] {
#pragma omp parallel for schedule(dynamic, 256)
      for (std::int64_t row = 0; row < in.matrix.rows; ++row) {
        long double sum = 0;
        const auto at = static_cast<std::size_t>(row);
        for (int k = indptr[at]; k < indptr[at + 1]; ++k) {
          const auto entry = static_cast<std::size_t>(k);
          sum += static_cast<long double>(data[entry]) *
                 static_cast<long double>(x[static_cast<std::size_t>(indices[entry])]);
        }
        y[at] = static_cast<T>(sum);
      }
    });
  });
}

}  // namespace csr_spmv
