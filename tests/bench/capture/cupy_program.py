"""CuPy: elementwise, reduction, raw and fused kernels, cuBLAS."""

import cupy
from gate import rounds

x = cupy.random.RandomState(1).standard_normal((300, 500), dtype=cupy.float32)
raw = cupy.RawKernel(
    r"""extern "C" __global__ void twice(const float* x, float* y, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) y[k] = 2 * x[k];
}""",
    "twice",
)
squared = cupy.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
norm = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "euclidean_norm")


@cupy.fuse()
def fused(a, b):
    return cupy.exp(a) * b + 1


y = cupy.empty_like(x)
for k in rounds(wait=cupy.cuda.Device().synchronize):
    raw((600,), (256,), (x, y, cupy.int32(x.size)))
    squared(x, y), norm(x, axis=1), fused(x, y), x.sum(), x[::-1, ::2] + 1, x @ y.T
    cupy.sort(x[0]), cupy.where(x > 0, x, y)
    x = x + 1
cupy.cuda.Device().synchronize()
print("cupy done", cupy.__version__)
