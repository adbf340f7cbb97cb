// Declaration of the workload `abs2`.
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/abs2/abs2.hpp"

namespace kernelbatch::workloads::abs2 {

WorkloadInfo Abs2::info() {
  return {.name = "abs2",
          .version = "1",
          .summary = "squared modulus of complex numbers",
          .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                         choice_parameter("dtype", "complex128", {"complex64", "complex128"},
                                          "type of the elements"),
                         block_parameter(256), items_per_thread_parameter(4)},
          .inputs = {{"z", "default: normal with deviation 10", {"n"}}},
          .outputs = {{"y", "re² + im²"}}};
}

double Abs2::device_bytes(const Params& params) { return bytes_of_vectors(params, 2); }

Abs2::Abs2(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("n")}};
  z = take_normal(inputs, "abs2", "z", form, 0, 10, 1);
}

std::vector<OutputArray> Abs2::outputs() const {
  Tolerance tolerance;
  tolerance.rtol = 4 * unit_roundoff(z.dtype());
  tolerance.reason =
      "two squares and a sum of non-negative terms, each rounded once, and the rounding of the "
      "reference";
  return {{.name = "y",
           .dtype = z.dtype() == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64,
           .shape = z.shape(),
           .dimensions = {"element"},
           .help = "re² + im²",
           .tolerance = tolerance}};
}

std::vector<OutputArray> Abs2::outputs_of(std::string_view variant) const {
  std::vector<OutputArray> all = outputs();
  if (variant == "unfused") {
    all[0].tolerance.rtol *= 4;
    all[0].tolerance.reason = "the square of a modulus that is right to 3 ulp";
  }
  return all;
}

Cost Abs2::cost() const {
  const auto n = static_cast<double>(z.size());
  const auto item = static_cast<double>(size_of(z.dtype()));
  return {.bytes_read = 1 * n * item, .bytes_written = n * item / 2, .flops = 3 * n};
}

}  // namespace kernelbatch::workloads::abs2

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::abs2::Abs2>, "abs2");
