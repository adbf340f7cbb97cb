"""Reductions: axes, layouts, types, texts."""
import numpy as np

from table import DTYPES, View, numbers, out, reduction, upto

SUM = ("x", "a + b", "y = a")
M = numbers("f4", 6, 7, seed=2)
C = numbers("i8", 2, 4, 5, 3, seed=3)

# ---- axes and shapes --------------------------------------------------------------------------
reduction("all_elements", "all elements to one", "T x", "T y", SUM, {"x": numbers("i8", 1000)},
          lambda x: np.asarray(x.sum()), identity="0")
reduction("axis_first", "the first axis", "T x", "T y", SUM, {"x": numbers("i8", 33, 40)}, lambda x: x.sum(0),
          identity="0", axis=0)
reduction("axis_last", "the last axis, by −1", "T x", "T y", SUM, {"x": numbers("i8", 33, 40)}, lambda x: x.sum(1),
          identity="0", axis=-1)
reduction("axes_two", "two axes of four", "T x", "T y", SUM, {"x": C}, lambda x: x.sum((1, 2)), identity="0",
          axis=[1, 2])
reduction("axes_outer", "the outer axes of four", "T x", "T y", SUM, {"x": C}, lambda x: x.sum((0, 3)), identity="0",
          axis=[0, -1])
reduction("identity_number", "the identity is an input that is a number", "T x, int64 most", "int64 y",
          ("x == 0 ? most : _j", "min(a, b)", "y = a"), {"x": numbers("i4", 9, 5, low=0, high=1), "most": np.int64(100)},
          lambda x: np.where(x == 0, 100, np.arange(45).reshape(9, 5)).min(1, initial=100), identity="most", axis=1)
reduction("keepdims", "axes that are kept", "T x", "T y", SUM, {"x": C}, lambda x: x.sum((0, 2), keepdims=True),
          identity="0", axis=[0, 2], keepdims=True)
reduction("seven_axes", "four of seven axes, kept", "T x", "T y", SUM, {"x": numbers("i4", 4, 3, 2, 4, 3, 2, 2)},
          lambda x: x.sum((1, 4, 3, 6), keepdims=True, dtype="i4"), identity="0", axis=[1, 4, 3, 6], keepdims=True)
for k, axes in enumerate(([0, 1], [1, 2], [0, 1, 2], [2])):
    reduction(f"transposed_{k}", f"axes {axes} of a transposed array", "T x", "T y", SUM,
              {"base": numbers("i8", 2, 4, 3), "x": View("base", {"transpose": [2, 1, 0]}, lambda base: base.T)},
              (lambda axes: lambda x: np.asarray(x.sum(axes)))(tuple(axes)), identity="0", axis=axes)
reduction("steps", "a view with steps, backwards", "T x", "T y", SUM,
          {"base": numbers("f8", 9, 10), "x": View("base", {"slice": "[::-2, 1::3]"}, lambda base: base[::-2, 1::3])},
          lambda x: x.sum(0), identity="0", axis=0)
for length in (1, 31, 512, 513, 5000):
    reduction(f"length_{length}", f"rows of {length}", "T x", "T y", SUM, {"x": numbers("i4", 3, length)},
              lambda x: x.sum(1, dtype="i4"), identity="0", axis=1)
reduction("no_rows", "no outputs", "T x", "T y", SUM, {"x": np.zeros((0, 4), "f4")}, lambda x: x.sum(1), identity="0",
          axis=1)
reduction("no_columns", "rows without elements give the identity", "T x", "T y", ("x", "a + b", "y = a + 2"),
          {"x": np.zeros((3, 0), "f4")}, lambda x: x.sum(1) + 2, identity="5 - 5", axis=1)
reduction("no_dimensions", "an array without axes", "T x", "T y", SUM, {"x": np.array(2.5)}, lambda x: x, identity="0")
reduction("no_identity_empty", "no elements and no identity", "T x", "T y", ("x", "max(a, b)", "y = a"),
          {"x": np.zeros((3, 0), "f4")}, axis=1, refused="identity")
reduction("axis_too_large", "an axis that there is not", "T x", "T y", SUM, {"x": M}, identity="0", axis=2,
          refused="axis|axes")
reduction("axis_twice", "an axis twice", "T x", "T y", SUM, {"x": M}, identity="0", axis=[1, -1], refused="axis|axes")
reduction("output_given", "an output that is given", "T x", "T y", SUM, {"x": M}, lambda x: x.sum(0), identity="0",
          axis=0, args=["x", "y"], outputs={"y": out([7], "float32")})
reduction("output_wrong", "an output of another shape", "T x", "T y", SUM, {"x": M}, identity="0", axis=0,
          args=["x", "y"], outputs={"y": out([6], "float32")}, refused="shape")

# ---- operators ---------------------------------------------------------------------------------
reduction("largest", "a maximum without identity", "T x", "T y", ("x", "max(a, b)", "y = a"), {"x": M - 100},
          lambda x: x.max(1), axis=1)
reduction("smallest_identity", "a minimum with an identity", "T x", "T y", ("x", "min(a, b)", "y = a"), {"x": M},
          lambda x: np.minimum(x, 1).min(0), identity="1", axis=0)
reduction("initial_once", "an identity that is not neutral counts once", "T x", "T y", SUM, {"x": upto("i4", 2000)},
          lambda x: np.asarray(x.sum(dtype="i4") + 7, "i4"), identity="7")
reduction("product", "a product", "T x", "T y", ("x", "a * b", "y = a"), {"x": numbers("f8", 4, 9)},
          lambda x: x.prod(1), identity="1", axis=1)
reduction("every", "true for all", "T x", "bool y", ("x > -4", "a && b", "y = a"), {"x": M}, lambda x: (x > -4).all(1),
          identity="true", axis=1)
reduction("some", "true for any", "bool x", "bool y", ("x", "a || b", "y = a"), {"x": numbers("?", 5, 3)},
          lambda x: x.any(0), identity="false", axis=0)
reduction("counted", "how many are not zero", "T x", "int64 y", ("x != 0 ? 1 : 0", "a + b", "y = a"),
          {"x": numbers("i2", 8, 9, low=-1, high=1)}, lambda x: np.count_nonzero(x, 1), identity="0", axis=1)
reduction("norm", "the root of a sum of squares", "T x", "T y", ("x * x", "a + b", "y = sqrt(a)"), {"x": M},
          lambda x: np.sqrt((x * x).sum(1)), identity="0", axis=1)
reduction("mean", "the mean by the number of elements", "T x", "T y",
          ("x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())"), {"x": M}, lambda x: x.mean(0), identity="0",
          axis=0)
reduction("parity", "exclusive or of bits", "T x", "T y", ("x", "a ^ b", "y = a"),
          {"x": numbers("u2", 6, 50, high=60000)}, lambda x: np.bitwise_xor.reduce(x, 1), identity="0", axis=1)
reduction("composed", "maps composed in their order: not commutative", "float64 x", "float64 y",
          ("Map{x / 4, x}", "Map{a.k * b.k, a.d * b.k + b.d}", "y = a.d"), {"x": numbers("f8", 3, 70)},
          lambda x: composed(x), axis=1, reduce_type="Map", preamble="struct Map { double k, d; };")
reduction("argmax", "position of the largest, the first of equals", "T x", "int64 y",
          ("Best{(double)x, (long long)_J}", "a.value >= b.value ? a : b", "y = a.at"), {"x": numbers("f4", 5, 300)},
          lambda x: x.argmax(1), axis=1, reduce_type="Best", preamble="struct Best { double value; long long at; };")
reduction("argmin_columns", "where the smallest of each column is", "T x", "int32 y",
          ("Best{x, (int)_J}", "a.value <= b.value ? a : b", "y = a.at"), {"x": numbers("i4", 50, 6)},
          lambda x: x.argmin(0).astype("i4"), axis=0, reduce_type="Best", preamble="struct Best { int value, at; };")
reduction(
    "extent", "two outputs: the least and the largest", "T x", "T low, T high",
    ("Pair<T>(x)", "Pair<T>(min(a.low, b.low), max(a.high, b.high))", "low = a.low, high = a.high"), {"x": M},
    lambda x: {"low": x.min(1), "high": x.max(1)}, axis=1, reduce_type="Pair<T>", preamble=
    "template <class A> struct Pair { A low, high; __device__ Pair() {} __device__ Pair(A v) : low(v), high(v) {} "
    "__device__ Pair(A l, A h) : low(l), high(h) {} };")
reduction("moments", "mean and variance in one pass, by statements", "float64 x", "float64 mean, float64 var",
          ("Sums s{x, x * x, 1}; return s;", "Sums{a.x + b.x, a.xx + b.xx, a.n + b.n}",
           "mean = a.x / a.n;\nvar = a.xx / a.n - mean * mean;"), {"x": numbers("f8", 4, 100)},
          lambda x: {"mean": x.mean(1), "var": x.var(1)}, axis=1, reduce_type="Sums",
          preamble="struct Sums { double x, xx, n; };")
reduction(
    "log_sum_exp", "the logarithm of a sum of exponentials, kept in range", "T x", "T y",
    ("Scaled{x, 1}", "join(a, b)", "y = a.top + log(a.sum)"), {"x": numbers("f8", 3, 40) * 200},
    lambda x: log_sum_exp(x), axis=1, reduce_type="Scaled",
    preamble="struct Scaled { double top, sum; };\n__device__ Scaled join(Scaled p, Scaled q) {\n"
    "  return p.top > q.top ? Scaled{p.top, p.sum + q.sum * exp(q.top - p.top)} : Scaled{q.top, q.sum + p.sum "
    "* exp(p.top - q.top)};\n}")

# ---- parameters and types ---------------------------------------------------------------------
reduction("two_inputs", "a product of two arrays, summed", "T x, T w", "T y", ("x * w", "a + b", "y = a"),
          {"x": M, "w": numbers("f4", 6, 7, seed=9)}, lambda x, w: (x * w).sum(1), identity="0", axis=1)
reduction("inputs_broadcast", "inputs are broadcast first", "T x, T w", "T y", ("x * w", "a + b", "y = a"),
          {"x": M, "w": numbers("f4", 7, seed=9)}, lambda x, w: (x * w).sum(0), identity="0", axis=0)
reduction("number", "a number among the inputs", "T x, float64 p", "float64 y",
          ("pow((double)abs(x), p)", "a + b", "y = pow(a, 1 / p)"), {"x": M, "p": 3.0}, lambda x:
          (np.abs(x.astype("f8"))**3).sum(1)**(1 / 3), identity="0", axis=1)
reduction("raw_weights", "a raw input by the place along the axis", "T x, raw T w", "T y",
          ("x * w[_J]", "a + b", "y = a"), {"x": M, "w": numbers("f4", 6)}, lambda x, w: (x * w[:, None]).sum(0),
          identity="0", axis=0)
reduction("raw_last_axis", "a raw input with the last axis", "T x, raw T w", "T y", ("x * w[_J]", "a + b", "y = a"),
          {"x": M, "w": numbers("f4", 7)}, lambda x, w: (x * w).sum(1), identity="0", axis=1)
reduction("output_index", "the place of an output in the last text", "T x", "int64 y",
          ("x", "a + b", "y = a * 10 + _i"), {"x": numbers("i8", 5, 6)}, lambda x: x.sum(1) * 10 + np.arange(5),
          identity="0", axis=1)
for dtype in DTYPES[1:]:
    reduction(f"sum_{dtype}", f"a sum of {dtype} in its own dtype", "T x", "T y", SUM, {"x": numbers(dtype, 5, 20)},
              lambda x: x.sum(1, dtype=x.dtype), identity="0", axis=1)
reduction("wide_sum", "float32 summed as double", "float32 x", "float32 y", SUM, {"x": np.full((2, 1001), 0.1, "f4")},
          lambda x: x.sum(1, dtype="f8").astype("f4"), identity="0", axis=1, reduce_type="double", rtol=0)
reduction("int8_wraps", "int8 wraps", "T x", "T y", SUM, {"x": numbers("i1", 3, 900, low=-100, high=127)},
          lambda x: x.sum(1, dtype="i1"), identity="0", axis=1)
reduction("other_output", "a mean of integers as real", "int32 x", "float64 y",
          ("(double)x", "a + b", "y = a / _in_ind.size()"), {"x": numbers("i4", 77)}, lambda x: np.asarray(x.mean()),
          identity="0")
reduction("complex_norm", "the norm of complex numbers", "complex128 x", "float64 y",
          ("norm(x)", "a + b", "y = sqrt(a)"), {"x": numbers("c16", 4, 9)}, lambda x: np.linalg.norm(x, axis=1),
          identity="0", axis=1)
reduction("options", "a macro of an option", "T x", "T y", ("x * FACTOR", "a + b", "y = a"), {"x": M}, lambda x:
          (x * 4).sum(1), identity="0", axis=1, options=["-DFACTOR=4"])
reduction("names_in_names", "names that contain other names", "T exp_x, T x", "T y",
          ("exp(x) * 0 + exp_x", "a + b", "y = max(a, T(0))"), {"exp_x": M, "x": M},
          lambda exp_x: np.maximum(exp_x.sum(1), 0), identity="0", axis=1)
reduction("bad_name", "a kernel's name begins with a digit", "T x", "T y", SUM, {"x": M}, identity="0", kernel_name="1",
          refused="name")
reduction("bad_text", "a text that does not compile", "T x", "T y", ("x", "a +", "y = a"), {"x": M}, identity="0",
          fails="error")


def composed(x):
    results = []
    for row in x:
        k, d = row[0] / 4, row[0]
        for v in row[1:]:
            k, d = k * (v / 4), d * (v / 4) + v
        results.append(d)
    return np.array(results)


def log_sum_exp(x):
    top = x.max(1)
    return top + np.log(np.exp(x - top[:, None]).sum(1))
