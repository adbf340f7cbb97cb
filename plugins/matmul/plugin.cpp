// Declaration of the workload `matmul`.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/workload/host_input.hpp"
#include "plugins/matmul/matmul.hpp"
#include "plugins/matmul/raw_tuned.hpp"

namespace kernelbatch::workloads::matmul {
namespace {

std::vector<ParameterDeclaration> parameters() {
  std::vector<ParameterDeclaration> all{
      integer_parameter("m", 512, 1, 1e6, "rows of A and C"),
      integer_parameter("n", 512, 1, 1e6, "columns of B and C"),
      integer_parameter("k", 512, 1, 1e6, "columns of A, rows of B"),
      choice_parameter("dtype", "float64", {"float16", "bfloat16", "float32", "float64"},
                       "type of the elements and of the sums; float16 and bfloat16 are added up in "
                       "float32")};
  for (ParameterDeclaration& parameter : tuning_parameters()) all.push_back(std::move(parameter));
  return all;
}

}  // namespace

WorkloadInfo Matmul::info() {
  return {.name = "matmul",
          .version = "1",
          .summary = "product of two dense matrices",
          .parameters = parameters(),
          .inputs = {{"a", "default: uniform in [-1, 1)", {"m", "k"}},
                     {"b", "default: uniform in [-1, 1)", {"k", "n"}}},
          .outputs = {{"c", "the product"}}};
}

double Matmul::device_bytes(const Params& params) {
  const auto m = static_cast<double>(params.integer("m")),
             n = static_cast<double>(params.integer("n"));
  const auto k = static_cast<double>(params.integer("k"));
  return (m * k + k * n + m * n) * static_cast<double>(size_of(params.dtype()));
}

Matmul::Matmul(const Params& params, Inputs& inputs) {
  const auto take = [&](const char* name, const char* rows, const char* cols, std::uint64_t seed) {
    const ArrayForm form{params.dtype(), {params.integer(rows), params.integer(cols)}};
    return take_uniform(inputs, "matmul", name, form, -1, 1, seed);
  };
  a = take("a", "m", "k", 1);
  b = take("b", "k", "n", 2);
  row_norms = kernelbatch::row_norms(a);
  column_norms = kernelbatch::column_norms(b);
}

std::vector<OutputArray> Matmul::outputs() const {
  Tolerance tolerance;
  const double terms = static_cast<double>(k()) + 4;
  if (is_reduced_float(a.dtype())) {
    const double u = unit_roundoff(a.dtype());
    // Tensor cores truncate instead of rounding to float32: twice the error.
    std::vector<double> bounds;
    for (const double norm : row_norms.as<double>())
      bounds.push_back(2 * terms * unit_roundoff(DType::kFloat32) * norm);
    tolerance.row_bounds = Array::from(bounds);
    tolerance.atol = 0x1p-24;
    tolerance.rtol = 2.1 * u;
    tolerance.reason =
        "the sum's last rounding and the reference's, and the bound of a float32 sum of k "
        "products, cut or rounded, relative to the norm of the row times that of the column";
  } else {
    tolerance.mode = CompareMode::kReduction;
    tolerance.terms = terms;
    tolerance.row_bounds = row_norms;
    tolerance.reason =
        "rounding bound of a sum of k products in any order, relative to the norm of the row times "
        "that of the column";
  }
  tolerance.column_bounds = column_norms;
  return {{.name = "c",
           .dtype = a.dtype(),
           .shape = {m(), n()},
           .dimensions = {"row", "column"},
           .help = "the product",
           .tolerance = tolerance}};
}

std::vector<OutputArray> Matmul::outputs_of(std::string_view variant) const {
  std::vector<OutputArray> all = outputs();
  if (variant == "raw_tensor" && a.dtype() == DType::kFloat32) {
    // Factors keep 11 bits, so a product has a relative error of 2·2^-11 = 2^14·2^-24.
    all[0].tolerance.terms = 2 * all[0].tolerance.terms + 0x1.01p14;
    all[0].tolerance.reason =
        "factors rounded to TF32, 2^-11 each, and a float32 sum of k products, cut or rounded; "
        "relative to the norm of the row times that of the column";
  }
  return all;
}

Cost Matmul::cost() const {
  const auto item = static_cast<double>(size_of(a.dtype()));
  const auto products = static_cast<double>(m()) * static_cast<double>(n());
  return {.bytes_read = static_cast<double>(a.size() + b.size()) * item,
          .bytes_written = products * item,
          .flops = 2 * products * static_cast<double>(k())};
}

}  // namespace kernelbatch::workloads::matmul

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::matmul::Matmul>, "matmul");
