// matmul in the elementwise style: each element a scalar product.
#include "core/kernel/elementwise.hpp"

#include "plugins/matmul/matmul.hpp"

namespace matmul {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Matmul&>(problem);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const kernelbatch::ElementwiseKernel kernel{"raw T a, raw T b", "T c", R"(
    const long long depth = a.shape()[1];
    const long long columns = b.shape()[1];
    const long long row = i0 * depth;
    T sum = 0;
    for (long long k = 0; k < depth; ++k) sum += a[row + k] * b[k * columns + i1];
    c = sum)",
                                              "matmul_elementwise"};

  run.measure([&] { kernel(run.stream(), a, b, c); });
}

}  // namespace matmul
