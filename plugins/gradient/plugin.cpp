// Declaration of the workload `gradient`.
#include "core/workload/launch.hpp"
#include "plugins/gradient/gradient.hpp"

namespace kernelbatch::workloads::gradient {

WorkloadInfo Gradient::info() {
  return {.name = "gradient",
          .version = "1",
          .summary = "central differences of a grid in both directions",
          .parameters = {integer_parameter("rows", 2048, 1, 1e6, "rows of the grid"),
                         integer_parameter("cols", 2048, 1, 1e6, "columns of the grid"),
                         dtype_parameter(Types{}, "float32"), block_parameter(256),
                         items_per_thread_parameter(1)},
          .inputs = {{"u", "default: uniform in [-1, 1)", {"rows", "cols"}}},
          .outputs = {{"dx", "half the difference of the right and left neighbours"},
                      {"dy", "half the difference of the neighbours below and above"}}};
}

double Gradient::device_bytes(const Params& params) {
  return 3.0 * static_cast<double>(params.integer("rows")) *
         static_cast<double>(params.integer("cols")) * static_cast<double>(size_of(params.dtype()));
}

Gradient::Gradient(const Params& params, Inputs& inputs) {
  u = take_uniform(inputs, "gradient", "u",
                   {params.dtype(), {params.integer("rows"), params.integer("cols")}}, -1, 1, 1);
}

std::vector<OutputArray> Gradient::outputs() const {
  Tolerance tolerance;
  tolerance.mode = CompareMode::kExact;
  tolerance.reason = "one subtraction, rounded once; halving is exact";
  const auto output = [&](const char* name, const char* help) {
    return OutputArray{.name = name,
                       .dtype = u.dtype(),
                       .shape = u.shape(),
                       .dimensions = {"y", "x"},
                       .help = help,
                       .tolerance = tolerance};
  };
  return {output("dx", "change along a row; a cell at the edge is its own outer neighbour"),
          output("dy", "change along a column")};
}

Cost Gradient::cost() const {
  const auto cells = static_cast<double>(u.size());
  const auto item = static_cast<double>(size_of(u.dtype()));
  return {.bytes_read = cells * item, .bytes_written = 2 * cells * item, .flops = 4 * cells};
}

}  // namespace kernelbatch::workloads::gradient

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::gradient::Gradient>,
                   "gradient");
