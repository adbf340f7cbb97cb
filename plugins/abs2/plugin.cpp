// What the workload `abs2` declares.
#include "core/array/random.hpp"
#include "core/plugin/host_input.hpp"
#include "core/plugin/launch.hpp"
#include "plugins/abs2/abs2.hpp"

namespace abs2 {
namespace {

class Abs2Workload final : public kernelbatch::Workload {
 public:
  const kernelbatch::WorkloadInfo& info() const override { return info_; }

  double device_bytes(const kernelbatch::Params& params) const override {
    return 2.0 * static_cast<double>(params.integer("n")) *
           static_cast<double>(kernelbatch::size_of(params.dtype()));
  }

  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs& inputs) const override {
    const kernelbatch::ArrayForm form{params.dtype(), {params.integer("n")}};
    auto problem = std::make_unique<Abs2>();
    problem->z = kernelbatch::take_array(inputs, "abs2", "z", form, [&] {
      return kernelbatch::random_normal(form.dtype, form.shape, 0, 10, 1);
    });
    return problem;
  }

 private:
  kernelbatch::WorkloadInfo info_{
      .name = "abs2",
      .version = "1",
      .summary = "squared modulus of complex numbers",
      .parameters = {kernelbatch::integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                     kernelbatch::choice_parameter("dtype", "complex128",
                                                   {"complex64", "complex128"},
                                                   "type of the elements"),
                     kernelbatch::block_parameter(256), kernelbatch::items_per_thread_parameter(4)},
      .inputs = {{"z", "shape (n,); default: normal with deviation 10"}},
      .outputs = {{"y", "re² + im²"}},
      .variants = {
          {"reference", kernelbatch::VariantKind::kReference, "each element on all cores",
           reference},
          {"elementwise", kernelbatch::VariantKind::kElementwise, "one operation on every element",
           elementwise},
          {"reduction", kernelbatch::VariantKind::kReduction,
           "sum of squares over the axis (re, im)", reduction},
          {"jit", kernelbatch::VariantKind::kJit, "grid-stride loop", jit},
          {"raw", kernelbatch::VariantKind::kRaw, "16-byte loads and stores, four in flight", raw},
          {"fused", kernelbatch::VariantKind::kFused, "the expression in one kernel", fused},
          {"unfused", kernelbatch::VariantKind::kUnfused, "the modulus, then its square",
           unfused}}};
};

}  // namespace

std::vector<kernelbatch::OutputArray> Abs2::outputs() const {
  kernelbatch::Tolerance tolerance;
  tolerance.rtol = 4 * kernelbatch::unit_roundoff(z.dtype());
  tolerance.reason =
      "two squares and a sum of non-negative terms, each rounded once, and the rounding of the "
      "reference";
  return {{.name = "y",
           .dtype = z.dtype() == kernelbatch::DType::kComplex64 ? kernelbatch::DType::kFloat32
                                                                : kernelbatch::DType::kFloat64,
           .shape = z.shape(),
           .dimensions = {"element"},
           .help = "re² + im²",
           .tolerance = tolerance}};
}

std::vector<kernelbatch::OutputArray> Abs2::outputs_of(std::string_view variant) const {
  std::vector<kernelbatch::OutputArray> all = outputs();
  if (variant == "unfused") {
    all[0].tolerance.rtol *= 4;
    all[0].tolerance.reason = "the square of a modulus that is right to 3 ulp";
  }
  return all;
}

kernelbatch::Cost Abs2::cost() const {
  const auto n = static_cast<double>(z.size());
  const auto item = static_cast<double>(kernelbatch::size_of(z.dtype()));
  return {.bytes_read = 1 * n * item, .bytes_written = n * item / 2, .flops = 3 * n};
}

}  // namespace abs2

KERNELBATCH_PLUGIN(abs2::Abs2Workload, "abs2");
