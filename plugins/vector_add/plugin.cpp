// Declaration of the workload `vector_add`.
#include "core/workload/launch.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace kernelbatch::workloads::vector_add {

WorkloadInfo VectorAdd::info() {
  return {.name = "vector_add",
          .version = "1",
          .summary = "sum of two vectors",
          .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                         dtype_parameter(Types{}, "float64"), block_parameter(256),
                         items_per_thread_parameter(4)},
          .inputs = {{"a", "default: uniform in [-1000, 1000)", {"n"}},
                     {"b", "default: uniform in [-1000, 1000)", {"n"}}},
          .outputs = {{"c", "a + b"}}};
}

double VectorAdd::device_bytes(const Params& params) { return bytes_of_vectors(params, 3); }

VectorAdd::VectorAdd(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("n")}};
  a = take_uniform(inputs, "vector_add", "a", form, -1000, 1000, 1);
  b = take_uniform(inputs, "vector_add", "b", form, -1000, 1000, 2);
}

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

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::vector_add::VectorAdd>,
                   "vector_add");
