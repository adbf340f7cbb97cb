// Declaration of the workload `sin_exp`.
#include <algorithm>

#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/sin_exp/sin_exp.hpp"

namespace kernelbatch::workloads::sin_exp {

WorkloadInfo SinExp::info() {
  return {.name = "sin_exp",
          .version = "1",
          .summary = "sin(x) exp(-x^2)",
          .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                         choice_parameter("dtype", "float64", {"float32", "float64"},
                                          "type of the elements"),
                         block_parameter(256), items_per_thread_parameter(4)},
          .inputs = {{"x", "default: uniform in [-3, 3)", {"n"}}},
          .outputs = {{"y", "sin(x)·exp(−x²)"}}};
}

double SinExp::device_bytes(const Params& params) { return bytes_of_vectors(params, 2); }

SinExp::SinExp(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("n")}};
  x = take_uniform(inputs, "sin_exp", "x", form, -3, 3, 1);
  largest = largest_modulus(x);
}

std::vector<OutputArray> SinExp::outputs() const {
  // For larger |x| the exponential is zero.
  const double most = std::min(largest, x.dtype() == DType::kFloat32 ? 10.2 : 27.3);
  Tolerance tolerance;
  tolerance.rtol = (most * most + 16) * unit_roundoff(x.dtype());
  tolerance.atol = 1e-37;
  tolerance.reason =
      "the rounding of x^2, which the exponential multiplies by x^2, and sine and exponential of 2 "
      "ulp each; values that underflow may be flushed";
  return {{.name = "y",
           .dtype = x.dtype(),
           .shape = x.shape(),
           .dimensions = {"element"},
           .help = "sin(x)·exp(−x²)",
           .tolerance = tolerance}};
}

Cost SinExp::cost() const {
  const auto n = static_cast<double>(x.size());
  const auto item = static_cast<double>(size_of(x.dtype()));
  return {.bytes_read = 1 * n * item, .bytes_written = n * item, .flops = 4 * n};
}

}  // namespace kernelbatch::workloads::sin_exp

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::sin_exp::SinExp>,
                   "sin_exp");
