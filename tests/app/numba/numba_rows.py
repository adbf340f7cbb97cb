"""Numba: numba_rows.py FOLDER writes the PTX of its kernel to FOLDER/numba_rows.ptx and launches it.

Each block subtracts the largest element of its row from the row."""

import os
import sys

import numpy

# Names that NumPy removed, and that Numba uses.
for old, new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(numpy, old):
        setattr(numpy, old, getattr(numpy, new))

from numba import cuda, float32  # noqa: E402

THREADS = 64


@cuda.jit
def subtract_largest(x, out):
    row, lane = cuda.blockIdx.x, cuda.threadIdx.x
    largest = cuda.shared.array(THREADS, float32)
    mine = x[row, 0]
    for k in range(lane, x.shape[1], THREADS):
        if x[row, k] > mine:
            mine = x[row, k]
    largest[lane] = mine
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if lane < step and largest[lane + step] > largest[lane]:
            largest[lane] = largest[lane + step]
        cuda.syncthreads()
        step //= 2
    for k in range(lane, x.shape[1], THREADS):
        out[row, k] = x[row, k] - largest[0]


host = numpy.array([[(row * 75 + k) * 37 % 101 / 8 - 6 for k in range(75)] for row in range(16)], numpy.float32)
x, out = cuda.to_device(host), cuda.to_device(numpy.zeros_like(host))
subtract_largest[16, THREADS](x, out)
assert (out.copy_to_host() == host - host.max(axis=1, keepdims=True)).all()
(text,) = subtract_largest.inspect_asm().values()
with open(os.path.join(sys.argv[1], "numba_rows.ptx"), "w", encoding="utf-8") as file:
    file.write(text)
