"""The first table: works in every style of kernel, with CuPy's kernels of the same texts."""
from works.work import Work, inline_norm, inline_squared_diff, plugin, uniform


def cupy_mse(n, dtype):
    def make(cp):
        p, t = uniform(cp, (n,), dtype), uniform(cp, (n,), dtype)
        kernel = cp.ReductionKernel("T p, T t", "T o", "(p - t) * (p - t)", "a + b", "o = a / _in_ind.size()", "0",
                                    "mse")
        return {"reduction": lambda: kernel(p, t), "unfused": lambda: cp.mean((p - t) ** 2)}
    return make


def cupy_squared_diff(x_shape, y_shape, dtype, transposed=False):
    def make(cp):
        x, y = uniform(cp, x_shape, dtype), uniform(cp, y_shape, dtype)
        if transposed:
            x = x.T
        z = cp.empty(x_shape, dtype)
        kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")

        @cp.fuse()
        def fused(a, b):
            return (a - b) * (a - b)

        return {"elementwise": lambda: kernel(x, y, z), "fused": lambda: fused(x, y),
                "unfused": lambda: (x - y) * (x - y)}
    return make


def cupy_l2norm(shape, axis, dtype):
    def make(cp):
        x = uniform(cp, shape, dtype)
        kernel = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
        return {"reduction": lambda: kernel(x, axis=axis), "unfused": lambda: cp.sqrt(cp.sum(x * x, axis=axis))}
    return make


def cupy_elementwise(in_params, out_params, operation, arrays, out_dtype, scalars=(), size=None):
    def make(cp):
        given = [uniform(cp, shape, dtype) for shape, dtype in arrays]
        out = cp.empty(size or arrays[0][0], out_dtype)
        kernel = cp.ElementwiseKernel(in_params, out_params, operation, "kernel")
        return {"elementwise": lambda: kernel(*given, *scalars, out)}
    return make


def cupy_vector_add(n):
    def make(cp):
        import numpy as np
        a, b = uniform(cp, (n,), "float64"), uniform(cp, (n,), "float64")
        c = cp.empty_like(a)
        raw = cp.RawKernel("""extern "C" __global__ void add(const double* a, const double* b, double* c, int n) {
            const int k = blockIdx.x * blockDim.x + threadIdx.x;
            if (k < n) c[k] = a[k] + b[k];
        }""", "add")
        return {"raw": lambda: raw(((n + 255) // 256,), (256,), (a, b, c, np.int32(n))),
                "elementwise": lambda: cp.add(a, b, out=c)}
    return make


def cupy_prime_factor_sum(n):
    """The seeds' program: trial division by every odd number."""
    def make(cp):
        import numpy as np
        from cupyx import jit
        sums = cp.empty(n - 1, cp.int64)
        raw = cp.RawKernel("""extern "C" __global__ void sums(long long* out, int count) {
            const int k = blockIdx.x * blockDim.x + threadIdx.x;
            if (k >= count) return;
            long long rest = k + 2, total = 0;
            while (rest % 2 == 0) { total += 2; rest /= 2; }
            for (long long p = 3; p * p <= rest; p += 2)
                while (rest % p == 0) { total += p; rest /= p; }
            out[k] = rest > 1 ? total + rest : total;
        }""", "sums")

        @jit.rawkernel()
        def by_jit(out, count):
            k = jit.blockDim.x * jit.blockIdx.x + jit.threadIdx.x
            if k >= count:
                return
            rest = cp.int64(k) + 2
            total = cp.int64(0)
            while rest % 2 == 0:
                total += 2
                rest //= 2
            p = cp.int64(3)
            while p * p <= rest:
                while rest % p == 0:
                    total += p
                    rest //= p
                p += 2
            if rest > 1:
                total += rest
            out[k] = total

        grid = ((n + 254) // 256,)
        return {"raw": lambda: raw(grid, (256,), (sums, np.int32(n - 1))),
                "jit": lambda: by_jit(grid, (256,), (sums, n - 1))}
    return make


def cupy_matmul(n, dtype):
    def make(cp):
        a, b = uniform(cp, (n, n), dtype), uniform(cp, (n, n), dtype)
        c = cp.empty((n, n), dtype)
        return {"library": lambda: cp.matmul(a, b, out=c)}
    return make


def cupy_diagonals(n, offsets):
    def make(cp):
        import cupyx.scipy.sparse as sparse
        import numpy as np
        data = uniform(cp, (len(offsets), n), "float64")
        x = uniform(cp, (n,), "float64")
        matrix = sparse.dia_matrix((data, np.asarray(offsets)), shape=(n, n)).tocsr()
        return {"library": lambda: matrix @ x}
    return make


# ---------------------------------------------------------------- the table

def table():
    size = {"float32": 4, "float64": 8}
    works = []
    for n in (10**8, 10**7):
        works.append(Work(f"mse {n:.0e} float64", plugin("mse", n=n, dtype="float64"), cupy_mse(n, "float64"),
                          16 * n, True, "95 %" if n == 10**8 else "80 %"))
    m = 16384
    for dtype, rows, cols, target in (("float32", m, m, "95 %"), ("float64", 10**4, 10**4, "97 %")):
        works.append(Work(f"squared_diff {rows}x{cols} {dtype}",
                          plugin("squared_diff", rows=rows, cols=cols, dtype=dtype),
                          cupy_squared_diff((rows, cols), (rows, cols), dtype), 3 * size[dtype] * rows * cols,
                          target=target))
    for kind, shape in (("row", (1, m)), ("column", (m, 1))):
        works.append(Work(f"squared_diff {m}x{m} float32, {kind} broadcast",
                          plugin("squared_diff", rows=m, cols=m, dtype="float32", broadcast=kind),
                          cupy_squared_diff((m, m), shape, "float32"), 8 * m * m, target="95 %"))
    works.append(Work(f"squared_diff {m}x{m} float32, one transposed",
                      inline_squared_diff("transposed", {
                          "base": {"random": "uniform", "shape": [m, m], "dtype": "float32", "seed": 1},
                          "x": {"of": "base", "transpose": [1, 0]},
                          "y": {"random": "uniform", "shape": [m, m], "dtype": "float32", "seed": 2}},
                          (m, m), "float32"),
                      cupy_squared_diff((m, m), (m, m), "float32", True), 12 * m * m, target="80 %"))
    for rows, cols in ((10_000, 10_000), (1_000_000, 64), (64, 1_000_000), (8_000_000, 8)):
        for axis in (0, 1):
            works.append(Work(f"l2norm {rows}x{cols} float32 axis {axis}",
                              # Norms of that many elements are nearly equal: the workload's own tolerance is vacuous.
                              {**plugin("l2norm", rows=rows, cols=cols, axis=str(axis), dtype="float32"),
                               "verify": {"tolerance": {"rtol": 5e-5}}},
                              cupy_l2norm((rows, cols), axis, "float32"),
                              4 * (rows * cols + (cols if axis == 0 else rows)), True,
                              "90 %" if rows == cols else "85 %"))
    for axes in ((0, 1), (0, 2), (1,), (1, 2)):
        works.append(Work(f"l2norm 512^3 float32 axes {axes}",
                          inline_norm("cube", (512, 512, 512), axes, "float32"),
                          cupy_l2norm((512, 512, 512), axes, "float32"), 4 * 512**3, True, "85 %"))
    n = 10**8
    for dtype in ("float32", "float64"):
        works.append(Work(f"sin_exp 1e8 {dtype}", plugin("sin_exp", n=n, dtype=dtype),
                          cupy_elementwise("T x", "T y", "y = sin(x) * exp(-x * x)", [((n,), dtype)], dtype),
                          2 * size[dtype] * n, target="90 %"))
    works.append(Work("clipped_relu 1e8 float64", plugin("clipped_relu", n=n, dtype="float64"),
                      cupy_elementwise("float64 x, float64 cap", "float64 y", "y = min(max(x, 0.0), cap)",
                                       [((n,), "float64")], "float64", (6.0,)), 16 * n, target="97 %"))
    works.append(Work("abs2 1e8 complex128", plugin("abs2", n=n, dtype="complex128"),
                      cupy_elementwise("complex128 z", "float64 m",
                                       "m = z.real() * z.real() + z.imag() * z.imag()", [((n,), "complex128")],
                                       "float64"), 24 * n, target="97 %"))
    works.append(Work("vector_add 1e8 float64", plugin("vector_add", n=n, dtype="float64"), cupy_vector_add(n),
                      24 * n, target="97 %"))
    works.append(Work("add_reverse 1e8 float64", plugin("add_reverse", n=n, dtype="float64"),
                      cupy_elementwise("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]",
                                       [((n,), "float64"), ((n,), "float64")], "float64"), 24 * n, target="97 %"))
    for n, target in ((10**6, "raw 0.03 ms, jit 0.1 ms"), (10**7, "raw 0.3 ms")):
        works.append(Work(f"prime_factor_sum {n:.0e}", plugin("prime_factor_sum", n=n), cupy_prime_factor_sum(n), 0,
                          target=target))
    for dtype in ("float32", "float64"):
        works.append(Work(f"matmul 4096 {dtype}", plugin("matmul", m=4096, n=4096, k=4096, dtype=dtype),
                          cupy_matmul(4096, dtype), 0, target="raw 85 % of cuBLAS" if dtype == "float32" else ""))
    offsets, n = (-1000, -100, -1, 0, 1, 100, 1000), 20_000_000
    works.append(Work("diagonal_spmv 7 x 2e7 float64",
                      plugin("diagonal_spmv", n=n, dtype="float64", offsets=" ".join(map(str, offsets))),
                      cupy_diagonals(n, offsets), (len(offsets) + 2) * 8 * n, target="90 %"))
    return works
