// mse in the elementwise style: a sum is no elementwise operation, so each element of a short vector
// sums a strided part of the long one, and a shorter one those sums.
#include <algorithm>

#include "core/kernel/elementwise.hpp"
#include "plugins/mse/mse.hpp"

namespace mse {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Mse&>(problem);
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const kernelbatch::DType dtype = in.y_true.dtype();
  const std::int64_t parts = std::min<std::int64_t>(in.y_true.size(), 1 << 18);
  const std::int64_t groups = std::min<std::int64_t>(parts, 1 << 9);
  const auto sums = run.scratch(dtype, {parts});
  const auto group_sums = run.scratch(dtype, {groups});

  // Neighbouring elements read neighbouring samples; four sums hide the time of an addition.
  const kernelbatch::ElementwiseKernel squares{
      "raw T y_true, raw T y_pred", "T sum",
      R"(
    T part[4] = {0, 0, 0, 0};
    long long k = i;
    for (; k + 3 * n < y_true.size(); k += 4 * n) {
      for (int j = 0; j < 4; ++j) {
        const T difference = y_pred[k + j * n] - y_true[k + j * n];
        part[j] += difference * difference;
      }
    }
    for (; k < y_true.size(); k += n) {
      const T difference = y_pred[k] - y_true[k];
      part[0] += difference * difference;
    }
    sum = (part[0] + part[1]) + (part[2] + part[3]))",
      "mse_squares"};
  const kernelbatch::ElementwiseKernel sum_strided{
      "raw T part", "T sum",
      "T total = 0; for (long long k = i; k < part.size(); k += n) total += part[k]; sum = total",
      "mse_sums"};
  const kernelbatch::ElementwiseKernel mean{
      "raw T part, float64 count", "T mse",
      "T total = 0; for (long long k = 0; k < part.size(); ++k) total += part[k]; mse = total / count",
      "mse_mean"};

  run.measure([&] {
    squares(run.stream(), y_true, y_pred, sums);
    sum_strided(run.stream(), sums, group_sums);
    mean(run.stream(), group_sums, static_cast<double>(in.y_true.size()), out);
  });
}

}  // namespace mse
