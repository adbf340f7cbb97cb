// Two independent pieces of work: the row sums of squares of one matrix, the product of two others.
#pragma once

#include "core/plugin/workload.hpp"

namespace overlap {

struct Overlap final : kernelbatch::Problem {
  kernelbatch::Array p;                 ///< shape (rows, cols)
  kernelbatch::Array a, b;              ///< shape (m, m)
  double largest_a = 0, largest_b = 0;  ///< moduli

  std::int64_t rows() const { return p.shape()[0]; }
  std::int64_t cols() const { return p.shape()[1]; }
  std::int64_t m() const { return a.shape()[0]; }
  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void one_stream(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void two_streams(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace overlap
