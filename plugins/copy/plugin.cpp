// What the workload `copy` declares.
#include "core/array/random.hpp"
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/copy/copy.hpp"

namespace kernelbatch::workloads::copy {
namespace {

class CopyWorkload final : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  double device_bytes(const Params& params) const override {
    return 2.0 * static_cast<double>(params.integer("n")) *
           static_cast<double>(size_of(params.dtype()));
  }

  std::unique_ptr<Problem> make_problem(const Params& params, Inputs& inputs) const override {
    const ArrayForm form{params.dtype(), {params.integer("n")}};
    auto problem = std::make_unique<Copy>();
    problem->x = take_array(inputs, "copy", "x", form,
                            [&] { return random_uniform(form.dtype, form.shape, 0, 100, 1); });
    return problem;
  }

 private:
  WorkloadInfo info_{
      .name = "copy",
      .version = "1",
      .summary = "a copy: the speed of memory",
      .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                     choice_parameter("dtype", "float64", {"uint8", "int32", "float32", "float64"},
                                      "type of the elements"),
                     block_parameter(256), items_per_thread_parameter(4)},
      .inputs = {{"x", "default: uniform in [0, 100)", {"n"}}},
      .outputs = {{"y", "x"}},
      .variants = {
          variant("reference", VariantKind::kReference, "each element on all cores", reference),
          variant("elementwise", VariantKind::kElementwise, "one operation on every element",
                  elementwise),
          variant("reduction", VariantKind::kReduction, "over an axis of length 1", reduction),
          variant("jit", VariantKind::kJit, "grid-stride loop", jit),
          variant("raw", VariantKind::kRaw, "16-byte loads and stores, four in flight", raw)}};
};

}  // namespace

std::vector<OutputArray> Copy::outputs() const {
  Tolerance tolerance;
  tolerance.mode = CompareMode::kExact;
  tolerance.reason = "nothing is computed";
  return {{.name = "y",
           .dtype = x.dtype(),
           .shape = x.shape(),
           .dimensions = {"element"},
           .help = "x",
           .tolerance = tolerance}};
}

Cost Copy::cost() const {
  const auto n = static_cast<double>(x.size());
  const auto item = static_cast<double>(size_of(x.dtype()));
  return {.bytes_read = 1 * n * item, .bytes_written = n * item, .flops = 0};
}

}  // namespace kernelbatch::workloads::copy

KERNELBATCH_PLUGIN(kernelbatch::workloads::copy::CopyWorkload, "copy");
