// What the workload `copy` declares.
#include "core/array/random.hpp"
#include "core/plugin/host_input.hpp"
#include "core/plugin/launch.hpp"
#include "plugins/copy/copy.hpp"

namespace copy {
namespace {

class CopyWorkload final : public kernelbatch::Workload {
 public:
  const kernelbatch::WorkloadInfo& info() const override { return info_; }

  double device_bytes(const kernelbatch::Params& params) const override {
    return 2.0 * static_cast<double>(params.integer("n")) *
           static_cast<double>(kernelbatch::size_of(params.dtype()));
  }

  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs& inputs) const override {
    const kernelbatch::ArrayForm form{params.dtype(), {params.integer("n")}};
    auto problem = std::make_unique<Copy>();
    problem->x = kernelbatch::take_array(inputs, "copy", "x", form, [&] {
      return kernelbatch::random_uniform(form.dtype, form.shape, 0, 100, 1);
    });
    return problem;
  }

 private:
  kernelbatch::WorkloadInfo info_{
      .name = "copy",
      .version = "1",
      .summary = "a copy: the speed of memory",
      .parameters = {kernelbatch::integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                     kernelbatch::choice_parameter("dtype", "float64",
                                                   {"uint8", "int32", "float32", "float64"},
                                                   "type of the elements"),
                     kernelbatch::block_parameter(256), kernelbatch::items_per_thread_parameter(4)},
      .inputs = {{"x", "shape (n,); default: uniform in [0, 100)"}},
      .outputs = {{"y", "x"}},
      .variants = {{"reference", kernelbatch::VariantKind::kReference, "each element on all cores",
                    reference},
                   {"elementwise", kernelbatch::VariantKind::kElementwise,
                    "one operation on every element", elementwise},
                   {"reduction", kernelbatch::VariantKind::kReduction, "over an axis of length 1",
                    reduction},
                   {"jit", kernelbatch::VariantKind::kJit, "grid-stride loop", jit},
                   {"raw", kernelbatch::VariantKind::kRaw,
                    "16-byte loads and stores, four in flight", raw}}};
};

}  // namespace

std::vector<kernelbatch::OutputArray> Copy::outputs() const {
  kernelbatch::Tolerance tolerance;
  tolerance.mode = kernelbatch::CompareMode::kExact;
  tolerance.reason = "nothing is computed";
  return {{.name = "y",
           .dtype = x.dtype(),
           .shape = x.shape(),
           .dimensions = {"element"},
           .help = "x",
           .tolerance = tolerance}};
}

kernelbatch::Cost Copy::cost() const {
  const auto n = static_cast<double>(x.size());
  const auto item = static_cast<double>(kernelbatch::size_of(x.dtype()));
  return {.bytes_read = 1 * n * item, .bytes_written = n * item, .flops = 0};
}

}  // namespace copy

KERNELBATCH_PLUGIN(copy::CopyWorkload, "copy");
