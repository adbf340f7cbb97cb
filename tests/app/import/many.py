"""Kernels as defined by users of CuPy, for `kernelbatch import`. This file is read, never run."""
import textwrap
from textwrap import dedent

import cupy
import cupy as cp
import cupyx
import numpy as np
from cupy import ElementwiseKernel as EK
from cupyx import jit

SCALE = 3
HELPER = "template <class A> __device__ A twice(A v) { return 2 * v; }\n"
LISTS = ("float32 x, float32 y", "float32 z")

gap = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * 2", "gap")
generic = EK("T u, T v", "T w", """
    T mid = (u + v) / 2;
    w = mid * mid;
""", "generic_mid")
plain_words = cupy.ElementwiseKernel(
    in_params="T x", out_params="T y, bool big", operation="y = twice(x) + OFFSET; big = x > T(0.5)",
    name="two_outputs", preamble=HELPER, options=("-DOFFSET=3",), reduce_dims=False, no_return=False, return_tuple=True)
raw_ends = EK("T x, raw T table", "T y", "y = x + table[_ind.size() - 1 - i]", "raw_ends")
all_raw = EK("raw T x", "raw T y", "y[i] = x[i] * 4", "all_raw")
result = all_raw(cp.ones(50), size=50)
ramp = EK("", "int64 r", "r = i * i", "ramp")
prepared = EK(*LISTS, "z = x + y", "starred")
looped = EK("float64 x", "float64 y", "y = x * factor", "looped",
            loop_prep="const double factor = 0.25;", after_loop="")
scaled = EK("float64 x, float64 s", "float64 y", "y = x * s", "scaled")
scaled(cp.arange(10.0), 2.5)
textured = EK("T x, U tex", "T y", "y = x + tex1D<T>(tex, i + 0.5f)", "textured")
later = EK("T x", "T y", open("operation.txt").read(), "later")

steps = EK("T x, float64 width, raw int32 table, raw int32 count", "T y", "y = x * step + table[i % count] * 0",
           "steps", loop_prep="const double step = width / _ind.size();")
norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
norms = norm(cp.ones((3, 4), "f4"), axis=1)
largest = cp.ReductionKernel("float64 x", "float64 top", "x", "max(a, b)", "top = a", None, "largest")
kept = cupy.ReductionKernel("int32 x", "int64 y", "(long long)x", "a + b", "y = a", identity=0,
                            name="kept", reduce_type="long long")
kept(cp.ones((5, 6), "i4"), axis=0, keepdims=True)

add_code = r"""
extern "C" __global__
void my_add(const float* x1, const float* x2, float* y) {
    int tid = blockDim.x * blockIdx.x + threadIdx.x;  // every thread has an element
    y[tid] = x1[tid] + x2[tid];
}
"""
add = cp.RawKernel(add_code, "my_add")
add((5,), (8,), (norms, norms, norms))
bounded = cupy.RawKernel(code=dedent("""\
    extern "C" __global__ void bounded(const double* __restrict__ x, double *y, double s, const int count) {
      const int k = blockIdx.x * blockDim.x + threadIdx.x;
      if (k < count) y[k] = s * x[k];
    }
    """), name="bounded", options=("-std=c++17",))
turn = cp.RawKernel('''
extern "C" __global__ void turn(const float* m, float* t, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) t[c * rows + r] = m[r * cols + c];
}''', "turn")
rotate = cp.RawKernel('''
#include <cupy/complex.cuh>
extern "C" __global__ void rotate(const complex<float>* a, complex<float>* b) {
  b[threadIdx.x] = a[threadIdx.x] * complex<float>(0, 1);
}''', "rotate")
rotate((1,), (16,), (None, None))

TYPES = ("float", "double")
negate_code = "template <class T> __global__ void negate(const T* x, T* y) { y[threadIdx.x] = " + "-x[threadIdx.x]; }"
negatives = cp.RawModule(code=negate_code, name_expressions=[f"negate<{each}>" for each in TYPES], jitify=TYPES is None)


class Filter:
    def __init__(self):
        self.module = cp.RawModule(code="""
            __constant__ float unused[2];
            extern "C" __global__ void scale(float* v, float factor) { v[threadIdx.x] += factor; }""")
        self.scale = self.module.get_function("scale")

    def run(self, v):
        self.scale((1,), (32,), (v, np.float32(0.5)))


class Other:
    def __init__(self):
        self.scale = EK("int32 x", "int32 y", "y = x %% %d" % 7, "modulo")

    def run(self, v):
        return self.scale(v)


module = cp.RawModule(code="""
template <typename T> __global__ void triple(T* v, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) v[k] = v[k] * 3 + 1;
}""", name_expressions=["triple<float>", "triple<double>"], options=("--std=c++11",))
triple_float = module.get_function("triple<float>")
triple_float((1,), (10,), (None, np.int32(10)))
pair = cp.RawModule(code="""
extern "C" {
__global__ void plus_one(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }
__global__ void minus_one(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] - 1; }
}""")


def again(xp):
    kernel = EK("int32 x", "int32 y", "y = x + 1", "first_of_name")
    kernel(xp.arange(4, dtype="i4"))
    kernel = EK("int32 x, int32 step", "int32 y", "y = x - step", "second_of_name")
    return kernel(xp.arange(4, dtype="i4"), 2)


@cp.fuse()
def bounded_ratio(x, y):
    return xp.minimum(x / (xp.abs(y) + 1), 1)


image = cp.RawModule(path="kernels.cubin")


@cp.fuse
def spread(x, y):
    """The square of a difference."""
    d = x - y
    return cp.sqrt(d * d + 1), cp.maximum(x, y)


@cupy.fuse(kernel_name="row_sums")
def sums(x):
    return cp.sum(x * x, axis=1)


@cupy.fuse()
def branching(x):
    if x > 0:
        return x
    return -x


@jit.rawkernel()
def copy(x, y, size):
    tid = jit.grid(1)
    if tid < size:
        y[tid] = x[tid]
