// Declaration of the workload `l2norm`.
#include <utility>
#include <vector>

#include "core/workload/host_input.hpp"
#include "plugins/l2norm/l2norm.hpp"
#include "plugins/l2norm/tuning.hpp"

namespace kernelbatch::workloads::l2norm {
namespace {

std::vector<ParameterDeclaration> parameters() {
  std::vector<ParameterDeclaration> all{
      integer_parameter("rows", 1000, 1, 1e9, "number of rows"),
      integer_parameter("cols", 1000, 1, 1e9, "number of columns"),
      choice_parameter("axis", "1", {"0", "1", "all"}, "the axis that goes"),
      choice_parameter("dtype", "float64", {"float32", "float64"},
                       "type of the elements and of the norms")};
  for (ParameterDeclaration& parameter : tuning_parameters()) all.push_back(std::move(parameter));
  return all;
}

}  // namespace

WorkloadInfo L2Norm::info() {
  return {.name = "l2norm",
          .version = "1",
          .summary = "Euclidean norm along an axis of a matrix",
          .parameters = parameters(),
          .inputs = {{"x", "default: normal", {"rows", "cols"}}},
          .outputs = {{"norm", "root of the sum of squares"}}};
}

double L2Norm::device_bytes(const Params& params) {
  return static_cast<double>(params.integer("rows")) * static_cast<double>(params.integer("cols")) *
         static_cast<double>(size_of(params.dtype()));
}

L2Norm::L2Norm(const Params& params, Inputs& inputs) {
  const std::int64_t rows = params.integer("rows"), cols = params.integer("cols");
  const ArrayForm form{params.dtype(), {rows, cols}};
  x = take_normal(inputs, "l2norm", "x", form, 0, 1, 1);
  if (params.text("axis") == "0") {
    length = rows;
    inner = cols;
  } else if (params.text("axis") == "1") {
    outer = rows;
    length = cols;
  } else {
    length = rows * cols;
  }
}

std::vector<OutputArray> L2Norm::outputs() const {
  Tolerance tolerance;
  tolerance.mode = CompareMode::kReduction;
  // Every variant sums in at least eight chains; the tree that joins them, the squares and the root
  // add a few dozen roundings. The root halves the relative error.
  tolerance.terms = static_cast<double>(length) / 16 + 36;
  tolerance.reason =
      "half the rounding bound of a sum of squares in at least 8 chains, and a square root";
  return {{.name = "norm",
           .dtype = x.dtype(),
           .shape = {outer * inner},
           .dimensions = {"vector"},
           .help = "root of the sum of squares",
           .tolerance = tolerance}};
}

Cost L2Norm::cost() const {
  const auto count = static_cast<double>(x.size());
  const auto item = static_cast<double>(size_of(x.dtype()));
  const auto norms = static_cast<double>(outer * inner);
  return {.bytes_read = count * item, .bytes_written = norms * item, .flops = 2 * count + norms};
}

}  // namespace kernelbatch::workloads::l2norm

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::l2norm::L2Norm>, "l2norm");
