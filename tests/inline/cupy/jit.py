"""Just-in-time kernels like those of cupyx.jit.rawkernel, as templates."""
import numpy as np

from table import View, jit, numbers, out, scalar, upto


def kernel(parameters, body):
    """A template with a type for each parameter."""
    names = [name.strip() for name in parameters.split(",")]
    types = ", ".join(f"class T_{name}" for name in names)
    return f"template <{types}>\n__global__ void f({', '.join(f'T_{name} {name}' for name in names)}) {{\n{body}\n}}"


def own(name, feature, parameters, body, launch, inputs, want=None, args=None, outputs=None, **keys):
    jit(name, feature, kernel(parameters, body), "f", launch, args or parameters.replace(" ", "").split(","), inputs,
        want, outputs=outputs or {}, **keys)


own("grid_1", "grid<1>()", "x, y", "const auto k = kernelbatch::grid<1>();\nif (k < x.size()) y[k] = x[k];",
    ([1], [16]), {"x": upto("i8", 10)}, lambda x: x, outputs={"y": out([10], "int64")})
own("grid_2", "grid<2>() and indices by axes", "x, y",
    "const auto [r, c] = kernelbatch::grid<2>();\nif (r < x.shape()[0] && c < x.shape()[1]) y(r, c) = x(r, c) + r;",
    ([1], [4, 8]), {"x": upto("i8", 4, 5)}, lambda x: x + np.arange(4)[:, None], outputs={"y": out([4, 5], "int64")})
own("grid_3", "grid<3>()", "x, y",
    "const auto [a, b, c] = kernelbatch::grid<3>();\nif (a < 2 && b < 3 && c < 4) y(a, b, c) = -x(a, b, c);",
    ([1, 2, 2], [2, 2, 2]), {"x": upto("i4", 2, 3, 4)}, lambda x: -x, outputs={"y": out([2, 3, 4], "int32")})
own("gridsize_1", "gridsize<1>()", "y", "if (kernelbatch::grid<1>() == 0) y[0] = kernelbatch::gridsize<1>();",
    ([8], [10]), {}, lambda: np.array([80.0]), outputs={"y": out([1], "float64")})
own(
    "gridsize_3", "gridsize<3>()", "y",
    "const auto [a, b, c] = kernelbatch::grid<3>();\nconst auto g = kernelbatch::gridsize<3>();\n"
    "if (a + b + c == 0) { y[0] = g.x; y[1] = g.y; y[2] = g.z; }", ([2, 7, 4], [3, 5, 11]), {},
    lambda: np.array([6, 35, 44]), outputs={"y": out([3], "int64")})
own("range", "a loop over all threads", "x, y", "for (const auto k : kernelbatch::range(0, x.size())) y[k] = x[k] * 2;",
    ([5], [6]), {"x": upto("i4", 1024)}, lambda x: x * 2, outputs={"y": out([1024], "int32")})
own("one_thread", "one element", "x, y", "y[0] = x[0];", ([1], [1]), {"x": np.array([10], "i4")}, lambda x: x,
    outputs={"y": out([1], "int32", fill=20)})
own(
    "loop_flat", "a matrix walked by a flat index", "x, y, rows, cols",
    "for (unsigned k = threadIdx.x + blockDim.x * blockIdx.x; k < rows * cols; k += blockDim.x * gridDim.x) "
    "y(k / cols, k % cols) = x(k / cols, k % cols);", ([5], [6]), {"x": numbers("i4", 12, 13)}, lambda x: x,
    args=["x", "y", scalar(12, "uint32"), scalar(13, "uint32")], outputs={"y": out([12, 13], "int32")})
own("attributes", "ndim, size, shape, strides", "x, y",
    "y[0] = T_x::ndim; y[1] = x.size(); y[2] = x.shape()[2]; y[3] = x.strides()[1];", ([1], [1]),
    {"x": numbers("f4", 3, 4, 5)}, lambda x: np.array([3, 60, 5, 20]), outputs={"y": out([4], "int64")})
own("no_dimensions", "an array without axes", "x, y", "y[0] = x[0] + 1;", ([1], [1]), {"x": np.array(41, "i4")},
    lambda x: np.asarray(x + 1, "i4"), outputs={"y": out([], "int32")})
own("strided", "a transposed view with steps", "t, y",
    "const auto [r, c] = kernelbatch::grid<2>();\ny(r, c) = t(r, c);", ([1], [5, 2]),
    {"x": numbers("f8", 4, 5), "t": View("x", {"transpose": [1, 0], "slice": "[:, ::2]"}, lambda x: x.T[:, ::2])},
    lambda t: t, outputs={"y": out([5, 2], "float64")})
own("extrema", "min and max of three", "x, y, z, r",
    "const auto k = kernelbatch::grid<1>();\nr[k] = min(min(x[k], y[k]), z[k]) + 100 * max(max(x[k], y[k]), z[k]);",
    ([4], [16]), {"x": numbers("i4", 64), "y": numbers("i4", 64, seed=2), "z": numbers("i4", 64, seed=3)},
    lambda x, y, z: np.minimum(np.minimum(x, y), z) + 100 * np.maximum(np.maximum(x, y), z),
    outputs={"r": out([64], "int32")})
own(
    "barrier", "threads of a block wait for what others wrote", "x, room, y",
    "const int k = threadIdx.x + threadIdx.y * blockDim.x, n = blockDim.x * blockDim.y;\nroom[k] = x[n - k - 1];\n"
    "__syncthreads();\ny[k] = room[n - k - 1] + room[0];", ([1], [16, 16]), {"x": upto("i4", 256)},
    lambda x: {"y": x + 255}, outputs={"room": out([256], "int32"), "y": out([256], "int32")})
own(
    "warp_barrier", "threads of a warp wait", "y",
    "const int lane = threadIdx.x & 31;\ny[lane] = lane < 16 ? 1 : 2;\n__syncwarp();\nif (lane == 0) y[0] = y[31] + 5;",
    ([1], [32]), {}, lambda: np.array([7] + [1] * 15 + [2] * 16, "i4"), outputs={"y": out([32], "int32")})
own(
    "continue_break", "continue and break", "x, y",
    "const auto k = kernelbatch::grid<1>();\nfor (int j = 0; j < 10; ++j) { if (j == 5) continue; x[k] += j; }\n"
    "int j = 0;\nwhile (j < 9) { ++j; if (j == 6) break; y[k] += j; }", ([1], [32]), {},
    lambda: {"x": np.full(32, 40), "y": np.full(32, 15)},
    outputs={"x": out([32], "int64", fill=0), "y": out([32], "int64", fill=0)})
own(
    "shared_static", "shared memory of a fixed size", "x, y",
    "__shared__ int room[32];\nconst auto k = kernelbatch::grid<1>();\nroom[threadIdx.x] = x[k];\n"
    "__syncthreads();\ny[k] = room[31 - threadIdx.x];", ([8], [32]), {"x": upto("i4", 256)},
    lambda x: x.reshape(8, 32)[:, ::-1].ravel(), outputs={"y": out([256], "int32")})
own(
    "shared_dynamic", "shared memory by the launch, of the array's type", "x, y",
    "KERNELBATCH_DYNAMIC_SHARED(float, room);\nconst auto k = kernelbatch::grid<1>();\nroom[threadIdx.x] = x[k];\n"
    "__syncthreads();\ny[k] = room[31 - threadIdx.x];", ([8], [32]), {"x": numbers("f4", 256)},
    lambda x: x.reshape(8, 32)[:, ::-1].ravel(), outputs={"y": out([256], "float32")}, shared_mem=128)
for dtype in ("int32", "uint32", "uint64", "float32", "float64", "float16"):
    own(f"atomic_add_{dtype}", f"atomicAdd of {dtype}", "x, at, y",
        "const auto k = kernelbatch::grid<1>();\natomicAdd(&y[at[k]], x[k]);", ([4], [32]),
        {"x": numbers(dtype, 128, low=0, high=3), "at": np.arange(128, dtype="i4") % 2},
        lambda x: x.reshape(64, 2).sum(0, dtype="f8").astype(x.dtype), outputs={"y": out([2], dtype, fill=0)})
for name, function, start, want in (("min", "atomicMin", 99, lambda x: x.min()), ("max", "atomicMax", -99,
                                                                                  lambda x: x.max()),
                                    ("and", "atomicAnd", 15, lambda x: np.bitwise_and.reduce(x) & 15),
                                    ("or", "atomicOr", 0, lambda x: np.bitwise_or.reduce(x))):
    own(f"atomic_{name}", f"{function} of int32", "x, y", f"{function}(&y[0], x[kernelbatch::grid<1>()]);", ([2], [32]),
        {"x": numbers("i4", 64, low=1, high=7)}, (lambda want: lambda x: np.array([want(x)], "i4"))(want),
        outputs={"y": out([1], "int32", fill=start)})
own("atomic_cas", "compare and swap", "y", "atomicCAS(&y[kernelbatch::grid<1>() / 2], 7, 9);", ([1], [8]), {},
    lambda: np.full(4, 9, "i4"), outputs={"y": out([4], "int32", fill=7)})
own(
    "shuffles", "shuffles of a warp", "x, y",
    "const int k = threadIdx.x;\nconst float v = x[k];\ny(0, k) = __shfl_sync(0xffffffffu, v, 3);\n"
    "y(1, k) = __shfl_up_sync(0xffffffffu, v, 2);\n"
    "y(2, k) = __shfl_down_sync(0xffffffffu, v, 4);\ny(3, k) = __shfl_xor_sync(0xffffffffu, v, 1);\n"
    "y(4, k) = __shfl_sync(0xffffffffu, v, 1, 8);", ([1], [32]), {"x": numbers("f4", 32)}, lambda x: np.stack([
        np.full(32, x[3]), x[np.r_[0, 1, 0:30]], x[np.r_[4:32, 28:32]], x[np.arange(32) ^ 1], x[np.arange(32) // 8 * 8 +
                                                                                                1]
    ]), outputs={"y": out([5, 32], "float32")})
own("lane", "lane and warp size", "y", "y[threadIdx.x] = 100 * warpSize + threadIdx.x % warpSize;", ([1], [64]), {},
    lambda: (3200 + np.arange(64) % 32).astype("i4"), outputs={"y": out([64], "int32")})
own("scalars", "scalars become the dtype that they are given", "y, a, b, c",
    "y[0] = a + b; y[1] = sizeof(T_a); y[2] = sizeof(T_b); y[3] = sizeof(T_c);", ([1], [1]), {},
    lambda: np.array([5.5, 4, 8, 1]), args=["y", scalar(3, "int32"),
                                            scalar(2.5, "float64"),
                                            scalar(True, "bool")], outputs={"y": out([4], "float64")})
own("complex_scalar", "a complex scalar", "x, y, s", "const auto k = kernelbatch::grid<1>();\ny[k] = x[k] * s;",
    ([1], [6]), {"x": numbers("c8", 6)}, lambda x: x * np.complex64(1 + 2j),
    args=["x", "y", scalar("1+2j", "complex64")], outputs={"y": out([6], "complex64")})
own("inf_nan", "infinity and NaN", "y", "y[0] = INFINITY; y[1] = -INFINITY; y[2] = NAN;", ([1], [1]), {},
    lambda: np.array([np.inf, -np.inf, np.nan], "f4"), outputs={"y": out([3], "float32")})
own("early_return", "threads that return", "x, y",
    "const auto k = kernelbatch::grid<1>();\nif (k >= x.size()) return;\ny[k] = x[k];", ([2], [8]),
    {"x": numbers("f4", 11)}, lambda x: x, outputs={"y": out([11], "float32")})
jit(
    "device_function", "a device function that is a template",
    "template <class A>\n__device__ A gauss(A v) { return exp(-v * v); }\n" +
    kernel("x, y", "const auto k = kernelbatch::grid<1>();\ny[k] = gauss(x[k]);"), "f", ([1], [20]), ["x", "y"],
    {"x": numbers("f8", 20)}, lambda x: np.exp(-x * x), outputs={"y": out([20], "float64")})
jit(
    "recursive_template", "a template that calls itself with another number",
    "template <int N, class A>\n__device__ A power(A v) { if constexpr (N == 0) return 1; else return v * "
    "power<N - 1>(v); }\n" + kernel("x, y", "const auto k = kernelbatch::grid<1>();\ny[k] = power<4>(x[k]);"), "f",
    ([1], [20]), ["x", "y"], {"x": numbers("f8", 20)}, lambda x: x**4, outputs={"y": out([20], "float64")})
own(
    "block_sum", "the sum of a block, for cub's BlockReduce", "x, y",
    "const float v = kernelbatch::block_reduce(x[kernelbatch::grid<1>()], kernelbatch::plus{});\n"
    "if (threadIdx.x == 0) y[blockIdx.x] = v;", ([3], [64]), {"x": numbers("f4", 192)},
    lambda x: x.reshape(3, 64).sum(1), outputs={"y": out([3], "float32")})
own(
    "warp_largest", "the largest of a warp, for cub's WarpReduce", "x, y",
    "const auto v = kernelbatch::warp_reduce(x[threadIdx.x], kernelbatch::maximum{});\n"
    "if (threadIdx.x % 32 == 0) y[threadIdx.x / 32] = v;", ([1], [64]), {"x": numbers("i4", 64)},
    lambda x: x.reshape(2, 32).max(1), outputs={"y": out([2], "int32")})
jit(
    "cub_block", "cub's BlockReduce itself", "#include <cub/block/block_reduce.cuh>\n" + kernel(
        "x, y", "using Sum = cub::BlockReduce<float, 64>;\n__shared__ typename Sum::TempStorage room;\n"
        "const float v = Sum(room).Sum(x[threadIdx.x]);\nif (threadIdx.x == 0) y[0] = v;"), "f", ([1], [64]),
    ["x", "y"], {"x": numbers("f4", 64)}, lambda x: np.array([x.sum()]), outputs={"y": out([1],
                                                                                           "float32")}, only="cuda")
own(
    "thread_group", "facts of a thread block group", "y", "const auto g = cooperative_groups::this_thread_block();\n"
    "if (g.thread_rank() == 5) { y[0] = g.thread_rank(); y[1] = g.size(); y[2] = g.group_index().x; y[3] = "
    "g.thread_index().y; }\ng.sync();", ([1], [4, 4]), {}, lambda: np.array([5, 16, 0, 1], "i4"),
    outputs={"y": out([4], "int32")})
own(
    "constants", "numbers that are compiled in", "x, y",
    "double room[N];\nfor (int k = 0; k < N; ++k) room[k] = x[k] * SCALE;\n"
    "for (int k = 0; k < N; ++k) y[k] = room[N - 1 - k];", ([1], [1]), {"x": numbers("f8", 5)}, lambda x:
    (x * 0.5)[::-1], outputs={"y": out([5], "float64")}, constants={"N": 5, "SCALE": 0.5})
own(
    "sieve", "an odd loop of each thread: greatest common divisors", "a, b, y",
    "const auto k = kernelbatch::grid<1>();\nauto p = a[k], q = b[k];\n"
    "while (q) { const auto r = p % q; p = q; q = r; }\ny[k] = p;", ([1], [30]),
    {"a": numbers("i4", 30, low=1, high=200), "b": numbers("i4", 30, low=1, high=200, seed=2)},
    lambda a, b: np.gcd(a, b), outputs={"y": out([30], "int32")})
own("argument_missing", "an argument is missing", "x, y", "y[0] = x[0];", ([1], [1]), {"x": upto("f4", 3)}, args=["x"],
    outputs={"y": out([3], "float32")}, refused="argument")
own("unknown_name", "a name that there is not", "y", "y[0] = no_such_name;", ([1], [1]), {},
    outputs={"y": out([1], "float32")}, fails="no_such_name")
