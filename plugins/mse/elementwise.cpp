// mse in the elementwise style: sums are not elementwise, so each element of a short vector sums a
// strided part of the long one, and shorter vectors sum these sums.
#include <algorithm>

#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/mse/mse.hpp"

namespace kernelbatch::workloads::mse {

static Work elementwise(const Mse& in, Run& run) {
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const DType dtype = in.y_true.dtype();
  const std::int64_t n = in.y_true.size();
  const DeviceProperties& device = run.device().properties();
  // Four blocks per unit: several samples in flight per thread keep memory busy, and few sums
  // remain. Every element of a later vector adds up 64 of the previous one.
  const std::int64_t count =
      std::min(n, std::max<std::int64_t>(4 * device.compute_units * device.loop_block, 1 << 12));
  const auto fewer = [](std::int64_t sums) { return (sums + 63) / 64; };
  const auto sums = run.scratch(dtype, {count});
  const auto few_sums = run.scratch(dtype, {fewer(count)});
  const auto last_sums = run.scratch(dtype, {fewer(fewer(count))});

  // Neighbouring elements read neighbouring samples. Past the end the last sample is read again and
  // ignored, so that the loads need no branch and do not wait for each other.
  const ElementwiseKernel squares{{.in = "raw T y_true, raw T y_pred",
                                   .out = "T sum",
                                   .operation = R"(
    T part[4] = {0, 0, 0, 0};
    const long long last = y_true.size() - 1;
    for (long long k = i; k <= last; k += 8 * n) {
      T difference[8];
      for (int j = 0; j < 8; ++j) {
        const long long at = k + j * n <= last ? k + j * n : last;
        difference[j] = y_pred[at] - y_true[at];
      }
      for (int j = 0; j < 8; ++j)
        part[j % 4] += k + j * n <= last ? difference[j] * difference[j] : T(0);
    }
    sum = (part[0] + part[1]) + (part[2] + part[3]))",
                                   .name = "mse_squares"}};
  const ElementwiseKernel add_up{{.in = "raw T part, float64 divisor",
                                  .out = "T sum",
                                  .operation = R"(
    T total[4] = {0, 0, 0, 0};
    const long long last = part.size() - 1;
    for (long long k = i; k <= last; k += 16 * n) {
      T term[16];
      for (int j = 0; j < 16; ++j) term[j] = part[k + j * n <= last ? k + j * n : last];
      for (int j = 0; j < 16; ++j) total[j % 4] += k + j * n <= last ? term[j] : T(0);
    }
    sum = ((total[0] + total[1]) + (total[2] + total[3])) / divisor)",
                                  .name = "mse_add_up"}};

  return [=](Stream& stream) {
    squares(stream, y_true, y_pred, sums);
    add_up(stream, sums, 1.0, few_sums);
    add_up(stream, few_sums, 1.0, last_sums);
    add_up(stream, last_sums, static_cast<double>(n), out);
  };
}
static const Variant kElementwise{
    "elementwise", VariantKind::kElementwise,
    "each element of a short vector sums a strided part; twice more, until one is left",
    elementwise};

}  // namespace kernelbatch::workloads::mse
