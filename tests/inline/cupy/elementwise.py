"""Elementwise kernels: parameters, indices, shapes, types, texts."""
import math

import numpy as np

from table import DTYPES, View, elementwise, numbers, out, upto

F4 = numbers("f4", 3, 5, seed=2)
ROW = numbers("f4", 5, seed=3)
V = numbers("f4", 12, seed=4)
W = numbers("f4", 12, seed=5)

# ---- parameters ------------------------------------------------------------------------------
elementwise("typed", "typed parameters, a row broadcast", "float32 level, float32 base", "float32 gap",
            "gap = level * level - base", {"level": F4, "base": ROW}, lambda level, base: level * level - base)
elementwise("column", "a column broadcast against a row", "T u, T v", "T w", "w = u - 2 * v",
            {"u": numbers("i4", 4, 1), "v": numbers("i4", 1, 6, seed=8)}, lambda u, v: u - 2 * v)
elementwise("placeholder_local", "a placeholder as the type of a variable", "T p, T q", "T r",
            "T mid = (p + q) / 2;\nr = mid * mid;", {"p": F4, "q": ROW}, lambda p, q: ((p + q) / 2)**2)
elementwise("three_placeholders", "placeholders of their own, the output given", "A a1, B b1", "C c1",
            "c1 = a1 * b1 + C(0.5)", {"a1": numbers("i2", 7), "b1": numbers("f4", 7)},
            lambda a1, b1: a1.astype("f8") * b1 + 0.5, outputs={"c1": out([7], "float64")}, args=["a1", "b1", "c1"])
elementwise("placeholder_by_output", "only an output determines a placeholder", "", "T ramp", "ramp = T(i) / 4", {},
            lambda: np.arange(9, dtype="f2") / np.float16(4), outputs={"ramp": out([9], "float16")}, args=["ramp"])
elementwise("given_output", "an output is given after the inputs", "float32 s, float32 t", "float32 total",
            "total = s + t", {"s": F4, "t": ROW}, lambda s, t: s + t, outputs={"total": out([3, 5], "float32", fill=7)},
            args=["s", "t", "total"])
elementwise("two_outputs", "two outputs of two dtypes", "T x", "T whole, bool odd",
            "whole = floor(x); odd = (long long)whole & 1", {"x": V},
            lambda x: {"whole": np.floor(x), "odd": np.floor(x).astype("i8") % 2 != 0})
elementwise("three_outputs", "three outputs from one input", "complex64 c", "float32 re, float32 im, complex64 twin",
            "re = c.real(); im = c.imag(); twin = conj(c)", {"c": numbers("c8", 11)},
            lambda c: {"re": c.real.copy(), "im": c.imag.copy(), "twin": c.conj()})
elementwise("in_and_out", "an output that holds something is added to", "T step", "T level", "level += step",
            {"step": V}, lambda step: step + np.float32(10), args=["step", "level"],
            outputs={"level": out([12], "float32", fill=10)})

# ---- scalars -----------------------------------------------------------------------------------
for kind, number, dtype in (("int", 3, "f4"), ("float", 0.5, "f8"), ("bool", True, "bool"), ("complex", "1.5j", "c8")):
    elementwise(f"number_{kind}", f"a number of Python's {kind} takes the array's dtype", "T x, T y", "T z",
                "z = x + y", {"x": numbers(dtype, 4, 5), "y": number},
                lambda x, y: x + x.dtype.type(complex(y) if isinstance(y, str) else y))
for dtype in DTYPES[1:]:
    elementwise(f"typed_scalar_{dtype}", f"a scalar of {dtype} with an array of it", "T x, T y", "T z",
                "z = x * y + y", {"x": numbers(dtype, 3, 4), "y": np.dtype(dtype).type(2)}, lambda x, y: x * y + y)
elementwise("least_int64", "the least integer of 64 bits", "T x, T y", "T z", "z = x + y",
            {"x": upto("i8", 2, 3), "y": np.int64(-(2**63))}, lambda x, y: x + y)
elementwise("largest_uint64", "the largest integer of 64 bits", "T x, T y", "T z", "z = x - y",
            {"x": upto("u8", 6), "y": np.uint64(2**64 - 1)}, lambda x, y: x - y)
elementwise("number_too_large", "2 ** 32 is no int32", "T x, T y", "T z", "z = x + y", {"x": upto("i4", 4), "y": 2**32},
            refused="int32")
elementwise("number_negative_unsigned", "-1 is no uint8", "T x, T y", "T z", "z = x + y", {"x": upto("u1", 4), "y": -1},
            refused="uint8")
elementwise("only_scalars", "numbers do not determine a placeholder", "T x", "T z", "z = x", {"x": 3}, refused="T")

# ---- indices and raw parameters --------------------------------------------------------------
elementwise("raw_all", "all raw, with a size", "raw T x, raw T y", "raw T z", "z[i] = x[i] - y[i]", {"x": V, "y": W},
            lambda x, y: x - y, size=12)
elementwise("raw_neighbours", "a raw input is read at neighbours, the ends clamped", "T x, raw T line", "T slope",
            "slope = line[i + 1 < n ? i + 1 : i] - line[i > 0 ? i - 1 : 0] + 0 * x", {"x": V, "line": W},
            lambda x, line: np.concatenate([line[1:], line[-1:]]) - np.concatenate([line[:1], line[:-1]]))
elementwise("raw_backwards", "a raw input is read from its end", "T x, raw T y", "T z",
            "z = x * y[_ind.size() - 1 - i]", {"x": V, "y": W}, lambda x, y: x * y[::-1])
elementwise(
    "raw_strided", "a raw view is indexed by element", "T x, raw T y", "T z", "z = x + y[i]", {
        "x": numbers("f8", 6), "wide": numbers("f8", 12, seed=7), "y": View("wide", {"slice": "[::-2]"},
                                                                            lambda wide: wide[::-2])
    }, lambda x, y: x + y)
elementwise("raw_matrix", "a raw matrix by its axes", "raw T m", "T diagonal", "diagonal = m[{i, i}]",
            {"m": numbers("i8", 5, 7)}, lambda m: np.ascontiguousarray(np.diagonal(m)), size=5)
elementwise(
    "raw_matrix_transposed", "a raw transposed matrix by its axes", "T k, raw T m", "T z",
    "ptrdiff_t at[] = {(ptrdiff_t)k, 1};\nz = m[at];",
    {"k": upto("i4", 6), "base": numbers("i4", 4, 6), "m": View("base", {"transpose": [1, 0]}, lambda base: base.T)},
    lambda k, m: m[k, 1])
elementwise("raw_facts", "size, shape, strides and ndim of a raw parameter", "raw T m", "int64 fact",
            "fact = i == 0 ? m.size() : i == 1 ? m.shape()[1] : i == 2 ? m.strides()[0] : (long long)m.ndim",
            {"m": numbers("f4", 3, 7)}, lambda m: np.array([m.size, m.shape[1], m.strides[0], m.ndim]), size=4)
elementwise("gather", "one input holds places in another", "int32 at, raw T source", "T taken", "taken = source[at]",
            {"at": np.array([[3, 0], [2, 2], [1, 5]], "i4"), "source": numbers("c16", 6)},
            lambda at, source: source[at])
elementwise("scatter_add", "atomics on a raw output", "int32 bin", "raw int32 count", "atomicAdd(&count[bin], 1)",
            {"bin": numbers("i4", 1000, low=0, high=6)}, lambda bin: np.bincount(bin, minlength=7).astype("i4"),
            outputs={"count": out([7], "int32", fill=0)}, args=["bin", "count"])
elementwise("scatter_max", "the largest of each bin by an atomic of float64", "int32 bin, T value", "raw T top",
            "atomicMax(&top[bin], value)", {"bin": np.arange(100, dtype="i4") % 5, "value": numbers("f8", 100, seed=6)},
            lambda bin, value: np.array([value[bin == k].max() for k in range(5)]),
            outputs={"top": out([5], "float64", fill=-99)}, args=["bin", "value", "top"])
elementwise("loop_size", "_ind.size() is that after broadcasting", "T x, T y", "int64 z",
            "z = _ind.size() - i + 0 * (x + y)", {"x": upto("i8", 3, 1), "y": upto("i8", 4)},
            lambda x, y: 12 - np.arange(12).reshape(3, 4))
elementwise("axis_indices", "indices along the axes", "T x", "int64 z",
            "z = 100 * _ind.get()[0] + _ind.get()[1] + 0 * x", {"x": upto("i8", 3, 4)},
            lambda x: 100 * np.arange(3)[:, None] + np.arange(4), reduce_dims=False)
elementwise(
    "axis_list", "a raw array is indexed with the loop's own indices", "T x, raw T w", "T z", "z = x + w[_ind.get()]",
    {"x": upto("f4", 3, 4), "base": numbers("f4", 4, 3), "w": View("base", {"transpose": [1, 0]}, lambda base: base.T)},
    lambda x, w: x + w, reduce_dims=False)
elementwise("raw_of_plain", "_raw_x is the array behind x", "T x", "T z", "z = x - _raw_x[i == 0 ? 0 : i - 1]",
            {"x": V}, lambda x: np.diff(x, prepend=x[:1]), pending="_raw_x, which CuPy does not document")
elementwise("non_const", "an input that is not raw and changes", "_non_const T x", "T z", "x *= 2; z = x + 1", {"x": V},
            refused="_non_const is of raw arrays")
elementwise("size_and_array", "a size with an array that is not raw", "T x", "T z", "z = x", {"x": V}, size=12,
            refused="size")
elementwise("no_size", "all raw and no size", "raw T x", "raw T z", "z[i] = x[i]", {"x": V}, refused="size")
elementwise("no_size_raw_output", "a raw output has no size of its own", "", "raw float32 z", "z[i] = i", {},
            outputs={"z": out([4], "float32")}, args=["z"], refused="size")
elementwise("size_by_output", "a raw input; the output decides", "raw float32 x", "float32 z", "z = x[0] + i", {"x": V},
            lambda x: x[0] + np.arange(3, dtype="f4"), outputs={"z": out([3], "float32")}, args=["x", "z"])
elementwise("size_zero", "a size of 0", "raw T x", "T z", "z = x[i]", {"x": V}, lambda x: x[:0], size=0)

# ---- shapes -------------------------------------------------------------------------------------
elementwise("no_dimensions", "arrays without axes", "T x, T y", "T z", "z = x / y",
            {"x": np.array(3.0), "y": np.array(8.0)}, lambda x, y: np.asarray(x / y))
elementwise("no_elements", "arrays without elements", "T x, T y", "T z", "z = x + y",
            {"x": np.zeros((3, 0, 2), "f4"), "y": np.zeros((1, 1, 2), "f4")}, lambda x, y: x + y)
elementwise(
    "fortran_order", "arrays in Fortran's order", "T x, T y", "T z", "z = x * y", {
        "a": numbers("f8", 4, 5), "b": numbers("f8", 4, 5, seed=9), "x": View(
            "a", {"transpose": [1, 0]}, lambda a: a.T), "y": View("b", {"transpose": [1, 0]}, lambda b: b.T)
    }, lambda x, y: x * y)
elementwise("reversed_rows", "steps of −1 and of 2", "T x", "T z", "z = -x",
            {"a": numbers("i2", 6, 8), "x": View("a", {"slice": "[::-1, ::2]"}, lambda a: a[::-1, ::2])}, lambda x: -x)
elementwise(
    "four_axes", "four axes in another order, broadcast", "T x, T y", "T z", "z = x - y", {
        "a": numbers("f4", 2, 3, 4, 5), "x": View("a", {"transpose": [3, 1, 0, 2]}, lambda a: a.transpose(3, 1, 0, 2)),
        "y": numbers("f4", 2, 1, seed=9)
    }, lambda x, y: x - y)
elementwise("output_view", "the output is a view with steps", "T x", "T z", "z = 3 * x", {"x": upto("i4", 4)},
            lambda x: {"room": np.where(np.arange(8) % 2, 9, np.repeat(3 * x, 2)).astype("i4")},
            outputs={"room": out([8], "int32", fill=9), "z": {"of": "room", "slice": "[::2]"}}, args=["x", "z"])
elementwise("wrong_output_shape", "an output of another shape", "T x", "T z", "z = x", {"x": V},
            outputs={"z": out([6], "float32")}, args=["x", "z"], refused="shape|broadcast")
elementwise("no_broadcast", "shapes that do not fit", "T x, T y", "T z", "z = x + y",
            {"x": upto("f4", 3), "y": upto("f4", 4)}, refused="broadcast")
elementwise("output_not_stretched", "an output is never broadcast", "T x", "T z", "z = x", {"x": F4},
            outputs={"z": out([5], "float32")}, args=["x", "z"], refused="shape|broadcast")

# ---- types --------------------------------------------------------------------------------------
elementwise("two_dtypes_one_letter", "one placeholder for two dtypes", "T x, T y", "T z", "z = x + y",
            {"x": upto("f4", 4), "y": upto("f8", 4)}, refused="float64|float32")
elementwise("other_dtype", "an array of another dtype than declared", "float32 x", "float32 z", "z = x",
            {"x": upto("f8", 4)}, refused="float64")
elementwise("half_arithmetic", "float16 computed in float32", "float16 x, float16 y", "float16 z", "z = x * y + 0.5f",
            {"x": numbers("f2", 9), "y": numbers("f2", 9, seed=3)}, lambda x, y:
            (x.astype("f4") * y + np.float32(0.5)).astype("f2"))
elementwise("narrow_wraps", "int8 wraps when it is stored", "T x", "T z", "z = x * 50", {"x": upto("i1", 9)}, lambda x:
            (x.astype("i4") * 50).astype("i1"))
elementwise("unsigned_wraps", "uint32 wraps", "T x", "T z", "z = x - 3", {"x": upto("u4", 6)},
            lambda x: x - np.uint32(3))
elementwise("c_division", "division and remainder are C's", "T x, T y", "T q, T r", "q = x / y; r = x % y",
            {"x": np.array([7, -7, 7, -7], "i4"), "y": np.array([2, 2, -2, -2], "i4")},
            lambda x, y: {"q": np.trunc(x / y).astype("i4"), "r": np.fmod(x, y)})
elementwise("bits", "shifts and masks of uint16", "T x", "T z", "z = ((x << 3) ^ (x >> 2)) & 0xfff",
            {"x": numbers("u2", 20, high=60000)}, lambda x: (((x.astype("i4") << 3) ^
                                                              (x.astype("i4") >> 2)) & 0xFFF).astype("u2"))
elementwise("truth", "logic of bool", "bool p, bool q", "bool r", "r = p != (q && !p)",
            {"p": numbers("?", 16), "q": numbers("?", 16, seed=2)}, lambda p, q: p != (q & ~p))
elementwise("complex_arithmetic", "complex128: product, quotient, conjugate", "T x, T y", "T z",
            "z = x * conj(y) / (y + T(0, 5))", {"x": numbers("c16", 10), "y": numbers("c16", 10, seed=2)},
            lambda x, y: x * y.conj() / (y + 5j))
elementwise("complex_functions", "abs, arg, exp and sqrt of complex64", "complex64 c", "float32 r, complex64 e",
            "r = abs(c) + arg(c); e = exp(c) - sqrt(c)", {"c": numbers("c8", 10, low=-1, high=1)},
            lambda c: {"r": np.abs(c) + np.angle(c), "e": np.exp(c) - np.sqrt(c)}, rtol=2e-5)
elementwise("complex_widened", "complex64 for a complex128 parameter", "complex64 x, complex128 w", "complex128 z",
            "complex<double> t = x; z = x; z += t * w", {"x": numbers("c8", 10), "w": numbers("c16", 10, seed=2)},
            lambda x, w: x + x * w)
elementwise("complex_narrowed", "complex128 stored as complex64", "complex128 w", "complex64 z", "z = w * w",
            {"w": numbers("c16", 10)}, lambda w: (w * w).astype("c8"))
elementwise("polar", "a complex number from modulus and angle", "T modulus, T angle", "complex128 z",
            "z = complex<T>(modulus * cos(angle), modulus * sin(angle))",
            {"modulus": numbers("f8", 8, low=0), "angle": numbers("f8", 8, seed=4)},
            lambda modulus, angle: modulus * np.exp(1j * angle))

# ---- the text -----------------------------------------------------------------------------------
elementwise("preamble_function", "a template function in the preamble", "T x", "T z", "z = cube(x) - x", {"x": V},
            lambda x: x**3 - x, preamble="template <class A> __device__ A cube(A v) { return v * v * v; }")
elementwise("preamble_placeholder", "the preamble knows the placeholders", "T x", "T z", "z = half(x)", {"x": V},
            lambda x: x / 2, preamble="__device__ T half_of(T v) { return v / 2; }\n#define half(v) half_of(v)")
elementwise(
    "preamble_struct", "a struct with operators in the preamble", "float32 x, float32 y", "float32 z",
    "Point a{x, y}, b = a + Point{1, 2}; z = b.x * b.y", {"x": V, "y": W}, lambda x, y: (x + 1) * (y + 2), preamble=
    "struct Point { float x, y; };\n__device__ Point operator+(Point p, Point q) { return {p.x + q.x, p.y + q.y}; }")
elementwise("preamble_constants", "a table in constant memory", "int32 k", "float64 z", "z = table[k % 3]",
            {"k": upto("i4", 7)}, lambda k: np.array([0.5, 1.5, 4.0])[k % 3],
            preamble="__constant__ double table[3] = {0.5, 1.5, 4.0};")
elementwise("loop_prep", "a value of each thread before the loop", "T x", "T z", "z = x * scale", {"x": V},
            lambda x: x * np.float32(0.375), loop_prep="const T scale = T(3) / 8;")
elementwise("loop_prep_open", "the last semicolon around the loop is missing", "T x", "T z", "z = x * scale", {"x": V},
            lambda x: x * np.float32(0.375), loop_prep="const T scale = T(3) / 8", after_loop="(void)scale")
elementwise("loop_prep_size", "the loop's size before the loop", "T x", "T z", "z = x * step", {"x": V},
            lambda x: x / 12, loop_prep="const T step = T(1) / _ind.size();")
elementwise("after_loop", "sums of each thread are added up after the loop", "int32 x", "int32 z, raw int32 total",
            "z = x; mine += x", {"x": upto("i4", 1000)}, lambda x: {"z": x, "total": np.array([x.sum()], "i4")},
            loop_prep="int mine = 0;", after_loop="atomicAdd(&total[0], mine);",
            outputs={"z": out([1000], "int32"), "total": out([1], "int32", fill=0)}, args=["x", "z", "total"])
elementwise("option_value", "a macro by an option", "T x", "T z", "z = x * FACTOR", {"x": V}, lambda x: x * 3,
            options=["-DFACTOR=3"])
elementwise("option_long", "a macro by the long option", "T x", "T z", "z = x * FACTOR", {"x": V}, lambda x: x * 5,
            options=["--define-macro=FACTOR=5"])
elementwise("option_short_name", "a macro of one letter", "T x", "T z", "z = x + N", {"x": V}, lambda x: x + 3,
            options=["-DN=3"])
elementwise("skips", "continue keeps the old value", "T x", "T z", "if (x < 0) continue; z = sqrt(x)", {"x": V},
            lambda x: np.where(x < 0, np.float32(-1), np.sqrt(np.abs(x))), outputs={"z": out([12], "float32",
                                                                                             fill=-1)}, args=["x", "z"])
elementwise("stores_and_ends", "a store before an early end", "T x", "T z", "if (x < 0) { z = 0; continue; } z = x;",
            {"x": V}, lambda x: np.maximum(x, 0))
elementwise("inner_loop", "Collatz steps: a loop inside the text", "int64 x", "int32 steps",
            "long long v = x;\nsteps = 0;\nwhile (v > 1) {\n  v = v % 2 ? 3 * v + 1 : v / 2;\n  ++steps;\n}",
            {"x": upto("i8", 30)}, lambda x: np.array([collatz(int(v)) for v in x], "i4"))
elementwise("switch_case", "switch with break", "int32 k", "int32 z",
            "switch (k % 4) { case 0: z = 7; break; case 1: z = -k; break; default: z = k; }", {"k": upto("i4", 13)},
            lambda k: np.select([k % 4 == 0, k % 4 == 1], [7, -k], k).astype("i4"))
elementwise(
    "lambda", "a lambda and constexpr inside the text", "T x", "T z",
    "constexpr int degree = 3; auto power = [](T v, int d) { T p = 1; for (int k = 0; k < d; ++k) p *= v; "
    "return p; }; z = power(x, degree);", {"x": V}, lambda x: x**3)
elementwise("comments", "comments, braces and quotes in the text", "T x", "T z",
            "// z = 0; }\nz = x; /* { ' */ if ('}' == 125) z += 1;", {"x": V}, lambda x: x + 1)
elementwise("extrema", "min, max, fmin, clamp by ternaries", "T x, T y", "T z",
            "z = max(min(x, T(1)), T(-1)) + fmin(x, y)", {"x": V, "y": W},
            lambda x, y: np.clip(x, -1, 1) + np.minimum(x, y))
elementwise(
    "special_functions", "rsqrt, erf, hypot, fmod, copysign", "float64 x, float64 y", "float64 z",
    "z = rsqrt(x * x + 1) + erf(y) + hypot(x, y) + fmod(x, 1.5) + copysign(2.0, y)",
    {"x": numbers("f8", 20), "y": numbers("f8", 20, seed=2)},
    lambda x, y: 1 / np.sqrt(x * x + 1) + np.vectorize(math.erf)
    (y) + np.hypot(x, y) + np.fmod(x, 1.5) + np.copysign(2.0, y))
elementwise("bit_functions", "__popc, __clz, __brev", "uint32 x", "uint32 z",
            "z = __popc(x) + 100 * __clz(x) + (__brev(x) >> 31)", {"x": upto("u4", 40)},
            lambda x: np.array([bin(v).count("1") + 100 * (32 - int(v).bit_length()) + v % 2 for v in x], "u4"))
elementwise("not_finite", "isnan, isinf, signbit", "T x", "int32 z", "z = isnan(x) + 2 * isinf(x) + 4 * signbit(x)",
            {"x": np.array([1, -1, np.nan, np.inf, -np.inf, -0.0])}, lambda x: np.array([0, 4, 1, 2, 6, 4], "i4"))
elementwise("constant_nan", "NAN and INFINITY as CUDA has them", "T x", "T z",
            "z = x < 0 ? NAN : x > 0 ? CUDART_INF_F : x", {"x": V},
            lambda x: np.select([x < 0, x > 0], [np.nan, np.inf], 0).astype("f4"))
elementwise("integer_division", "divisions of a long index", "", "int64 z", "z = (i / 7) * 1000 + i % 7", {},
            lambda: np.arange(50) // 7 * 1000 + np.arange(50) % 7, outputs={"z": out([50], "int64")}, args=["z"])
elementwise(
    "option_price", "a call option by Black and Scholes, as the finance example", "T s, T x, T t", "T call",
    "const T sq = sqrt(t), d1 = (log(s / x) + (T(0.02) + T(0.045)) * t) / (T(0.3) * sq), d2 = d1 - T(0.3) * sq;\n"
    "call = s * ncd(d1) - x * exp(T(-0.02) * t) * ncd(d2);", {
        "s": numbers("f8", 20, low=5, high=30), "x": numbers("f8", 20, low=1, high=50, seed=2), "t": numbers(
            "f8", 20, low=1, high=9, seed=3)
    }, lambda s, x, t: price(s, x, t),
    preamble="__device__ double ncd(double v) { return 0.5 * erfc(-v * 0.70710678118654752440); }")
elementwise(
    "nearest_centre", "the nearest of several centres, as the k-means example", "T px, T py, raw T centre, int32 count",
    "int32 label", "T best = -1; label = -1;\nfor (int k = 0; k < count; ++k) {\n"
    "  T dx = px - centre[{k, 0}], dy = py - centre[{k, 1}], d = dx * dx + dy * dy;\n"
    "  if (label < 0 || d < best) { best = d; label = k; }\n}",
    {"px": numbers("f8", 40), "py": numbers("f8", 40, seed=2), "centre": numbers("f8", 5, 2, seed=3), "count": 5},
    lambda px, py, centre: np.argmin((px[:, None] - centre[:, 0])**2 + (py[:, None] - centre[:, 1])**2, 1).astype("i4"))
elementwise("iterations", "iterations of a complex map", "complex128 c", "int32 steps",
            "complex<double> w = 0; steps = 0; while (steps < 50 && norm(w) <= 4) { w = w * w + c; ++steps; }",
            {"c": numbers("c16", 30, low=-1, high=1)}, lambda c: np.array([escapes(v) for v in c], "i4"))
elementwise(
    "random_steps", "a generator of random numbers in the text", "uint64 seed", "float64 z",
    "unsigned long long s = seed;\nfor (int k = 0; k < 20; ++k) s = s * 6364136223846793005ULL + "
    "1442695040888963407ULL;\nz = (s >> 11) * 1.1102230246251565e-16;", {"seed": upto("u8", 10)},
    lambda seed: np.array([random_step(int(s)) for s in seed]))
elementwise("digit_separators", "numbers with separators", "T x", "T z", "z = x + 1'000", {"x": upto("i4", 4)},
            lambda x: x + 1000)
elementwise("block_of_one", "blocks of one thread", "T x", "T z", "z = x + 1", {"x": upto("f4", 2, 3, 4)},
            lambda x: x + 1, block_size=1)
elementwise("block_of_zero", "no threads in a block", "T x", "T z", "z = x", {"x": V}, block_size=0,
            refused="block_size")
elementwise("block_too_large", "2048 threads in a block", "T x", "T z", "z = x", {"x": V}, block_size=2048,
            refused="1024")
elementwise("bad_name", "a kernel's name begins with a digit", "T x", "T z", "z = x", {"x": V}, kernel_name="1",
            refused="name")
elementwise("reserved_name", "a parameter called i", "T i", "T z", "z = i", {"i": V}, refused="'i'")
elementwise("same_name", "two parameters of one name", "T x, T x", "T z", "z = x", {"x": V}, refused="'x'|twice")
elementwise("unknown_dtype", "a dtype that there is not", "float33 x", "float32 z", "z = x", {"x": V},
            refused="float33")
elementwise("unknown_word", "a qualifier that there is not", "rough T x", "T z", "z = x", {"x": V}, refused="rough")
elementwise("nameless", "a parameter without a name", "float32", "T z", "z = 1", {"x": V}, refused="float32|name")
elementwise("bad_text", "a text that does not compile", "T x", "T z", "z = x +", {"x": V}, fails="error")

# ---- textures -----------------------------------------------------------------------------------
IMAGE = numbers("f4", 4, 6, seed=5)
elementwise("texture_1d", "a texture along one axis", "T x, U tex", "T z", "z = x + tex1D<T>(tex, (float)i + 0.5f)",
            {"x": V, "line": W}, lambda x, line: x + line, args=["x", "tex"], textures={"tex": {"of": "line"}})
elementwise("texture_2d", "a texture of two axes, clamped", "T x, U tex, uint64 width", "T z",
            "z = x + tex2D<T>(tex, (float)(i % width) + 2.5f, (float)(i / width) + 0.5f)",
            {"x": IMAGE, "image": IMAGE, "width": 6}, lambda x, image: x + image[:, np.minimum(np.arange(6) + 2, 5)],
            args=["x", "tex", "width"], textures={"tex": {"of": "image", "address": "clamp"}})
elementwise("texture_3d", "a texture of three axes", "T x, U tex, uint64 w, uint64 h", "T z",
            "z = x - tex3D<T>(tex, (float)(i % w) + 0.5f, (float)(i / w % h) + 0.5f, (float)(i / (w * h)) + 0.5f)",
            {"x": upto("f4", 2, 3, 4), "cube": numbers("f4", 2, 3, 4), "w": 4, "h": 3}, lambda x, cube: x - cube,
            args=["x", "tex", "w", "h"], textures={"tex": {"of": "cube"}})


def collatz(v):
    steps = 0
    while v > 1:
        v = 3 * v + 1 if v % 2 else v // 2
        steps += 1
    return steps


def escapes(c):
    w, steps = 0j, 0
    while steps < 50 and w.real**2 + w.imag**2 <= 4:
        w = w * w + c
        steps += 1
    return steps


def random_step(s):
    for _ in range(20):
        s = (s * 6364136223846793005 + 1442695040888963407) % 2**64
    return (s >> 11) * 2.0**-53


def price(s, x, t):
    distribution = np.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)))
    d1 = (np.log(s / x) + 0.065 * t) / (0.3 * np.sqrt(t))
    return s * distribution(d1) - x * np.exp(-0.02 * t) * distribution(d1 - 0.3 * np.sqrt(t))
