// Declaration of the workload `clipped_relu`.
#include <cmath>

#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace kernelbatch::workloads::clipped_relu {

WorkloadInfo ClippedRelu::info() {
  return {.name = "clipped_relu",
          .version = "1",
          .summary = "rectified linear unit with a cap",
          .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                         choice_parameter("dtype", "float64", {"int32", "float32", "float64"},
                                          "type of the elements"),
                         real_parameter("cap", 6, 0, 1e6, "upper limit"), block_parameter(256),
                         items_per_thread_parameter(4)},
          .inputs = {{"x", "default: uniform in [-10, 10)", {"n"}}},
          .outputs = {{"y", "min(max(x, 0), cap)"}}};
}

double ClippedRelu::device_bytes(const Params& params) { return bytes_of_vectors(params, 2); }

ClippedRelu::ClippedRelu(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("n")}};
  x = take_uniform(inputs, "clipped_relu", "x", form, -10, 10, 1);
  cap = params.real("cap");
  if (!is_floating(form.dtype)) cap = std::floor(cap);
}

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

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::clipped_relu::ClippedRelu>,
                   "clipped_relu");
