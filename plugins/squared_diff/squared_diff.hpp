// z = (x − y)², y broadcast against x, with x and y laid out in memory as a job asks.
#pragma once

#include "core/plugin/workload.hpp"

namespace squared_diff {

struct SquaredDiff final : kernelbatch::Problem {
  kernelbatch::Array x;  ///< as stored: x_view() is (rows, cols)
  kernelbatch::Array y;  ///< likewise: y_view() broadcasts to that
  std::string layout;    ///< of x, and of y where it is as large
  std::int64_t rows = 0, cols = 0;

  /// The logical array in its storage, wherever that lies.
  kernelbatch::Array x_view(const kernelbatch::Array& stored) const;
  kernelbatch::Array y_view(const kernelbatch::Array& stored) const;
  bool is_dense() const;  ///< no broadcasting and no gaps: one loop over both

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void unfused(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace squared_diff
