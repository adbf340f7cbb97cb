// mse in the elementwise style: a sum is no elementwise operation, so each element of a short
// vector sums a strided part of the long one, and ever shorter ones those sums.
#include "core/kernel/elementwise.hpp"

#include <algorithm>

#include "plugins/mse/mse.hpp"

namespace mse {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Mse&>(problem);
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const kernelbatch::DType dtype = in.y_true.dtype();
  // Every element of a later vector adds up 64 of the one before.
  const std::int64_t n = in.y_true.size();
  const auto sums = run.scratch(dtype, {std::min<std::int64_t>(n, 1 << 18)});
  const auto few_sums = run.scratch(dtype, {std::min<std::int64_t>(n, 1 << 12)});
  const auto last_sums = run.scratch(dtype, {std::min<std::int64_t>(n, 1 << 6)});

  // Neighbouring elements read neighbouring samples; four sums hide the time of an addition.
  const kernelbatch::ElementwiseKernel squares{"raw T y_true, raw T y_pred", "T sum",
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
  const kernelbatch::ElementwiseKernel add_up{"raw T part, float64 divisor", "T sum",
                                              R"(
    T total = 0;
    for (long long k = i; k < part.size(); k += n) total += part[k];
    sum = total / divisor)",
                                              "mse_add_up"};

  run.measure([&] {
    squares(run.stream(), y_true, y_pred, sums);
    add_up(run.stream(), sums, 1.0, few_sums);
    add_up(run.stream(), few_sums, 1.0, last_sums);
    add_up(run.stream(), last_sums, static_cast<double>(n), out);
  });
}

}  // namespace mse
