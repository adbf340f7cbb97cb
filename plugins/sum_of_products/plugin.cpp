// Declaration of the workload `sum_of_products`.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/workload/host_input.hpp"
#include "plugins/sum_of_products/sum_of_products.hpp"

namespace kernelbatch::workloads::sum_of_products {
namespace {

/// Σ|x·y| of each row.
Array absolute_sums_of_rows(const Array& x, const Array& y) {
  const std::int64_t rows = x.shape()[0], cols = x.shape()[1];
  std::vector<double> sums(static_cast<std::size_t>(rows));
  dispatch_among<float, double>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const a = x.as<T>().data();
    const T* const b = y.as<T>().data();
    parallel_for(rows, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        double sum = 0;
        for (std::int64_t k = row * cols; k < (row + 1) * cols; ++k)
          sum += finite_modulus(static_cast<double>(a[k]) * static_cast<double>(b[k]));
        sums[static_cast<std::size_t>(row)] = sum;
      }
    });
  });
  return Array::from(sums);
}

}  // namespace

WorkloadInfo SumOfProducts::info() {
  return {.name = "sum_of_products",
          .version = "1",
          .summary = "scalar product of each pair of rows",
          .parameters = {integer_parameter("rows", 1000, 1, 1e9, "number of rows"),
                         integer_parameter("cols", 1000, 1, 1e9, "length of a row"),
                         choice_parameter("dtype", "float64", {"float32", "float64"},
                                          "type of the elements and of the sums")},
          .inputs = {{"x", "default: normal", {"rows", "cols"}},
                     {"y", "default: normal", {"rows", "cols"}}},
          .outputs = {{"z", "sum of x y along each row"}}};
}

double SumOfProducts::device_bytes(const Params& params) {
  return 2.0 * static_cast<double>(params.integer("rows")) *
         static_cast<double>(params.integer("cols")) * static_cast<double>(size_of(params.dtype()));
}

SumOfProducts::SumOfProducts(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("rows"), params.integer("cols")}};
  x = take_normal(inputs, "sum_of_products", "x", form, 0, 1, 1);
  y = take_normal(inputs, "sum_of_products", "y", form, 0, 1, 2);
  absolute_sums = absolute_sums_of_rows(x, y);
}

std::vector<OutputArray> SumOfProducts::outputs() const {
  Tolerance tolerance;
  tolerance.mode = CompareMode::kReduction;
  // Every variant sums in at least eight chains; the tree that joins them adds a few dozen
  // roundings.
  tolerance.terms = static_cast<double>(x.shape()[1]) / 8 + 64;
  tolerance.row_bounds = absolute_sums;
  tolerance.reason =
      "rounding bound of a sum in at least 8 chains, relative to the sum of |x y| of the row";
  return {{.name = "z",
           .dtype = x.dtype(),
           .shape = {x.shape()[0]},
           .dimensions = {"row"},
           .help = "sum of x y along the row",
           .tolerance = tolerance}};
}

Cost SumOfProducts::cost() const {
  const auto count = static_cast<double>(x.size());
  const auto item = static_cast<double>(size_of(x.dtype()));
  return {.bytes_read = 2 * count * item,
          .bytes_written = static_cast<double>(x.shape()[0]) * item,
          .flops = 2 * count};
}

}  // namespace kernelbatch::workloads::sum_of_products

KERNELBATCH_PLUGIN(
    kernelbatch::DeclaredWorkload<kernelbatch::workloads::sum_of_products::SumOfProducts>,
    "sum_of_products");
