// Declaration of the workload `clipped_relu`.
#include <cmath>

#include "core/array/random.hpp"
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace kernelbatch::workloads::clipped_relu {
namespace {

class ClippedReluWorkload final : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  double device_bytes(const Params& params) const override {
    return 2.0 * static_cast<double>(params.integer("n")) *
           static_cast<double>(size_of(params.dtype()));
  }

  std::unique_ptr<Problem> make_problem(const Params& params, Inputs& inputs) const override {
    const ArrayForm form{params.dtype(), {params.integer("n")}};
    auto problem = std::make_unique<ClippedRelu>();
    problem->x = take_array(inputs, "clipped_relu", "x", form,
                            [&] { return random_uniform(form.dtype, form.shape, -10, 10, 1); });
    problem->cap = params.real("cap");
    if (!is_floating(form.dtype)) problem->cap = std::floor(problem->cap);
    return problem;
  }

 private:
  WorkloadInfo info_{
      .name = "clipped_relu",
      .version = "1",
      .summary = "rectified linear unit with a cap",
      .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                     choice_parameter("dtype", "float64", {"int32", "float32", "float64"},
                                      "type of the elements"),
                     real_parameter("cap", 6, 0, 1e6, "upper limit"), block_parameter(256),
                     items_per_thread_parameter(4)},
      .inputs = {{"x", "default: uniform in [-10, 10)", {"n"}}},
      .outputs = {{"y", "min(max(x, 0), cap)"}},
      .variants = {
          variant("reference", VariantKind::kReference, "each element on all cores", reference),
          variant("elementwise", VariantKind::kElementwise, "one operation on every element",
                  elementwise),
          variant("reduction", VariantKind::kReduction,
                  "maximum over an axis of length 1 with identity 0, capped in the post-map",
                  reduction),
          variant("jit", VariantKind::kJit, "grid-stride loop", jit),
          variant("raw", VariantKind::kRaw, "16-byte loads and stores, four in flight", raw),
          variant("fused", VariantKind::kFused, "the expression in one kernel", fused)}};
};

}  // namespace

std::vector<OutputArray> ClippedRelu::outputs() const {
  Tolerance tolerance;
  tolerance.mode = CompareMode::kExact;
  tolerance.reason = "comparisons do not round";
  return {{.name = "y",
           .dtype = x.dtype(),
           .shape = x.shape(),
           .dimensions = {"element"},
           .help = "min(max(x, 0), cap)",
           .tolerance = tolerance}};
}

Cost ClippedRelu::cost() const {
  const auto n = static_cast<double>(x.size());
  const auto item = static_cast<double>(size_of(x.dtype()));
  return {.bytes_read = 1 * n * item, .bytes_written = n * item, .flops = 2 * n};
}

}  // namespace kernelbatch::workloads::clipped_relu

KERNELBATCH_PLUGIN(kernelbatch::workloads::clipped_relu::ClippedReluWorkload, "clipped_relu");
