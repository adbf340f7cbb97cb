"""Raw kernels and modules: arguments, launches, memory, options, templates."""
import numpy as np

from table import View, numbers, out, raw, scalar, upto

X = numbers("f4", 40)
Y = numbers("f4", 40, seed=2)
XY = {"x": X, "y": Y}
Z = {"z": out([40], "float32")}
N = scalar("x.size", "int32")
HEAD = 'extern "C" __global__ void '
AT = "const int k = blockDim.x * blockIdx.x + threadIdx.x;\n"

raw(
    "bounded", "a bound that the last block needs", HEAD +
    "mix(const float* x, const float* y, float* z, unsigned int n) {\n" + AT + "if (k < n) z[k] = 2 * x[k] - y[k];\n}",
    "mix", ([2], [32]), ["x", "y", "z", scalar("x.size", "uint32")], XY, lambda x, y: 2 * x - y, outputs=Z)
raw("grid_expression", "blocks by the number of elements",
    HEAD + "f(const float* x, float* z, int n) {\n" + AT + "if (k < n) z[k] = -x[k];\n}", "f",
    (["ceil(x.size / 16)"], [16]), ["x", "z", N], XY | {}, lambda x: -x, outputs=Z)
raw(
    "two_axes", "a grid and blocks of two axes: a transposition",
    HEAD + "turn(const double* m, double* t, int rows, int cols) {\n"
    "  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "  if (r < rows && c < cols) t[c * rows + r] = m[r * cols + c];\n}", "turn", ([3, 2], [4, 8]),
    ["m", "t", scalar(11, "int32"), scalar(9, "int32")], {"m": numbers("f8", 11, 9)}, lambda m: m.T.copy(),
    outputs={"t": out([9, 11], "float64")})
raw(
    "three_axes", "a grid and blocks of three axes",
    HEAD + "place(int* p) {\n  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
    "threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;\n"
    "  p[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = 100 * z + 10 * y + x;\n}", "place",
    ([2, 1, 2], [2, 3, 1]), ["p"], {}, lambda:
    (100 * np.arange(2)[:, None, None] + 10 * np.arange(3)[:, None] + np.arange(4)).astype("i4"),
    outputs={"p": out([2, 3, 4], "int32")})
MACROS = """
#ifndef WIDE
#define WIDE 1
#endif
#if WIDE == 1
#define REAL double
#elif WIDE == 0
#define REAL float
#else
#error no such width
#endif
extern "C" __global__ void halve(const REAL* x, REAL* z) { z[threadIdx.x] = x[threadIdx.x] / 2; }
"""
raw("macro_default", "a macro without an option", MACROS, "halve", ([1], [9]), ["x", "z"], {"x": numbers("f8", 9)},
    lambda x: x / 2, outputs={"z": out([9], "float64")})
raw("macro_option", "a macro of an option", MACROS, "halve", ([1], [9]), ["x", "z"], {"x": numbers("f4", 9)},
    lambda x: x / 2, outputs={"z": out([9], "float32")}, options=["-DWIDE=0"])
raw("macro_error", "#error by an option", MACROS, "halve", ([1], [9]), ["x", "z"], {"x": numbers("f8", 9)},
    outputs={"z": out([9], "float64")}, options=["-DWIDE=7"], fails="no such width")
raw("macro_short", "a source that defines N and T",
    "#define N 40\n#define T float\n" + HEAD + "f(const T* x, T* z) {\n" + AT + "if (k < N) z[k] = x[k] + N;\n}", "f",
    ([2], [32]), ["x", "z"], {"x": X}, lambda x: x + 40, outputs=Z)
raw("unknown_option", "an option that no compiler has", HEAD + "f(float* z) { *z = 1; }", "f", ([1], [1]), ["z"], {},
    outputs={"z": out([1], "float32")}, options=["-no-such-option"], fails="no-such-option")
MODULE = """
extern "C" {
__global__ void plus(const float* x, const float* y, float* z, int n) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) z[k] = x[k] + y[k];
}
__global__ void times(const float* x, const float* y, float* z, int n) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) z[k] = x[k] * y[k];
}
}
"""
raw("module_first", "the first kernel of a module", MODULE, "plus", ([2], [7]), ["x", "y", "z", N], XY,
    lambda x, y: x + y, outputs=Z)
raw("module_second", "the second kernel of a module", MODULE, "times", ([2], [7]), ["x", "y", "z", N], XY,
    lambda x, y: x * y, outputs=Z)
TEMPLATE = "template <typename T, int M>\n__global__ void scale(T* v, int n) {\n" + AT + "if (k < n) v[k] *= M;\n}"
for dtype, cxx in (("float32", "float"), ("float64", "double"), ("int64", "long long")):
    raw(f"template_{dtype}", f"an instance of a template by its name, for {dtype}", TEMPLATE, f"scale<{cxx}, 3>",
        ([1], [16]), ["v", scalar(9, "int32")], {"start": numbers(dtype, 9)}, lambda start: start * 3,
        outputs={"v": {"fill": "start"}},
        name_expressions=["scale<float, 3>", "scale<double, 3>", "scale<long long, 3>"])
raw("template_missing", "an instance that is not listed", TEMPLATE, "scale<int, 3>", ([1], [16]),
    ["v", scalar(9, "int32")], {}, outputs={"v": out([9], "int32")}, name_expressions=["scale<float, 3>"],
    refused="scale<int, 3>|name_expressions")
raw(
    "template_type", "a type as the argument of a template",
    "struct Twice { template <class T> __device__ static T of(T v) { return 2 * v; } };\n"
    "template <class F>\n__global__ void map(const float* x, float* z) { z[threadIdx.x] = F::of(x[threadIdx.x]); }",
    "map<Twice>", ([1], [40]), ["x", "z"], {"x": X}, lambda x: 2 * x, outputs=Z, name_expressions=["map<Twice>"])
raw("plain_cxx", "a kernel without extern C by an expression",
    "__global__ void root(double* v) { v[threadIdx.x] = sqrt(v[threadIdx.x]); }", "root", ([1], [5]), ["v"],
    {"start": upto("f8", 5)}, lambda start: np.sqrt(start), outputs={"v": {"fill": "start"}}, name_expressions=["root"])
raw(
    "constant_memory", "constant memory that is set before",
    "__constant__ float taps[3];\n" + HEAD + "filter(const float* x, float* z, int n) {\n" + AT +
    "if (k >= 1 && k < n - 1) z[k] = taps[0] * x[k - 1] + taps[1] * x[k] + taps[2] * x[k + 1];\n}", "filter",
    ([2], [32]), ["x", "z", N], {"x": X, "weights": np.array([1, -2, 1], "f4")},
    lambda x, weights: np.concatenate([[np.float32(5)], x[:-2] - 2 * x[1:-1] + x[2:], [np.float32(5)]]).astype("f4"),
    outputs={"z": out([40], "float32", fill=5)}, globals={"taps": "weights"})
raw(
    "device_variable", "a variable of the module is read after", "__device__ unsigned int seen[1];\n" + HEAD +
    "count(const float* x) { if (x[threadIdx.x] > 0) atomicAdd(seen, 1u); }", "count", ([1], [40]), ["x"], {"x": X},
    lambda x: np.array([(x > 0).sum()], "u4"), outputs={"total": out([1], "uint32", fill=0)}, globals={"seen": "total"})
raw(
    "complex_header", "complex<float> by its header", "#include <kernelbatch/complex.cuh>\n" + HEAD +
    "axpy(const complex<float>* a, const complex<float>* b, complex<float>* c, float s) {\n" + AT +
    "c[k] = a[k] + s * conj(b[k]);\n}", "axpy", ([3], [4]), ["a", "b", "c", scalar(2.0, "float32")],
    {"a": numbers("c8", 12), "b": numbers("c8", 12, seed=2)}, lambda a, b: a + 2 * b.conj(),
    outputs={"c": out([12], "complex64")})
for name, call, answer in (("add", "cuCadd(a[k], b[k])", lambda a, b: a + b),
                           ("sub", "cuCsub(a[k], b[k])", lambda a, b: a - b), ("mul", "cuCmul(a[k], b[k])",
                                                                               lambda a, b: a * b),
                           ("div", "cuCdiv(a[k], b[k])", lambda a, b: a / b), ("fma", "cuCfma(a[k], b[k], a[k])",
                                                                               lambda a, b: a * b + a),
                           ("parts", "make_cuDoubleComplex(cuCreal(a[k]), -3. * cuCimag(b[k]))",
                            lambda a, b: a.real - 3j * b.imag)):
    raw(
        f"cucomplex_{name}", "cuComplex.h: " + call, "#include <cuComplex.h>\n" + HEAD +
        f"f(const cuDoubleComplex* a, const cuDoubleComplex* b, cuDoubleComplex* c) {{ const int k = "
        f"threadIdx.x; c[k] = {call}; }}", "f", ([1], [8]), ["a", "b", "c"],
        {"a": numbers("c16", 8), "b": numbers("c16", 8, seed=2, low=1)}, answer, outputs={"c": out([8], "complex128")},
        translate_cucomplex=True)
raw(
    "cucomplex_untranslated", "cuComplex.h as it is", "#include <cuComplex.h>\n" + HEAD +
    "f(const cuFloatComplex* a, cuFloatComplex* c, float* r) { const int k = threadIdx.x; c[k] = cuCmulf(a[k], "
    "cuConjf(a[k])); r[k] = cuCabsf(a[k]); }", "f", ([1], [8]), ["a", "c", "r"], {"a": numbers("c8", 8)},
    lambda a: {"c": a * a.conj(), "r": np.abs(a)},
    outputs={"c": out([8], "complex64"), "r": out([8], "float32")})
raw("untyped_pointer", "void* that the kernel casts",
    HEAD + "f(void* v, int n) {\n  double* d = (double*)v;\n" + AT + "if (k < n) d[k] = 3.0 * d[k] - 8.0;\n}", "f",
    ([1], [16]), ["v", scalar(10, "int32")], {"start": upto("f8", 10)}, lambda start: 3 * start - 8,
    outputs={"v": {"fill": "start"}})
raw(
    "vectors_of_three", "an array seen as float3",
    "extern \"C\" __global__ void f(const void* p, float* length) { const float3 v = ((const "
    "float3*)p)[threadIdx.x]; length[threadIdx.x] = norm3df(v.x, v.y, v.z); }", "f", ([1], [6]), ["p", "length"],
    {"p": numbers("f4", 6, 3)}, lambda p: np.sqrt(
        (p * p).sum(1)), outputs={"length": out([6], "float32")})
raw(
    "struct_in_array", "a struct of the source over the bytes of an array", "struct Cell { int id; float value; };\n" +
    HEAD + "f(const void* cells, float* z) { const Cell c = ((const Cell*)cells)[threadIdx.x]; z[c.id] = c.value; }",
    "f", ([1], [4]), ["cells", "z"], {
        "cells":
            np.array([2, 0, 3, 1], "i4").repeat(2) * 0 +
            np.stack([np.array([2, 0, 3, 1], "i4"),
                      np.array([1.5, 2.5, 3.5, 4.5], "f4").view("i4")], 1).ravel()
    }, lambda: np.array([2.5, 4.5, 1.5, 3.5], "f4"), outputs={"z": out([4], "float32")})
for dtype, cxx in (("bool", "bool"), ("int8", "signed char"), ("uint16", "unsigned short"), ("int64", "long long"),
                   ("uint64", "unsigned long long"), ("float64", "double"), ("float32", "float"), ("complex128",
                                                                                                   "complex<double>")):
    raw(f"scalar_{dtype}", f"an array and a scalar of {dtype} for {cxx}",
        ("#include <kernelbatch/complex.cuh>\n" if "complex" in cxx else "") + HEAD +
        f"put(const {cxx}* x, {cxx}* z, {cxx} s) {{ z[threadIdx.x] = threadIdx.x % 2 ? x[threadIdx.x] : s; }}", "put",
        ([1], [6]), ["x", "z", scalar({"bool": True, "complex128": "1+2j"}.get(dtype, 3), dtype)],
        {"x": numbers(dtype, 6)},
        lambda x: np.where(np.arange(6) % 2, x, x.dtype.type(1 + 2j if x.dtype.kind == "c" else 3)),
        outputs={"z": out([6], dtype)})
raw(
    "half", "half with cuda_fp16.h", "#include <cuda_fp16.h>\n" + HEAD +
    "f(const half* x, half* z) { const int k = threadIdx.x; z[k] = __hadd(x[k], __float2half(1.5f)); }", "f",
    ([1], [8]), ["x", "z"], {"x": numbers("f2", 8)}, lambda x: x + np.float16(1.5), outputs={"z": out([8], "float16")})
raw(
    "shared_static", "shared memory: blocks reversed",
    HEAD + "f(const float* x, float* z) {\n  __shared__ float room[8];\n" + AT +
    "room[threadIdx.x] = x[k];\n__syncthreads();\nz[k] = room[blockDim.x - 1 - threadIdx.x];\n}", "f", ([5], [8]),
    ["x", "z"], {"x": X}, lambda x: x.reshape(5, 8)[:, ::-1].ravel(), outputs=Z)
raw(
    "shared_called_static", "shared memory of a fixed size, called static",
    HEAD + "f(const float* x, float* z) {\n  static __shared__ float room[8];\n" + AT +
    "room[threadIdx.x] = x[k];\n__syncthreads();\nz[k] = room[threadIdx.x ^ 1];\n}", "f", ([5], [8]), ["x", "z"],
    {"x": X}, lambda x: x.reshape(20, 2)[:, ::-1].ravel(), outputs=Z)
raw(
    "shared_dynamic", "shared memory of a size given by the launch",
    HEAD + "f(const float* x, float* z) {\n  extern __shared__ float room[];\n" + AT +
    "room[threadIdx.x] = x[k];\n__syncthreads();\nz[k] = room[(threadIdx.x + 3) % blockDim.x];\n}", "f", ([4], [10]),
    ["x", "z"], {"x": X}, lambda x: np.roll(x.reshape(4, 10), -3, 1).ravel(), outputs=Z, shared_mem="10 * 4")
raw(
    "tiled_product", "a product of matrices in tiles, as the gemm example",
    HEAD + "gemm(int m, int n, int k, const float* a, const float* b, float* c) {\n"
    "  __shared__ float sa[8][8], sb[8][8];\n  const int r = blockIdx.y * 8 + threadIdx.y, q = blockIdx.x * 8 "
    "+ threadIdx.x;\n  float s = 0;\n"
    "  for (int t = 0; t < k; t += 8) {\n    sa[threadIdx.y][threadIdx.x] = r < m && t + threadIdx.x < k ? a[r "
    "* k + t + threadIdx.x] : 0;\n"
    "    sb[threadIdx.y][threadIdx.x] = t + threadIdx.y < k && q < n ? b[(t + threadIdx.y) * n + q] : 0;\n"
    "    __syncthreads();\n"
    "    for (int j = 0; j < 8; ++j) s += sa[threadIdx.y][j] * sb[j][threadIdx.x];\n    __syncthreads();\n  }\n"
    "  if (r < m && q < n) c[r * n + q] = s;\n}", "gemm", (["ceil(13 / 8)", "ceil(10 / 8)"], [8, 8]),
    [scalar(10, "int32"), scalar(13, "int32"),
     scalar(17, "int32"), "a", "b", "c"], {"a": numbers("f4", 10, 17), "b": numbers("f4", 17, 13, seed=2)},
    lambda a, b: a @ b, outputs={"c": out([10, 13], "float32")})
raw(
    "warp_sum", "sums of a warp by shuffles",
    HEAD + "f(const float* x, float* z) {\n  float v = x[blockIdx.x * 32 + threadIdx.x];\n"
    "  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);\n"
    "  if (threadIdx.x == 0) z[blockIdx.x] = v;\n}", "f", ([3], [32]), ["x", "z"], {"x": numbers("f4", 96)},
    lambda x: x.reshape(3, 32).sum(1), outputs={"z": out([3], "float32")})
raw(
    "atomics", "atomics of several kinds on one array",
    HEAD + "f(const int* x, int* r) {\n  const int v = x[threadIdx.x];\n"
    "  atomicAdd(r, v); atomicMax(r + 1, v); atomicMin(r + 2, v); atomicOr(r + 3, v); atomicXor(r + 4, v); "
    "atomicSub(r + 5, v);\n}", "f", ([1], [100]), ["x", "r"], {"x": numbers("i4", 100, low=0, high=90)},
    lambda x: np.array([x.sum(
    ), x.max(), min(x.min(), 0),
                        np.bitwise_or.reduce(x),
                        np.bitwise_xor.reduce(x), -x.sum()], "i4"), outputs={"r": out([6], "int32", fill=0)})
raw(
    "grid_sync", "all blocks wait for each other", "#include <cooperative_groups.h>\n" + HEAD +
    "f(const float* x, float* part, float* z) {\n  auto all = cooperative_groups::this_grid();\n" + AT +
    "part[k] = 2 * x[k];\nall.sync();\nz[k] = part[(k + 8) % 40];\n}", "f", ([5], [8]), ["x", "part", "z"], {"x": X},
    lambda x: {"z": np.roll(2 * x, -8)}, outputs={"part": out([40], "float32"), **Z}, cooperative=True, only="cuda")
raw("texture", "a texture with linear filter, as cupy's texture tests",
    HEAD + "f(cudaTextureObject_t tex, float* z) { z[threadIdx.x] = tex1D<float>(tex, threadIdx.x + 1.0f); }", "f",
    ([1], [7]), ["tex", "z"], {"line": numbers("f4", 8)}, lambda line: (line[:-1] + line[1:]) / 2,
    outputs={"z": out([7], "float32")}, textures={"tex": {"of": "line", "filter": "linear"}})
raw(
    "surface", "a surface that is written",
    HEAD + "f(const float* x, cudaSurfaceObject_t s) { surf2Dwrite(x[threadIdx.y * 4 + threadIdx.x] + 1, s, "
    "(int)(threadIdx.x * sizeof(float)), threadIdx.y); }", "f", ([1], [4, 3]), ["x", "s"], {"x": numbers("f4", 3, 4)},
    lambda x: x + 1, outputs={"grown": out([3, 4], "float32")}, surfaces={"s": {"of": "grown"}})
raw(
    "standard_header", "a header of the C++ library",
    "#include <type_traits>\ntemplate <class T>\n__global__ void f(T* z) { z[0] = "
    "std::is_floating_point<T>::value; z[1] = std::is_same<T, double>::value; }", "f<double>", ([1], [1]), ["z"], {},
    lambda: np.array([1.0, 1.0]), outputs={"z": out([2],
                                                    "float64")}, name_expressions=["f<double>"], options=["-std=c++17"])
raw(
    "strided_view", "a view with strides for array_view", "#include <kernelbatch/device.hpp>\n" + HEAD +
    "f(kernelbatch::array_view<const float, 2> m, float* z) { z[threadIdx.x] = m(threadIdx.x, 1); }", "f", ([1], [4]),
    ["t", "z"], {"m": numbers("f4", 3, 4), "t": View("m", {"transpose": [1, 0]}, lambda m: m.T)}, lambda m: m[1].copy(),
    outputs={"z": out([4], "float32")})
raw(
    "children", "a kernel starts kernels", HEAD + "child(float* z, int at) { z[at + threadIdx.x] = at; }\n" + HEAD +
    "parent(float* z) { child<<<1, 4>>>(z, 4 * threadIdx.x); }", "parent", ([1], [5]), ["z"], {},
    lambda: np.repeat(4 * np.arange(5), 4).astype("f4"), outputs={"z": out([20],
                                                                           "float32")}, options=["-dc"], only="cuda")
PLAIN = HEAD + "f(const float* x, float* z, int n) {\n" + AT + "if (k < n) z[k] = x[k];\n}"
for name, feature, args, inputs, refused in (
    ("argument_missing", "an argument is missing", ["x", "z"], {"x": X}, "argument"),
    ("argument_extra", "an argument too many", ["x", "z", N, N], {"x": X}, "argument"),
    ("argument_dtype", "float64 for a pointer to float", ["x", "z", N], {"x": X.astype("f8")}, "float64|double"),
    ("argument_fraction", "a fraction for an int", ["x", "z", 2.5], {"x": X}, "2.5|int"),
    ("argument_width", "int64 for an int", ["x", "z", scalar(40, "int64")], {"x": X}, "int64|int32"),
    ("argument_strided", "a view with strides for a plain pointer", ["v", "z", scalar(20, "int32")],
     {"x": X, "v": View("x", {"slice": "[::2]"}, lambda x: x[::2])}, "contiguous|stride"),
):
    raw(name, feature, PLAIN, "f", ([2], [32]), args, inputs, outputs=Z, refused=refused)
raw("no_such_entry", "a kernel that the source does not have", PLAIN, "g", ([2], [32]), ["x", "z", N], {"x": X},
    outputs=Z, fails="'?g'?")
raw("empty_grid", "a grid of 0 blocks", PLAIN, "f", ([0], [32]), ["x", "z", N], {"x": X}, outputs=Z, refused="grid")
raw("large_block", "a block of 2048 threads", PLAIN, "f", ([1], [2048]), ["x", "z", N], {"x": X}, outputs=Z,
    refused="1024")
raw("no_source", "neither source nor module", None, "f", ([1], [1]), ["z"], {}, outputs=Z, refused="source")
raw("bad_text", "a source that does not compile", HEAD + "f(float* z) { z[0] = ; }", "f", ([1], [1]), ["z"], {},
    outputs={"z": out([1], "float32")}, fails="error")
