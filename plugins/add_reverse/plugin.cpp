// Declaration of the workload `add_reverse`.
#include "core/array/random.hpp"
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace kernelbatch::workloads::add_reverse {
namespace {

class AddReverseWorkload final : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  double device_bytes(const Params& params) const override {
    return 3.0 * static_cast<double>(params.integer("n")) *
           static_cast<double>(size_of(params.dtype()));
  }

  std::unique_ptr<Problem> make_problem(const Params& params, Inputs& inputs) const override {
    const ArrayForm form{params.dtype(), {params.integer("n")}};
    auto problem = std::make_unique<AddReverse>();
    problem->x = take_array(inputs, "add_reverse", "x", form,
                            [&] { return random_uniform(form.dtype, form.shape, -1000, 1000, 1); });
    problem->y = take_array(inputs, "add_reverse", "y", form,
                            [&] { return random_uniform(form.dtype, form.shape, -1000, 1000, 2); });
    return problem;
  }

 private:
  WorkloadInfo info_{
      .name = "add_reverse",
      .version = "1",
      .summary = "sum of a vector and the reverse of another",
      .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                     choice_parameter("dtype", "float64", {"int32", "float32", "float64"},
                                      "type of the elements"),
                     block_parameter(256), items_per_thread_parameter(4)},
      .inputs = {{"x", "default: uniform in [-1000, 1000)", {"n"}},
                 {"y", "default: uniform in [-1000, 1000)", {"n"}}},
      .outputs = {{"z", "x[i] + y[n − 1 − i]"}},
      .variants = {
          variant("reference", VariantKind::kReference, "each element on all cores", reference),
          variant("elementwise", VariantKind::kElementwise, "y a raw array, indexed from its end",
                  elementwise),
          variant("reduction", VariantKind::kReduction, "sum of the two terms, y a raw array",
                  reduction),
          variant("jit", VariantKind::kJit, "grid-stride loop", jit),
          variant("raw", VariantKind::kRaw, "16-byte loads, reversed in registers", raw)}};
};

}  // namespace

std::vector<OutputArray> AddReverse::outputs() const {
  Tolerance tolerance;
  tolerance.mode = CompareMode::kExact;
  tolerance.reason = "one addition, rounded once";
  return {{.name = "z",
           .dtype = x.dtype(),
           .shape = x.shape(),
           .dimensions = {"element"},
           .help = "x[i] + y[n − 1 − i]",
           .tolerance = tolerance}};
}

Cost AddReverse::cost() const {
  const auto n = static_cast<double>(x.size());
  const auto item = static_cast<double>(size_of(x.dtype()));
  return {.bytes_read = 2 * n * item, .bytes_written = n * item, .flops = n};
}

}  // namespace kernelbatch::workloads::add_reverse

KERNELBATCH_PLUGIN(kernelbatch::workloads::add_reverse::AddReverseWorkload, "add_reverse");
