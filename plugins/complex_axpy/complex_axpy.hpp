// y = x1 + a·x2 of complex numbers.
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::complex_axpy {

struct ComplexAxpy final : Problem {
  Array x1, x2;       ///< shape (n,)
  double a_real = 0;  ///< real part of a
  double a_imag = 0;  ///< imaginary part of a
  Array bounds;       ///< float64, shape (n,): bound of each element's rounding error

  ComplexAxpy(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::complex_axpy
