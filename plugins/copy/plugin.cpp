// Declaration of the workload `copy`.
#include "core/workload/launch.hpp"
#include "plugins/copy/copy.hpp"

namespace kernelbatch::workloads::copy {

WorkloadInfo Copy::info() {
  return {.name = "copy",
          .version = "1",
          .summary = "a copy: the speed of memory",
          .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                         dtype_parameter(Types{}, "float64"), block_parameter(256),
                         items_per_thread_parameter(4)},
          .inputs = {{"x", "default: uniform in [0, 100)", {"n"}}},
          .outputs = {{"y", "x"}}};
}

double Copy::device_bytes(const Params& params) { return bytes_of_vectors(params, 2); }

Copy::Copy(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("n")}};
  x = take_uniform(inputs, "copy", "x", form, 0, 100, 1);
}

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

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::copy::Copy>, "copy");
