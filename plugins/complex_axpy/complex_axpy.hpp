// y = x1 + a·x2 of complex numbers.
#pragma once

#include "core/plugin/workload.hpp"

namespace complex_axpy {

struct ComplexAxpy final : kernelbatch::Problem {
  kernelbatch::Array x1, x2;  ///< shape (n,)
  double a_real = 0;          ///< real part of a
  double a_imag = 0;          ///< imaginary part of a
  double scale = 0;           ///< largest |x1| + |a|·|x2|: what rounding errors are relative to

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void cucomplex(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace complex_axpy
