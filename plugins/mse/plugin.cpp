// Declaration of the workload `mse`.
#include <algorithm>

#include "core/base/error.hpp"
#include "core/workload/host_input.hpp"
#include "plugins/mse/mse.hpp"

namespace kernelbatch::workloads::mse {
namespace {

/// Required number of independent chains of additions in a variant's sum.
constexpr double kChains = 1024;

}  // namespace

WorkloadInfo Mse::info() {
  return {.name = "mse",
          .version = "1",
          .summary = "mean squared error of two vectors",
          .parameters = {integer_parameter("n", 1'000'000, 1, 1e11, "number of samples"),
                         choice_parameter("dtype", "float64", {"float32", "float64"},
                                          "type of the samples and of the sum"),
                         tuning_parameter(integer_parameter(
                             "blocks_per_unit", 4, 1, 32,
                             "blocks of the raw variant for each multiprocessor"))},
          .inputs = {{"y_true", "default: uniform in [0, 100)", {"n"}},
                     {"y_pred", "default: y_true plus normal noise of deviation 5", {"n"}}},
          .outputs = {{"mse", "the mean of the squared differences"}}};
}

double Mse::device_bytes(const Params& params) { return bytes_of_vectors(params, 2); }

Mse::Mse(const Params& params, Inputs& inputs) {
  const DType dtype = params.dtype();
  const Shape shape{params.integer("n")};
  y_true = inputs.take("y_true", [&] { return inputs.random().uniform(dtype, shape, 0, 100, 1); });
  y_pred = inputs.take("y_pred", [&] {
    Array noise = inputs.random().normal(dtype, shape, 0, 5, 2);
    dispatch(dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) {
        const auto from = y_true.as<T>();
        const auto to = noise.as<T>();
        for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k];
      }
    });
    return noise;
  });
  if (y_true.dtype() != dtype || y_pred.dtype() != dtype || !(y_true.shape() == shape) ||
      !(y_pred.shape() == shape))
    throw SpecError("mse: inputs y_true and y_pred must have shape (n,) and the job's dtype");
}

std::vector<OutputArray> Mse::outputs() const {
  Tolerance tolerance;
  tolerance.mode = CompareMode::kReduction;
  // Each chain adds at most n / 1024 squares; the tree that joins the chains, the difference, the
  // square and the division add a few dozen roundings.
  tolerance.terms = static_cast<double>(y_true.size()) / kChains + 64;
  tolerance.reason =
      "rounding bound of a sum of non-negative terms in at least 1024 chains, in the dtype of the "
      "samples";
  return {{.name = "mse", .dtype = y_true.dtype(), .shape = {}, .tolerance = tolerance}};
}

Cost Mse::cost() const {
  const auto n = static_cast<double>(y_true.size());
  const auto item = static_cast<double>(size_of(y_true.dtype()));
  return {.bytes_read = 2 * n * item, .bytes_written = item, .flops = 3 * n};
}

}  // namespace kernelbatch::workloads::mse

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::mse::Mse>, "mse");
