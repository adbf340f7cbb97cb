// l2norm in the elementwise style: each element of an array of partial sums adds up a strided part.
#include <algorithm>

#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/l2norm/l2norm.hpp"

namespace kernelbatch::workloads::l2norm {

static Work elementwise(const L2Norm& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto norm = run.output("norm");
  const std::int64_t norms = in.outer * in.inner;
  const std::int64_t pieces =
      std::clamp<std::int64_t>((1 << 18) / norms, 1, std::max<std::int64_t>(in.length / 64, 1));
  // Neighbouring threads read neighbouring elements: along a row neighbouring pieces, along a
  // column neighbouring norms.
  const auto parts = in.inner == 1 ? run.scratch(in.x.dtype(), {norms, pieces})
                                   : run.scratch(in.x.dtype(), {pieces, norms}).transpose();
  const ElementwiseKernel squares{{.in = "raw T x, int64 count, int64 inner, int64 pieces",
                                   .out = "T part",
                                   .operation = R"(
    const long long step = pieces * inner;
    const long long first = i0 / inner * count * inner + i0 % inner;
    const long long end = first + count * inner;
    T sums[8] = {};
    long long k = first + i1 * inner;
    for (; k + 7 * step < end; k += 8 * step)
      for (int j = 0; j < 8; ++j) sums[j] += x[k + j * step] * x[k + j * step];
    for (int j = 0; k < end; k += step, ++j) sums[j] += x[k] * x[k];
    part = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])))",
                                   .name = "l2norm_parts"}};
  // Reduce many sums to few before one element adds up the rest.
  const std::int64_t kept = std::min<std::int64_t>(pieces, 64);
  const auto few = in.inner == 1 ? run.scratch(in.x.dtype(), {norms, kept})
                                 : run.scratch(in.x.dtype(), {kept, norms}).transpose();
  const ElementwiseKernel fewer{{.in = "raw T part, int64 pieces, int64 kept",
                                 .out = "T sum",
                                 .operation = R"(
    T sums[8] = {};
    long long k = i1;
    for (; k + 7 * kept < pieces; k += 8 * kept)
      for (int j = 0; j < 8; ++j) sums[j] += part[{i0, k + j * kept}];
    for (; k < pieces; k += kept) sums[0] += part[{i0, k}];
    sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])))",
                                 .name = "l2norm_fewer"}};
  const ElementwiseKernel add_up{{.in = "raw T part, int64 pieces",
                                  .out = "T norm",
                                  .operation = R"(
    T sums[8] = {};
    long long k = 0;
    for (; k + 7 < pieces; k += 8)
      for (int j = 0; j < 8; ++j) sums[j] += part[{i, k + j}];
    for (; k < pieces; ++k) sums[0] += part[{i, k}];
    norm = sqrt(((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))))",
                                  .name = "l2norm_add_up"}};

  return [=, &in](Stream& stream) {
    squares(stream, x, in.length, in.inner, pieces, parts);
    if (kept < pieces) fewer(stream, parts, pieces, kept, few);
    add_up(stream, kept < pieces ? few : parts, kept, norm);
  };
}
static const Variant kElementwise{
    "elementwise", VariantKind::kElementwise,
    "each element of an array of partial sums adds up a strided part; then those are added up",
    elementwise};

}  // namespace kernelbatch::workloads::l2norm
