// Declaration of the workload `scaled_add`.
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace kernelbatch::workloads::scaled_add {

WorkloadInfo ScaledAdd::info() {
  return {.name = "scaled_add",
          .version = "1",
          .summary = "sum of two vectors times a number",
          .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                         choice_parameter("dtype", "float64", {"float32", "float64"},
                                          "type of the elements"),
                         real_parameter("scale", 2.5, -1e6, 1e6, "factor"), block_parameter(256),
                         items_per_thread_parameter(4)},
          .inputs = {{"a", "default: uniform in [-100, 100)", {"n"}},
                     {"b", "default: uniform in [-100, 100)", {"n"}}},
          .outputs = {{"out", "(a + b)·scale"}}};
}

double ScaledAdd::device_bytes(const Params& params) { return bytes_of_vectors(params, 3); }

ScaledAdd::ScaledAdd(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("n")}};
  a = take_uniform(inputs, "scaled_add", "a", form, -100, 100, 1);
  b = take_uniform(inputs, "scaled_add", "b", form, -100, 100, 2);
  scale = params.real("scale");
}

std::vector<OutputArray> ScaledAdd::outputs() const {
  Tolerance tolerance;
  tolerance.rtol = 4 * unit_roundoff(a.dtype());
  tolerance.reason =
      "one addition and one multiplication, each rounded once, and the rounding of the reference";
  return {{.name = "out",
           .dtype = a.dtype(),
           .shape = a.shape(),
           .dimensions = {"element"},
           .help = "(a + b)·scale",
           .tolerance = tolerance}};
}

Cost ScaledAdd::cost() const {
  const auto n = static_cast<double>(a.size());
  const auto item = static_cast<double>(size_of(a.dtype()));
  return {.bytes_read = 2 * n * item, .bytes_written = n * item, .flops = 2 * n};
}

}  // namespace kernelbatch::workloads::scaled_add

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::scaled_add::ScaledAdd>,
                   "scaled_add");
