#include "core/workload/sparse_product.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/workload/cusparse.hpp"
#include "core/workload/host_input.hpp"

namespace kernelbatch {

void SparseProduct::take(Inputs& inputs, std::string_view workload, DType dtype,
                         const std::function<CsrMatrix()>& generate) {
  matrix = inputs.take_sparse("A", generate);
  matrix.data = astype(matrix.data, dtype);
  const ArrayForm form{dtype, {matrix.columns}};
  x = take_array(inputs, workload, "x", form,
                 [&] { return inputs.random().uniform(form.dtype, form.shape, -1, 1, 3); });
  find_bounds();
}

void SparseProduct::find_bounds() {
  const auto indptr = matrix.indptr.as<int>();
  const auto indices = matrix.indices.as<int>();
  std::vector<double> sums;
  dispatch_among<float, double>(matrix.data.dtype(), [&](auto zero) {
    const auto data = matrix.data.as<decltype(zero)>();
    const auto factors = x.as<decltype(zero)>();
    for (std::size_t row = 0; row + 1 < indptr.size(); ++row) {
      longest_row = std::max<std::int64_t>(longest_row, indptr[row + 1] - indptr[row]);
      double sum = 0;
      for (auto k = static_cast<std::size_t>(indptr[row]);
           k < static_cast<std::size_t>(indptr[row + 1]); ++k)
        sum += finite_modulus(static_cast<double>(data[k]) *
                              static_cast<double>(factors[static_cast<std::size_t>(indices[k])]));
      sums.push_back(sum);
    }
  });
  absolute_sums = Array::from(sums);
}

std::vector<OutputArray> SparseProduct::outputs() const {
  Tolerance tolerance;
  tolerance.mode = CompareMode::kReduction;
  tolerance.terms = static_cast<double>(longest_row) + 4;
  tolerance.row_bounds = absolute_sums;
  tolerance.reason = "rounding bound of a row's sum in any order, relative to its sum of |A x|";
  return {{.name = "y",
           .dtype = x.dtype(),
           .shape = {matrix.rows},
           .dimensions = {"row"},
           .help = "A x",
           .tolerance = tolerance}};
}

Work multiply_on_cpu(const SparseProduct& product, Run& run) {
  constexpr std::int64_t kRowsOfAThread = 256;
  const Array out = run.output("y");
  const auto indptr = product.matrix.indptr.as<int>();
  const auto indices = product.matrix.indices.as<int>();
  Work work;
  dispatch_among<float, double>(product.x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto data = product.matrix.data.as<T>();
    const auto x = product.x.as<T>();
    const auto y = out.as<T>();
    work = [=, rows = product.matrix.rows] {
      parallel_for(rows, kRowsOfAThread, [&](std::int64_t begin, std::int64_t end) {
        for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end);
             ++row) {
          long double sum = 0;
          for (auto k = static_cast<std::size_t>(indptr[row]);
               k < static_cast<std::size_t>(indptr[row + 1]); ++k)
            sum += static_cast<long double>(data[k]) *
                   static_cast<long double>(x[static_cast<std::size_t>(indices[k])]);
          y[row] = static_cast<T>(sum);
        }
      });
    };
  });
  return work;
}

Work multiply_by_cusparse(const SparseProduct& product, Run& run) {
  const Array x = run.to_device(product.x);
  const Array y = run.output("y");
  return cusparse_product(run, product.matrix, x, y);
}

}  // namespace kernelbatch
