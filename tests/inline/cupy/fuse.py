"""Fused expressions: functions under cupy.fuse. `NumPy 2` marks cases for which Debian's NumPy is too old."""
import numpy as np

from table import View, fuse, numbers

F = {"x": numbers("f4", 3, 4), "y": numbers("f4", 3, 4, seed=2), "z": numbers("f4", 3, 4, seed=3)}
D = {name: x.astype("f8") for name, x in F.items()}
I = {"x": numbers("i4", 3, 4), "y": numbers("i4", 3, 4, seed=2), "z": numbers("i8", 3, 4, seed=3)}
ONE = {"x": numbers("f8", 3, 4)}
UNIT = {"x": numbers("f8", 3, 4) / 5}

# ---- elementwise --------------------------------------------------------------------------------
fuse("sum_of_products", "a product and a sum", "x * y + z", F, lambda x, y, z: x * y + z)
fuse("composed", "functions inside functions, written out", "(x + z) - (z - x * 3) * 2 + ((x - y) + (y - z)) * (x * y)",
     I, lambda x, y, z: (x + z) - (z - x * 3) * 2 + ((x - y) + (y - z)) * (x * y))
fuse("tuple_three", "three results", "(x + y, y + z, z * x)", F,
     lambda x, y, z: {"out0": x + y, "out1": y + z, "out2": z * x})
fuse(
    "tuple_one",
    "a tuple of one",
    "(x - y,)",
    F,
    lambda x, y: x - y,
)
fuse("tuple_dtypes", "results of several dtypes", "(astype(x, int32) + y, astype(x, float64), x > y)", F,
     lambda x, y: {"out0": x.astype("i4") + y.astype("f8"), "out1": x.astype("f8"), "out2": x > y})
fuse("weak_number", "numbers do not widen float32", "2 * x + 0.5", F, lambda x: 2 * x + np.float32(0.5))
fuse("weak_integer", "a real number makes float64 of int32", "x / 2 + y * 0.5", I, lambda x, y: x / 2 + y * 0.5)
fuse("mixed_integers", "int32 and int64 give int64", "x + z", I, lambda x, z: x + z)
fuse("mixed_signs", "uint64 and int64 give float64", "a + b", {"a": numbers("u8", 5), "b": numbers("i8", 5)},
     lambda a, b: a + b)
fuse("half_and_integer", "float16 and int16 give float32", "a * b", {"a": numbers("f2", 5), "b": numbers("i2", 5)},
     lambda a, b: a * b)
fuse("floor_divide", "// and % of integers, also by zero", "(x // y, x % y)", I,
     lambda x, y: {"out0": x // y, "out1": x % y})
fuse("floor_divide_real", "// and % of reals", "(x // 1.5, x % -1.5)", ONE,
     lambda x: {"out0": x // 1.5, "out1": x % -1.5})
fuse("powers", "powers by numbers and arrays", "x ** 2 + x ** 3 - abs(x) ** 0.5", ONE,
     lambda x: x**2 + x**3 - np.abs(x)**0.5)
fuse("bits", "bits of integers", "(x & y) | (x ^ 5) + ~y", I, lambda x, y: (x & y) | (x ^ 5) + ~y)
fuse("shifts", "shifts", "(x << 3) - (y >> 1)", I, lambda x, y: (x << 3) - (y >> 1))
fuse("comparisons", "comparisons joined", "(x < y) & (y <= z) | (x == 0)", F, lambda x, y, z: (x < y) & (y <= z) |
     (x == 0))
fuse("truth", "logical functions", "logical_and(x, y) != logical_or(x, logical_not(z))", I,
     lambda x, y, z: np.logical_and(x, y) != np.logical_or(x, np.logical_not(z)))
fuse("chosen", "where with a number", "where(x > 0, x, 0.25 * y)", F,
     lambda x, y: np.where(x > 0, x,
                           np.float32(0.25) * y))
fuse("where_inf", "where with infinity along rows", "where(mask, inf, p)",
     {"mask": numbers("?", 6, 1), "p": numbers("f4", 6, 2)}, lambda mask, p: np.where(mask, np.float32(np.inf), p))
fuse("where_nan", "where with NaN, float16", "where(mask, nan, p)",
     {"mask": numbers("?", 6, 1), "p": numbers("f2", 6, 2)}, lambda mask, p: np.where(mask, np.float16(np.nan), p))
fuse("clipped", "clip to a range", "clip(x, -1, 2.5)", F, lambda x: np.clip(x, np.float32(-1), np.float32(2.5)))
fuse("extrema", "maximum and minimum of three", "maximum(x, minimum(y, z))", F,
     lambda x, y, z: np.maximum(x, np.minimum(y, z)))
fuse("extrema_nan", "maximum passes NaN on, fmax does not", "(maximum(x, 0), isnan(x))",
     {"x": np.array([1, np.nan, -1], "f4")}, lambda x: {"out0": np.maximum(x, np.float32(0)), "out1": np.isnan(x)})
fuse("conversions", "astype to narrower types and back", "astype(astype(x, int8), float16) - astype(y, complex64)", F,
     lambda x, y: x.astype("i1").astype("f2") - y.astype("c8"))
fuse("prefix", "functions with cupy's prefix", "cp.sqrt(cp.absolute(x)) + np.exp(y)", ONE | {"y": UNIT["x"]},
     lambda x, y: np.sqrt(np.abs(x)) + np.exp(y))
fuse("broadcast", "a column, a row and a number", "a * b + 1", {"a": numbers("f8", 4, 1), "b": numbers("f8", 3)},
     lambda a, b: a * b + 1)
fuse(
    "views", "transposed and reversed views", "t - r", {
        "x": numbers("i8", 4, 4), "t": View("x", {"transpose": [1, 0]}, lambda x: x.T), "r": View(
            "x", {"slice": "[::-1]"}, lambda x: x[::-1])
    }, lambda t, r: t - r)
fuse("scalar_input", "a number that is an input", "x * k + k", {"x": F["x"], "k": 3}, lambda x: x * 3 + 3)
fuse("scalar_typed", "a scalar of a dtype is not weak", "x * k", {"x": F["x"], "k": np.float64(1.5)},
     lambda x: x * np.full((3, 4), 1.5))
for name, expression, function in (
    ("trigonometric", "sin(x) + cos(x) * tan(x)", lambda x: np.sin(x) + np.cos(x) * np.tan(x)),
    ("inverse", "arcsin(x) - arccos(x) + arctan(x)", lambda x: np.arcsin(x) - np.arccos(x) + np.arctan(x)),
    ("hyperbolic", "sinh(x) + cosh(x) - tanh(x) + arcsinh(x)",
     lambda x: np.sinh(x) + np.cosh(x) - np.tanh(x) + np.arcsinh(x)),
    ("logarithms", "log1p(x * x) + log2(x * x + 1) - log10(2 + x) + expm1(x)",
     lambda x: np.log1p(x * x) + np.log2(x * x + 1) - np.log10(2 + x) + np.expm1(x)),
    ("rounding", "floor(4 * x) + ceil(3 * x) * trunc(2 * x) - rint(5 * x)",
     lambda x: np.floor(4 * x) + np.ceil(3 * x) * np.trunc(2 * x) - np.rint(5 * x)),
    ("pairs", "arctan2(x, x + 2) + hypot(x, 2)", lambda x: np.arctan2(x, x + 2) + np.hypot(x, 2)),
    ("sign_and_square", "sign(x) * square(x) + fabs(x)", lambda x: np.sign(x) * np.square(x) + np.fabs(x)),
    ("degrees", "deg2rad(90 * x) + rad2deg(x)", lambda x: np.deg2rad(90 * x) + np.rad2deg(x)),
    ("finite", "where(isfinite(1 / x), x, -1)", lambda x: np.where(np.isfinite(1 / x), x, -1.0)),
    ("copysign", "copysign(x, -1.0) + fmod(x, 0.3)", lambda x: np.copysign(x, -1.0) + np.fmod(x, 0.3)),
    ("logaddexp", "logaddexp(x, 2 * x) + exp2(x) + cbrt(x)",
     lambda x: np.logaddexp(x, 2 * x) + np.exp2(x) + np.cbrt(x)),
):
    fuse(name, "functions: " + expression, expression, UNIT, function)
fuse("complex_parts", "parts of complex numbers", "real(c) * imag(c) + abs(c) - angle(c)", {"c": numbers("c16", 3, 4)},
     lambda c: c.real * c.imag + np.abs(c) - np.angle(c))
fuse("complex_product", "conj, products and exp of complex64", "c * conj(c) + exp(c / 4)", {"c": numbers("c8", 3, 4)},
     lambda c: c * c.conj() + np.exp(c / np.float32(4)))
fuse("bool_sum", "bool plus bool is or", "p + q", {"p": numbers("?", 9), "q": numbers("?", 9, seed=2)},
     lambda p, q: p + q)
fuse("no_elements", "arrays without elements", "x + y", {"x": np.zeros((0, 3), "f4"), "y": np.zeros(3, "f4")},
     lambda x, y: x + y)
fuse("no_dimensions", "arrays without axes", "x * y", {"x": np.array(2.5), "y": np.array(4.0)},
     lambda x, y: np.asarray(x * y))

# ---- reductions ----------------------------------------------------------------------------------
fuse("total", "a sum of products", "sum((x + y) * z)", D, lambda x, y, z: np.asarray(((x + y) * z).sum()))
fuse("after_total", "work after a sum", "sqrt(sum(x * x) + 10)", D, lambda x: np.asarray(np.sqrt((x * x).sum() + 10)))
fuse("rows_product", "products along rows, then a root", "sqrt(abs(prod(x + y * z, axis=1)) + 10)", D,
     lambda x, y, z: np.sqrt(np.abs((x + y * z).prod(1)) + 10))
fuse("columns", "sums along columns", "x.sum(axis=0) * 2", D, lambda x: x.sum(0) * 2)
fuse("kept", "axes kept", "max(x, axis=1, keepdims=True)", D, lambda x: x.max(1, keepdims=True))
fuse("axes_tuple", "several axes", "min(x, axis=(0, 2))", {"x": numbers("f4", 2, 3, 4)}, lambda x: x.min((0, 2)))
fuse("sum_dtype", "sums of int32 are int64", "(sum(x, axis=0), sum(x, axis=0, dtype=float32))", I,
     lambda x: {"out0": x.sum(0), "out1": x.sum(0, dtype="f4")})
fuse("sum_uint8", "sums of uint8 are uint64", "sum(x)", {"x": numbers("u1", 300, high=255)},
     lambda x: np.asarray(x.sum()))
fuse("truth_rows", "any and all", "(any(x > 2, axis=1), all(x > -3, axis=1))", D,
     lambda x: {"out0": (x > 2).any(1), "out1": (x > -3).all(1)})
fuse("deviation", "mean, var and std with ddof", "(mean(x, axis=1), var(x, axis=1), std(x, axis=1, ddof=1))", D,
     lambda x: {"out0": x.mean(1), "out1": x.var(1), "out2": x.std(1, ddof=1)})
fuse("centred", "elements less the mean of their row", "x - mean(x, axis=1, keepdims=True)", D,
     lambda x: x - x.mean(1, keepdims=True))
fuse("centred_columns", "elements less the mean of their column", "(x - mean(x, axis=0)) / (std(x, axis=0) + 1)", D,
     lambda x: (x - x.mean(0)) / (x.std(0) + 1))
fuse("softmax", "softmax of rows",
     "exp(x - max(x, axis=-1, keepdims=True)) / sum(exp(x - max(x, axis=-1, keepdims=True)), axis=-1, keepdims=True)",
     D, lambda x: np.exp(x - x.max(-1, keepdims=True)) / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True))
fuse("batch_norm", "normalised over all axes but one, scaled",
     "(v - mean(v, axis=(0, 2), keepdims=True)) / sqrt(var(v, axis=(0, 2), keepdims=True) + 0.001) * g + b",
     {"v": numbers("f8", 4, 3, 5), "g": numbers("f8", 3, 1), "b": numbers("f8", 3, 1, seed=2)}, lambda v, g, b:
     (v - v.mean((0, 2), keepdims=True)) / np.sqrt(v.var((0, 2), keepdims=True) + 0.001) * g + b)
fuse("distance", "the largest difference of two arrays", "max(abs(x - y))", D,
     lambda x, y: np.asarray(np.abs(x - y).max()))
fuse("mean_square", "a mean of squares of integers", "mean((x - y) ** 2)", I, lambda x, y: np.asarray(
    ((x - y)**2).mean()))
fuse("nan_total", "a sum without NaN", "sum(where(isnan(x), 0, x))", {"x": np.array([[1, np.nan], [2.5, 3]])},
     lambda x: np.asarray(np.nansum(x)))
fuse("empty_total", "a sum of nothing", "sum(x, axis=1)", {"x": np.zeros((3, 0))}, lambda x: x.sum(1))

# ---- refused --------------------------------------------------------------------------------------
fuse("python_if", "a condition of an array decides", "x if x > 0 else -x", F, refused="fuse|expression|if")
fuse("chained", "a chain of comparisons", "0 < x < 1", F, refused="<")
fuse("unknown_function", "a function that there is not", "sine(x)", F, refused="sin")
fuse("two_arguments", "max of two arrays", "max(x, y)", F, refused="maximum")
fuse("bad_axis", "an axis that there is not", "sum(x, axis=2)", F, refused="axis|axes")
fuse("bad_shapes", "shapes that do not fit", "x + y", {"x": numbers("f4", 3), "y": numbers("f4", 4)},
     refused="broadcast")
fuse("number_too_large", "300 is no uint8 (NumPy 2)", "x + 300", {"x": numbers("u1", 4)}, refused="300")
fuse("real_bits", "bits of reals", "x & y", F, refused="float32|integer")
fuse("matrix_product", "a matrix product", "matmul(x, y)", F, refused="matmul")
fuse("bool_difference", "bool minus bool", "p - q", {"p": numbers("?", 4), "q": numbers("?", 4)}, refused="bool")
