// What the workload `complex_axpy` declares.
#include <cmath>

#include "core/array/random.hpp"
#include "core/plugin/host_input.hpp"
#include "core/plugin/launch.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace complex_axpy {
namespace {

class ComplexAxpyWorkload final : public kernelbatch::Workload {
 public:
  const kernelbatch::WorkloadInfo& info() const override { return info_; }

  double device_bytes(const kernelbatch::Params& params) const override {
    return 3.0 * static_cast<double>(params.integer("n")) *
           static_cast<double>(kernelbatch::size_of(params.dtype()));
  }

  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs& inputs) const override {
    const kernelbatch::ArrayForm form{params.dtype(), {params.integer("n")}};
    auto problem = std::make_unique<ComplexAxpy>();
    problem->x1 = kernelbatch::take_array(inputs, "complex_axpy", "x1", form, [&] {
      return kernelbatch::random_normal(form.dtype, form.shape, 0, 1, 1);
    });
    problem->x2 = kernelbatch::take_array(inputs, "complex_axpy", "x2", form, [&] {
      return kernelbatch::random_normal(form.dtype, form.shape, 0, 1, 2);
    });
    problem->a_real = params.real("a_real");
    problem->a_imag = params.real("a_imag");
    problem->scale =
        kernelbatch::largest_modulus(problem->x1) +
        std::hypot(problem->a_real, problem->a_imag) * kernelbatch::largest_modulus(problem->x2);
    return problem;
  }

 private:
  kernelbatch::WorkloadInfo info_{
      .name = "complex_axpy",
      .version = "1",
      .summary = "x1 + a x2 of complex vectors",
      .parameters = {kernelbatch::integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                     kernelbatch::choice_parameter("dtype", "complex128",
                                                   {"complex64", "complex128"},
                                                   "type of the elements"),
                     kernelbatch::real_parameter("a_real", 0.5, -1e6, 1e6, "real part of a"),
                     kernelbatch::real_parameter("a_imag", -1.25, -1e6, 1e6, "imaginary part of a"),
                     kernelbatch::block_parameter(256), kernelbatch::items_per_thread_parameter(4)},
      .inputs = {{"x1", "shape (n,); default: normal"}, {"x2", "shape (n,); default: normal"}},
      .outputs = {{"y", "x1 + a·x2"}},
      .variants = {
          {"reference", kernelbatch::VariantKind::kReference, "each element on all cores",
           reference},
          {"elementwise", kernelbatch::VariantKind::kElementwise, "one operation on every element",
           elementwise},
          {"reduction", kernelbatch::VariantKind::kReduction,
           "sum over the two terms, weighted by 1 and a", reduction},
          {"jit", kernelbatch::VariantKind::kJit, "grid-stride loop", jit},
          {"raw", kernelbatch::VariantKind::kRaw, "16-byte loads and stores, four in flight", raw},
          {"cucomplex", kernelbatch::VariantKind::kRaw, "written with cuComplex.h, translated",
           cucomplex}}};
};

}  // namespace

std::vector<kernelbatch::OutputArray> ComplexAxpy::outputs() const {
  kernelbatch::Tolerance tolerance;
  tolerance.atol = 8 * kernelbatch::unit_roundoff(x1.dtype()) * scale;
  tolerance.reason =
      "four products and four sums, each rounded once, of numbers up to |x1| + |a|·|x2|, which may "
      "cancel";
  return {{.name = "y",
           .dtype = x1.dtype(),
           .shape = x1.shape(),
           .dimensions = {"element"},
           .help = "x1 + a·x2",
           .tolerance = tolerance}};
}

kernelbatch::Cost ComplexAxpy::cost() const {
  const auto n = static_cast<double>(x1.size());
  const auto item = static_cast<double>(kernelbatch::size_of(x1.dtype()));
  return {.bytes_read = 2 * n * item, .bytes_written = n * item, .flops = 8 * n};
}

}  // namespace complex_axpy

KERNELBATCH_PLUGIN(complex_axpy::ComplexAxpyWorkload, "complex_axpy");
