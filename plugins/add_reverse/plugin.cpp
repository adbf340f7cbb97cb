// Declaration of the workload `add_reverse`.
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace kernelbatch::workloads::add_reverse {

WorkloadInfo AddReverse::info() {
  return {.name = "add_reverse",
          .version = "1",
          .summary = "sum of a vector and the reverse of another",
          .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of elements"),
                         choice_parameter("dtype", "float64", {"int32", "float32", "float64"},
                                          "type of the elements"),
                         block_parameter(256), items_per_thread_parameter(4)},
          .inputs = {{"x", "default: uniform in [-1000, 1000)", {"n"}},
                     {"y", "default: uniform in [-1000, 1000)", {"n"}}},
          .outputs = {{"z", "x[i] + y[n − 1 − i]"}}};
}

double AddReverse::device_bytes(const Params& params) { return bytes_of_vectors(params, 3); }

AddReverse::AddReverse(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("n")}};
  x = take_uniform(inputs, "add_reverse", "x", form, -1000, 1000, 1);
  y = take_uniform(inputs, "add_reverse", "y", form, -1000, 1000, 2);
}

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

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::add_reverse::AddReverse>,
                   "add_reverse");
