// y = x1 + a·x2 of complex numbers.
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::complex_axpy {

struct ComplexAxpy final : Problem {
  Array x1, x2;       ///< shape (n,)
  double a_real = 0;  ///< real part of a
  double a_imag = 0;  ///< imaginary part of a
  Array bounds;       ///< float64, shape (n,): bound of each element's rounding error

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const ComplexAxpy& in, Run& run);
Work elementwise(const ComplexAxpy& in, Run& run);
Work reduction(const ComplexAxpy& in, Run& run);
Work jit(const ComplexAxpy& in, Run& run);
Work raw(const ComplexAxpy& in, Run& run);
Work cucomplex(const ComplexAxpy& in, Run& run);

}  // namespace kernelbatch::workloads::complex_axpy
