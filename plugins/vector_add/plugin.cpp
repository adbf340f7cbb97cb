// What the workload `vector_add` declares.
#include "core/array/random.hpp"
#include "core/plugin/host_input.hpp"
#include "core/plugin/launch.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace vector_add {
namespace {

class VectorAddWorkload final : public kernelbatch::Workload {
 public:
  const kernelbatch::WorkloadInfo& info() const override { return info_; }

  double device_bytes(const kernelbatch::Params& params) const override {
    return 3.0 * static_cast<double>(params.integer("n")) *
           static_cast<double>(kernelbatch::size_of(params.dtype()));
  }

  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs& inputs) const override {
    const kernelbatch::ArrayForm form{params.dtype(), {params.integer("n")}};
    auto problem = std::make_unique<VectorAdd>();
    problem->a = kernelbatch::take_array(inputs, "vector_add", "a", form, [&] {
      return kernelbatch::random_uniform(form.dtype, form.shape, -1000, 1000, 1);
    });
    problem->b = kernelbatch::take_array(inputs, "vector_add", "b", form, [&] {
      return kernelbatch::random_uniform(form.dtype, form.shape, -1000, 1000, 2);
    });
    return problem;
  }

 private:
  kernelbatch::WorkloadInfo info_{
      .name = "vector_add",
      .version = "1",
      .summary = "sum of two vectors",
      .parameters = {kernelbatch::integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                     kernelbatch::choice_parameter("dtype", "float64",
                                                   {"int32", "int64", "float32", "float64"},
                                                   "type of the elements"),
                     kernelbatch::block_parameter(256), kernelbatch::items_per_thread_parameter(4)},
      .inputs = {{"a", "shape (n,); default: uniform in [-1000, 1000)"},
                 {"b", "shape (n,); default: uniform in [-1000, 1000)"}},
      .outputs = {{"c", "a + b"}},
      .variants = {
          {"reference", kernelbatch::VariantKind::kReference, "each element on all cores",
           reference},
          {"elementwise", kernelbatch::VariantKind::kElementwise, "one operation on every element",
           elementwise},
          {"reduction", kernelbatch::VariantKind::kReduction, "sum over the two rows of {a, b}",
           reduction},
          {"jit", kernelbatch::VariantKind::kJit, "grid-stride loop", jit},
          {"raw", kernelbatch::VariantKind::kRaw, "16-byte loads and stores, four in flight", raw},
          {"fused", kernelbatch::VariantKind::kFused, "the expression in one kernel", fused}}};
};

}  // namespace

std::vector<kernelbatch::OutputArray> VectorAdd::outputs() const {
  kernelbatch::Tolerance tolerance;
  tolerance.mode = kernelbatch::CompareMode::kExact;
  tolerance.reason = "one addition, rounded once";
  return {{.name = "c",
           .dtype = a.dtype(),
           .shape = a.shape(),
           .dimensions = {"element"},
           .help = "a + b",
           .tolerance = tolerance}};
}

kernelbatch::Cost VectorAdd::cost() const {
  const auto n = static_cast<double>(a.size());
  const auto item = static_cast<double>(kernelbatch::size_of(a.dtype()));
  return {.bytes_read = 2 * n * item, .bytes_written = n * item, .flops = n};
}

}  // namespace vector_add

KERNELBATCH_PLUGIN(vector_add::VectorAddWorkload, "vector_add");
