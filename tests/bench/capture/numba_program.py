"""Numba: a kernel with shared memory and one over a matrix."""

import numpy

# Names that NumPy removed, and that Numba uses.
for old, new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(numpy, old):
        setattr(numpy, old, getattr(numpy, new))

from gate import rounds  # noqa: E402
from numba import cuda, float32  # noqa: E402


@cuda.jit
def add_scaled(x, y, out, a):
    k = cuda.grid(1)
    if k < x.size:
        out[k] = a * x[k] + y[k]


@cuda.jit
def transpose(x, out):
    tile = cuda.shared.array((16, 17), float32)
    row, column = cuda.grid(2)
    if row < x.shape[0] and column < x.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = x[row, column]
    cuda.syncthreads()
    if row < x.shape[0] and column < x.shape[1]:
        out[column, row] = tile[cuda.threadIdx.y, cuda.threadIdx.x]


host = numpy.random.RandomState(1).standard_normal(100000).astype(numpy.float32)
x, y = cuda.to_device(host), cuda.to_device(host[::-1].copy())
out = cuda.device_array_like(x)
matrix, turned = cuda.to_device(host[:64000].reshape(160, 400)), cuda.device_array((400, 160), numpy.float32)
for k in rounds(wait=cuda.synchronize):
    add_scaled[400, 256](x, y, out, numpy.float32(k + 1.5))
    transpose[(10, 25), (16, 16)](matrix, turned)
cuda.synchronize()
print("numba done")
