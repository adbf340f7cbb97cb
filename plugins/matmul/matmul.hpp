// C = A·B of dense matrices.
#pragma once

#include <string_view>
#include <vector>

#include "core/workload/declared_workload.hpp"
#include "core/workload/host_input.hpp"

namespace kernelbatch::workloads::matmul {

struct Matmul final : Problem {
  Array a;             ///< shape (m, k)
  Array b;             ///< shape (k, n)
  Array row_norms;     ///< of a
  Array column_norms;  ///< of b; the products are at least Σ|a·b| of the elements

  std::int64_t m() const { return a.shape()[0]; }
  std::int64_t n() const { return b.shape()[1]; }
  std::int64_t k() const { return a.shape()[1]; }
  Matmul(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  std::vector<OutputArray> outputs_of(std::string_view variant) const override;
  Cost cost() const override;
};

/// Calls `function` with an element of the C++ type of one of the workload's dtypes.
template <class Function>
auto dispatch_matmul(DType dtype, const Function& function) {
  return dispatch_among<float, double, Float16, BFloat16>(dtype, function);
}

template <class T>
double as_double(T value) {
  if constexpr (ReducedFloat<T>)
    return static_cast<double>(to_float(value));
  else
    return static_cast<double>(value);
}

}  // namespace kernelbatch::workloads::matmul
