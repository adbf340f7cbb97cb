"""The kernels of CuPy's guide on user-defined kernels, for `kernelbatch import`. This file is read, never run."""
import cupy
import cupy as cp
import numpy as np
from cupyx import jit

squared_diff = cp.ElementwiseKernel(
    'float32 x, float32 y',
    'float32 z',
    'z = (x - y) * (x - y)',
    'squared_diff')
squared_diff_generic = cp.ElementwiseKernel(
    'T x, T y',
    'T z',
    '''
        z = (x - y) * (x - y);
    ''',
    'squared_diff_generic')
squared_diff_super_generic = cp.ElementwiseKernel(
    'X x, Y y',
    'Z z',
    'z = (x - y) * (x - y)',
    'squared_diff_super_generic')
add_reverse = cp.ElementwiseKernel(
    'T x, raw T y', 'T z',
    'z = x + y[_ind.size() - i - 1]',
    'add_reverse')
ker = cp.ElementwiseKernel('T x, U tex', 'T y', 'y = x + tex1D<T>(tex, i)', 'with_texture')
l2norm_kernel = cp.ReductionKernel(
    'T x',  # input params
    'T y',  # output params
    'x * x',  # map
    'a + b',  # reduce
    'y = sqrt(a)',  # post-reduction map
    '0',  # identity value
    'l2norm'  # kernel name
)
x = cp.arange(10, dtype=np.float32).reshape(2, 5)
l2norm_kernel(x, axis=1)

add_kernel = cp.RawKernel(r'''
extern "C" __global__
void my_add(const float* x1, const float* x2, float* y) {
    int tid = blockDim.x * blockIdx.x + threadIdx.x;
    y[tid] = x1[tid] + x2[tid];
}
''', 'my_add')
x1 = cp.arange(25, dtype=cp.float32).reshape(5, 5)
x2 = cp.arange(25, dtype=cp.float32).reshape(5, 5)
y = cp.zeros((5, 5), dtype=cp.float32)
add_kernel((5,), (5,), (x1, x2, y))  # grid, block and arguments

complex_kernel = cp.RawKernel(r'''
#include <cupy/complex.cuh>
extern "C" __global__
void my_func(const complex<float>* x1, const complex<float>* x2,
             complex<float>* y, float a) {
    int tid = blockDim.x * blockIdx.x + threadIdx.x;
    y[tid] = x1[tid] + a * x2[tid];
}
''', 'my_func')
x1 = cupy.arange(25, dtype=cupy.complex64).reshape(5, 5)
complex_kernel((5,), (5,), (x1, x1, x1, cupy.float32(2.0)))

add_kernel = cp.RawKernel(r'''
extern "C" __global__
void needs_a_bound(const float* x, float* y, float2 v, int n) {
    int tid = blockDim.x * blockIdx.x + threadIdx.x;
    if (tid < n) y[tid] = x[tid] + v.x;
}
''', 'needs_a_bound')

loaded_from_source = r'''
extern "C"{

__global__ void test_sum(const float* x1, const float* x2, float* y, \
                         unsigned int N)
{
    unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
    if (tid < N)
    {
        y[tid] = x1[tid] + x2[tid];
    }
}

__global__ void test_multiply(const float* x1, const float* x2, float* y, \
                              unsigned int N)
{
    unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
    if (tid < N)
    {
        y[tid] = x1[tid] * x2[tid];
    }
}

}'''
module = cp.RawModule(code=loaded_from_source)
ker_sum = module.get_function('test_sum')
ker_times = module.get_function('test_multiply')
N = 10
x1 = cp.arange(N**2, dtype=cp.float32).reshape(N, N)
ker_sum((N,), (N,), (x1, x1, x1, N**2))
ker_times((N,), (N,), (x1, x1, x1, N**2))

code = r'''
template<typename T>
__global__ void fx3(T* arr, int N) {
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < N) {
        arr[tid] = arr[tid] * 3;
    }
}
'''
name_exp = ['fx3<float>', 'fx3<double>']
mod = cp.RawModule(code=code, options=('-std=c++11',), name_expressions=name_exp)
ker_float = mod.get_function(name_exp[0])
a = cp.arange(N, dtype=cp.float32)
ker_float((1,), (N,), (a, N))


@cp.fuse()
def squared_diff_fused(x, y):
    return (x - y) * (x - y)


@cp.fuse(kernel_name='sum_of_products')
def sum_of_products(x, y):
    return cp.sum(x * y, axis=-1)


shared_sum = cp.RawKernel(r'''
extern "C" __global__ void shared_sum(const float* x, float* total, int n) {
    __shared__ float part[128];
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = k < n ? x[k] : 0;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, part[0]);
}
''', 'shared_sum')
shared_sum((8,), (128,), (x, y, 1024))

# Every thread writes the same element: with sizes to guess it is a race.
last_thread = cp.RawKernel(r'''
extern "C" __global__ void last_thread(float* y) { y[0] = blockIdx.x * blockDim.x + threadIdx.x; }
''', 'last_thread')


@jit.rawkernel()
def elementwise_copy(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]
