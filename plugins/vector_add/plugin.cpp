// What the workload `vector_add` declares.
#include "core/array/random.hpp"
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace kernelbatch::workloads::vector_add {
namespace {

class VectorAddWorkload final : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  double device_bytes(const Params& params) const override {
    return 3.0 * static_cast<double>(params.integer("n")) *
           static_cast<double>(size_of(params.dtype()));
  }

  std::unique_ptr<Problem> make_problem(const Params& params, Inputs& inputs) const override {
    const ArrayForm form{params.dtype(), {params.integer("n")}};
    auto problem = std::make_unique<VectorAdd>();
    problem->a = take_array(inputs, "vector_add", "a", form,
                            [&] { return random_uniform(form.dtype, form.shape, -1000, 1000, 1); });
    problem->b = take_array(inputs, "vector_add", "b", form,
                            [&] { return random_uniform(form.dtype, form.shape, -1000, 1000, 2); });
    return problem;
  }

 private:
  WorkloadInfo info_{
      .name = "vector_add",
      .version = "1",
      .summary = "sum of two vectors",
      .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                     choice_parameter("dtype", "float64", {"int32", "int64", "float32", "float64"},
                                      "type of the elements"),
                     block_parameter(256), items_per_thread_parameter(4)},
      .inputs = {{"a", "default: uniform in [-1000, 1000)", {"n"}},
                 {"b", "default: uniform in [-1000, 1000)", {"n"}}},
      .outputs = {{"c", "a + b"}},
      .variants = {
          variant("reference", VariantKind::kReference, "each element on all cores", reference),
          variant("elementwise", VariantKind::kElementwise, "one operation on every element",
                  elementwise),
          variant("reduction", VariantKind::kReduction, "sum over the two rows of {a, b}",
                  reduction),
          variant("jit", VariantKind::kJit, "grid-stride loop", jit),
          variant("raw", VariantKind::kRaw, "16-byte loads and stores, four in flight", raw),
          variant("fused", VariantKind::kFused, "the expression in one kernel", fused)}};
};

}  // namespace

std::vector<OutputArray> VectorAdd::outputs() const {
  Tolerance tolerance;
  tolerance.mode = CompareMode::kExact;
  tolerance.reason = "one addition, rounded once";
  return {{.name = "c",
           .dtype = a.dtype(),
           .shape = a.shape(),
           .dimensions = {"element"},
           .help = "a + b",
           .tolerance = tolerance}};
}

Cost VectorAdd::cost() const {
  const auto n = static_cast<double>(a.size());
  const auto item = static_cast<double>(size_of(a.dtype()));
  return {.bytes_read = 2 * n * item, .bytes_written = n * item, .flops = n};
}

}  // namespace kernelbatch::workloads::vector_add

KERNELBATCH_PLUGIN(kernelbatch::workloads::vector_add::VectorAddWorkload, "vector_add");
