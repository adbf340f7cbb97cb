// What the workload `square_exp` declares.
#include "core/array/random.hpp"
#include "core/plugin/host_input.hpp"
#include "core/plugin/launch.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace square_exp {
namespace {

class SquareExpWorkload final : public kernelbatch::Workload {
 public:
  const kernelbatch::WorkloadInfo& info() const override { return info_; }

  double device_bytes(const kernelbatch::Params& params) const override {
    return 2.0 * static_cast<double>(params.integer("n")) *
           static_cast<double>(kernelbatch::size_of(params.dtype()));
  }

  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs& inputs) const override {
    const kernelbatch::ArrayForm form{params.dtype(), {params.integer("n")}};
    auto problem = std::make_unique<SquareExp>();
    problem->x = kernelbatch::take_array(inputs, "square_exp", "x", form, [&] {
      return kernelbatch::random_uniform(form.dtype, form.shape, -2, 2, 1);
    });
    problem->largest = kernelbatch::largest_modulus(problem->x);
    return problem;
  }

 private:
  kernelbatch::WorkloadInfo info_{
      .name = "square_exp",
      .version = "1",
      .summary = "exp(x^2), fused and in two array operations",
      .parameters = {kernelbatch::integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                     kernelbatch::choice_parameter("dtype", "float64", {"float32", "float64"},
                                                   "type of the elements"),
                     kernelbatch::block_parameter(256), kernelbatch::items_per_thread_parameter(4)},
      .inputs = {{"x", "shape (n,); default: uniform in [-2, 2)"}},
      .outputs = {{"y", "exp(x²)"}},
      .variants = {
          {"reference", kernelbatch::VariantKind::kReference, "each element on all cores",
           reference},
          {"elementwise", kernelbatch::VariantKind::kElementwise, "one operation on every element",
           elementwise},
          {"reduction", kernelbatch::VariantKind::kReduction, "over an axis of length 1",
           reduction},
          {"jit", kernelbatch::VariantKind::kJit, "grid-stride loop", jit},
          {"raw", kernelbatch::VariantKind::kRaw, "16-byte loads and stores, four in flight", raw},
          {"fused", kernelbatch::VariantKind::kFused, "the expression in one kernel", fused},
          {"unfused", kernelbatch::VariantKind::kUnfused,
           "a square, then an exponential: two launches", unfused}}};
};

}  // namespace

std::vector<kernelbatch::OutputArray> SquareExp::outputs() const {
  kernelbatch::Tolerance tolerance;
  tolerance.rtol = (largest * largest + 8) * kernelbatch::unit_roundoff(x.dtype());
  tolerance.reason =
      "the rounding of x^2, which the exponential multiplies by x^2, and an exponential of 2 ulp";
  return {{.name = "y",
           .dtype = x.dtype(),
           .shape = x.shape(),
           .dimensions = {"element"},
           .help = "exp(x²)",
           .tolerance = tolerance}};
}

kernelbatch::Cost SquareExp::cost() const {
  const auto n = static_cast<double>(x.size());
  const auto item = static_cast<double>(kernelbatch::size_of(x.dtype()));
  return {.bytes_read = 1 * n * item, .bytes_written = n * item, .flops = 2 * n};
}

}  // namespace square_exp

KERNELBATCH_PLUGIN(square_exp::SquareExpWorkload, "square_exp");
