// Declaration of the workload `square_exp`.
#include <algorithm>

#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace kernelbatch::workloads::square_exp {

WorkloadInfo SquareExp::info() {
  return {.name = "square_exp",
          .version = "1",
          .summary = "exp(x^2), fused and in two array operations",
          .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                         choice_parameter("dtype", "float64", {"float32", "float64"},
                                          "type of the elements"),
                         block_parameter(256), items_per_thread_parameter(4)},
          .inputs = {{"x", "default: uniform in [-2, 2)", {"n"}}},
          .outputs = {{"y", "exp(x²)"}}};
}

double SquareExp::device_bytes(const Params& params) { return bytes_of_vectors(params, 2); }

SquareExp::SquareExp(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("n")}};
  x = take_uniform(inputs, "square_exp", "x", form, -2, 2, 1);
  largest = largest_modulus(x);
}

std::vector<OutputArray> SquareExp::outputs() const {
  // For larger |x| the exponential is infinite.
  const double most = std::min(largest, x.dtype() == DType::kFloat32 ? 9.5 : 26.7);
  Tolerance tolerance;
  tolerance.rtol = (most * most + 8) * unit_roundoff(x.dtype());
  tolerance.reason =
      "the rounding of x^2, which the exponential multiplies by x^2, and an exponential of 2 ulp";
  return {{.name = "y",
           .dtype = x.dtype(),
           .shape = x.shape(),
           .dimensions = {"element"},
           .help = "exp(x²)",
           .tolerance = tolerance}};
}

Cost SquareExp::cost() const {
  const auto n = static_cast<double>(x.size());
  const auto item = static_cast<double>(size_of(x.dtype()));
  return {.bytes_read = 1 * n * item, .bytes_written = n * item, .flops = 2 * n};
}

}  // namespace kernelbatch::workloads::square_exp

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::square_exp::SquareExp>,
                   "square_exp");
