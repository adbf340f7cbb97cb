// Declaration of the workload `complex_axpy`.
#include <cmath>
#include <complex>

#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace kernelbatch::workloads::complex_axpy {
namespace {

/// Bound of each element's rounding error, of shape (n,): eight roundings of |x1| + |a|·|x2|.
Array error_bounds(const Array& x1, const Array& x2, double modulus_of_a) {
  Array bounds = Array::on_host(DType::kFloat64, x1.shape());
  const double eight = 8 * unit_roundoff(x1.dtype());
  dispatch_among<std::complex<float>, std::complex<double>>(x1.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto first = x1.as<T>(), second = x2.as<T>();
    const auto to = bounds.as<double>();
    for (std::size_t k = 0; k < to.size(); ++k)
      to[k] =
          eight * (finite_modulus(std::hypot(first[k].real(), first[k].imag())) +
                   modulus_of_a * finite_modulus(std::hypot(second[k].real(), second[k].imag())));
  });
  return bounds;
}

}  // namespace

WorkloadInfo ComplexAxpy::info() {
  return {.name = "complex_axpy",
          .version = "1",
          .summary = "x1 + a x2 of complex vectors",
          .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                         choice_parameter("dtype", "complex128", {"complex64", "complex128"},
                                          "type of the elements"),
                         real_parameter("a_real", 0.5, -1e6, 1e6, "real part of a"),
                         real_parameter("a_imag", -1.25, -1e6, 1e6, "imaginary part of a"),
                         block_parameter(256), items_per_thread_parameter(4)},
          .inputs = {{"x1", "default: normal", {"n"}}, {"x2", "default: normal", {"n"}}},
          .outputs = {{"y", "x1 + a·x2"}}};
}

double ComplexAxpy::device_bytes(const Params& params) { return bytes_of_vectors(params, 3); }

ComplexAxpy::ComplexAxpy(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("n")}};
  x1 = take_normal(inputs, "complex_axpy", "x1", form, 0, 1, 1);
  x2 = take_normal(inputs, "complex_axpy", "x2", form, 0, 1, 2);
  a_real = params.real("a_real");
  a_imag = params.real("a_imag");
  bounds = error_bounds(x1, x2, std::hypot(a_real, a_imag));
}

std::vector<OutputArray> ComplexAxpy::outputs() const {
  Tolerance tolerance;
  tolerance.row_bounds = bounds;
  tolerance.reason =
      "four products and four sums, each rounded once, of numbers up to |x1| + |a|·|x2| of the "
      "element, which may cancel";
  return {{.name = "y",
           .dtype = x1.dtype(),
           .shape = x1.shape(),
           .dimensions = {"element"},
           .help = "x1 + a·x2",
           .tolerance = tolerance}};
}

Cost ComplexAxpy::cost() const {
  const auto n = static_cast<double>(x1.size());
  const auto item = static_cast<double>(size_of(x1.dtype()));
  return {.bytes_read = 2 * n * item, .bytes_written = n * item, .flops = 8 * n};
}

}  // namespace kernelbatch::workloads::complex_axpy

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::complex_axpy::ComplexAxpy>,
                   "complex_axpy");
