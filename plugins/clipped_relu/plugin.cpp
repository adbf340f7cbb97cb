// What the workload `clipped_relu` declares.
#include <cmath>

#include "core/array/random.hpp"
#include "core/plugin/host_input.hpp"
#include "core/plugin/launch.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace clipped_relu {
namespace {

class ClippedReluWorkload final : public kernelbatch::Workload {
 public:
  const kernelbatch::WorkloadInfo& info() const override { return info_; }

  double device_bytes(const kernelbatch::Params& params) const override {
    return 2.0 * static_cast<double>(params.integer("n")) *
           static_cast<double>(kernelbatch::size_of(params.dtype()));
  }

  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs& inputs) const override {
    const kernelbatch::ArrayForm form{params.dtype(), {params.integer("n")}};
    auto problem = std::make_unique<ClippedRelu>();
    problem->x = kernelbatch::take_array(inputs, "clipped_relu", "x", form, [&] {
      return kernelbatch::random_uniform(form.dtype, form.shape, -10, 10, 1);
    });
    problem->cap = params.real("cap");
    if (!kernelbatch::is_floating(form.dtype)) problem->cap = std::floor(problem->cap);
    return problem;
  }

 private:
  kernelbatch::WorkloadInfo info_{
      .name = "clipped_relu",
      .version = "1",
      .summary = "rectified linear unit with a cap",
      .parameters = {kernelbatch::integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                     kernelbatch::choice_parameter("dtype", "float64",
                                                   {"int32", "float32", "float64"},
                                                   "type of the elements"),
                     kernelbatch::real_parameter("cap", 6, 0, 1e6, "upper limit"),
                     kernelbatch::block_parameter(256), kernelbatch::items_per_thread_parameter(4)},
      .inputs = {{"x", "shape (n,); default: uniform in [-10, 10)"}},
      .outputs = {{"y", "min(max(x, 0), cap)"}},
      .variants = {
          {"reference", kernelbatch::VariantKind::kReference, "each element on all cores",
           reference},
          {"elementwise", kernelbatch::VariantKind::kElementwise, "one operation on every element",
           elementwise},
          {"reduction", kernelbatch::VariantKind::kReduction,
           "maximum over an axis of length 1 with identity 0, capped in the post-map", reduction},
          {"jit", kernelbatch::VariantKind::kJit, "grid-stride loop", jit},
          {"raw", kernelbatch::VariantKind::kRaw, "16-byte loads and stores, four in flight", raw},
          {"fused", kernelbatch::VariantKind::kFused, "the expression in one kernel", fused}}};
};

}  // namespace

std::vector<kernelbatch::OutputArray> ClippedRelu::outputs() const {
  kernelbatch::Tolerance tolerance;
  tolerance.mode = kernelbatch::CompareMode::kExact;
  tolerance.reason = "comparisons do not round";
  return {{.name = "y",
           .dtype = x.dtype(),
           .shape = x.shape(),
           .dimensions = {"element"},
           .help = "min(max(x, 0), cap)",
           .tolerance = tolerance}};
}

kernelbatch::Cost ClippedRelu::cost() const {
  const auto n = static_cast<double>(x.size());
  const auto item = static_cast<double>(kernelbatch::size_of(x.dtype()));
  return {.bytes_read = 1 * n * item, .bytes_written = n * item, .flops = 2 * n};
}

}  // namespace clipped_relu

KERNELBATCH_PLUGIN(clipped_relu::ClippedReluWorkload, "clipped_relu");
