"""Random fuse expressions against NumPy: values, dtypes and refusals.

Usage: numpy_oracle.py KERNELBATCH [--count 300] [--seed 1] [--device host] [--outputs 24] [--kernels 20]

Each expression is built as text and computed here at the same time. NumPy 1.24 (Debian 12) promotes by values, so
that every operand is cast to the dtype of NumPy 2 (NEP 50) before NumPy computes: `Weak` holds a number without
a dtype, `common()` is the rule. Where NumPy 2 differs otherwise, the function says so. Expressions that NumPy
refuses, and those that kernelbatch refuses by its documentation, must be refused by `kernelbatch check`.
"""
import argparse
import collections
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

warnings.simplefilter("ignore")
np.seterr(all="ignore")
SHAPE = (4, 6)
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REALS = ["float16", "float32", "float64"]
DTYPES = ["bool", *INTEGERS, *REALS, "complex64", "complex128"]
SHAPES = {"a": SHAPE, "b": SHAPE, "r": SHAPE[1:], "c": (SHAPE[0], 1)}  # whole, a row, a column


class Refused(Exception):
    """An expression that kernelbatch must refuse."""


class Skip(Exception):
    """An expression without a defined result in NumPy."""


class Weak:
    """A literal number; `value` is Python's."""

    def __init__(self, value):
        self.value = value


def is_integer(dtype):
    return dtype.kind in "iu"


def floating(dtype):
    """Result dtype of sin for a dtype."""
    if dtype.kind in "fc":
        return dtype
    return np.dtype({1: "f2", 2: "f4"}.get(dtype.itemsize, "f8"))


def common(*operands):
    """NEP 50: arrays promote each other, a number contributes only its kind."""
    arrays = [x.dtype for x in operands if not isinstance(x, Weak)]
    kinds = [type(x.value) for x in operands if isinstance(x, Weak)]
    if not arrays:
        return np.result_type(*[np.dtype(kind) for kind in kinds])
    dtype = arrays[0]
    for other in arrays[1:]:
        dtype = np.promote_types(dtype, other)
    if complex in kinds and dtype.kind != "c":
        dtype = np.dtype("c8" if dtype.kind == "f" and dtype.itemsize <= 4 else "c16")
    elif float in kinds and dtype.kind in "biu":
        dtype = np.dtype("f8")
    elif int in kinds and dtype.kind == "b":
        dtype = np.dtype("i8")
    return dtype


def cast(x, dtype):
    """An operand as an array of the loop's dtype. NumPy 2 raises OverflowError for a number that does not fit."""
    if not isinstance(x, Weak):
        return x.astype(dtype)
    if is_integer(dtype) and not np.iinfo(dtype).min <= x.value <= np.iinfo(dtype).max:
        raise Refused(f"{x.value} for {dtype}")
    return np.asarray(x.value).astype(dtype) if dtype.kind in "fc" else np.array(x.value, dtype)


def numbers(x):
    return np.asarray(x.value if isinstance(x, Weak) else x).astype(object)


# ---- operations: each takes operands and returns a Weak or an array ------------------------------


def ufunc(function, rule=None, real_only=False, no_bool=False, int8_bool=False):
    def apply(*operands):
        dtype = common(*operands)
        if dtype.kind == "b" and no_bool or dtype.kind == "c" and real_only:
            raise Refused("dtype")
        if dtype.kind == "b" and int8_bool:
            dtype = np.dtype("i1")
        if rule:
            dtype = rule(dtype)
        return function(*[cast(x, dtype) for x in operands])

    return apply


def divided(dtype):
    return dtype if dtype.kind in "fc" else np.dtype("f8")


def integers_only(dtype):
    if dtype.kind in "fc":
        raise Refused("bits of reals")
    return dtype


def compared(function):
    real_order = function not in (np.equal, np.not_equal)

    def apply(a, b):
        dtype = common(a, b)
        if dtype.kind == "c" and real_order:
            raise Refused("order")  # NumPy orders complex numbers by their parts, kernelbatch does not
        kinds = {type(x.value) if isinstance(x, Weak) else x.dtype.kind for x in (a, b)}
        if kinds <= {"i", "u", "b", int, bool}:  # NumPy 2 compares integers exactly
            return np.asarray(function(numbers(a), numbers(b))).astype(bool)
        return function(cast(a, dtype), cast(b, dtype))

    return apply


def power(a, b):
    dtype = common(a, b)
    if dtype.kind == "b":
        dtype = np.dtype("i1")
    if is_integer(dtype):
        x, y = cast(a, dtype), cast(b, dtype)
        if isinstance(b, Weak) and b.value < 0:
            raise Refused("negative power")  # ValueError in NumPy
        # For arrays NumPy raises too; kernelbatch truncates 1 / a ** -b, as CuPy does.
        if dtype.kind == "u":
            return np.power(x, y)
        inverse = np.where(x == 1, 1, np.where(x == -1, np.where(y % 2 == 0, 1, -1), 0))
        return np.where(y < 0, inverse, np.power(x, np.where(y < 0, 0, y).astype(dtype))).astype(dtype)
    x, y = cast(a, dtype), cast(b, dtype)
    if dtype.kind != "c":
        # A literal 0.5 is a square root in NumPy; only later versions do this in np.power as well.
        return np.sqrt(x) if isinstance(b, Weak) and b.value == 0.5 else np.power(x, y)
    # NumPy 1 returns nan if the exponent has an imaginary part.
    return np.where((x == 0) & (np.real(y) > 0), dtype.type(0), np.power(x, y))


def shifted(function):
    return ufunc(function, rule=integers_only, int8_bool=True)


def rounded(function, half_bool=False):
    """NumPy 2.1 does not change integers; np.round converts bool to float16."""

    def apply(x):
        if x.dtype.kind == "c":
            raise Refused("complex")
        if x.dtype.kind == "b" and half_bool:
            return x.astype("f2")
        return x if x.dtype.kind in "biu" else function(x)

    return apply


def sign(x):
    if x.dtype.kind == "b":
        raise Refused("bool")
    if x.dtype.kind != "c":
        return np.sign(x)
    return np.where(x == 0, 0, x / np.abs(x)).astype(x.dtype)  # NumPy 2's


def angle(x):
    return np.angle(x).astype("f8" if x.dtype.kind == "b" else np.abs(np.zeros(1, floating(x.dtype))).dtype)


def where(condition, a, b):
    truth = np.asarray(condition.value if isinstance(condition, Weak) else condition).astype(bool)
    dtype = common(a, b)
    return np.where(truth, cast(a, dtype), cast(b, dtype))


def astype(dtype):
    def apply(x):
        if x.dtype.kind == "c" and dtype not in ("complex64", "complex128"):
            raise Refused("complex to real") if dtype != "bool" else Refused("complex to bool")
        if x.dtype.kind == "f" and np.dtype(dtype).kind in "iu":
            low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
            wide = x.astype("f8")
            if not np.all((wide > low) & (wide < high)):
                raise Skip("undefined in C")
        return x.astype(dtype)

    return apply


def logical(function):
    def apply(a, b):
        return function(*[np.asarray(x.value if isinstance(x, Weak) else x).astype(bool) for x in (a, b)])

    return apply


def fold(python):
    """Operations on only numbers follow Python."""

    def apply(a, b):
        try:
            return Weak(python(a.value, b.value))
        except ZeroDivisionError:
            raise Refused("division") from None

    return apply


TAKE_DTYPE = ("sum", "prod", "mean", "var", "std")


def reduced(function, real_only=False):
    def apply(x, axes, keepdims, dtype=None, ddof=0):
        words = {"axis": axes, "keepdims": keepdims}
        if dtype is not None:
            if x.dtype.kind == "c" or function not in (np.sum, np.prod) and np.dtype(dtype).kind == "i":
                raise Refused("dtype")
            x = astype(dtype)(x)
            if function in (np.sum, np.prod):
                words["dtype"] = dtype
        if x.dtype.kind == "c" and real_only:
            raise Refused("complex")
        if function in (np.var, np.std):
            words["ddof"] = ddof
            if x.dtype.itemsize <= 4 and x.dtype.kind == "f" and np.any(np.abs(x) > 1e15):
                raise Skip("squares that overflow in one order and not in another")
        if x.dtype.str[1:] == "f2" and function in (np.sum, np.prod):  # kernelbatch sums in float32
            return function(x.astype("f4"), axis=axes, keepdims=keepdims).astype("f2")
        return function(x, **words)

    return apply


REDUCTIONS = {"sum": reduced(np.sum), "prod": reduced(np.prod), "mean": reduced(np.mean),
              "max": reduced(np.max, True), "min": reduced(np.min, True), "var": reduced(np.var, True),
              "std": reduced(np.std, True), "any": reduced(np.any), "all": reduced(np.all)}

BINARY = {
    "+": ufunc(np.add), "-": ufunc(np.subtract, no_bool=True), "*": ufunc(np.multiply),
    "/": ufunc(np.true_divide, rule=divided),
    "//": ufunc(np.floor_divide, real_only=True, int8_bool=True),
    "%": ufunc(np.remainder, real_only=True, int8_bool=True),
    "&": ufunc(np.bitwise_and, rule=integers_only), "|": ufunc(np.bitwise_or, rule=integers_only),
    "^": ufunc(np.bitwise_xor, rule=integers_only),
    "<<": shifted(np.left_shift), ">>": shifted(np.right_shift),
    "<": compared(np.less), "<=": compared(np.less_equal), ">": compared(np.greater),
    ">=": compared(np.greater_equal), "==": compared(np.equal), "!=": compared(np.not_equal),
}
PYTHON = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "//": lambda a, b: a // b, "%": lambda a, b: a % b, "**": lambda a, b: a**b,
}
PAIRS = {
    "maximum": ufunc(np.maximum, real_only=True), "minimum": ufunc(np.minimum, real_only=True),
    "logical_and": logical(np.logical_and), "logical_or": logical(np.logical_or),
    "logical_xor": logical(np.logical_xor), "copysign": ufunc(np.copysign, rule=floating, real_only=True),
    "fmod": ufunc(np.fmod, real_only=True, int8_bool=True),
}
SINGLE = {
    "abs": np.abs, "sign": sign, "real": np.real, "imag": np.imag,
    "square": ufunc(np.square, int8_bool=True), "conj": ufunc(np.conj, int8_bool=True),
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "logical_not": np.logical_not,
    "floor": rounded(np.floor), "ceil": rounded(np.ceil), "trunc": rounded(np.trunc),
    "round": rounded(np.rint, half_bool=True), "rint": ufunc(np.rint, rule=floating, real_only=True),
    "-": ufunc(np.negative, no_bool=True), "~": ufunc(np.invert, rule=integers_only),
}
ROUGH = {  # not correctly rounded: only at the root
    **{name: ufunc(getattr(np, name), rule=floating) for name in
       "sin cos tan sinh cosh tanh exp log log10 sqrt".split()},
    **{name: ufunc(getattr(np, "arc" + name[1:] if name[0] == "a" else name), rule=floating, real_only=True)
       for name in "asin acos atan asinh acosh atanh exp2 expm1 log2 log1p cbrt deg2rad rad2deg fabs".split()},
    "angle": angle,
}
ROUGH_PAIRS = {"arctan2": ufunc(np.arctan2, rule=floating, real_only=True),
               "logaddexp": ufunc(np.logaddexp, rule=floating, real_only=True),
               "hypot": ufunc(np.hypot, rule=floating, real_only=True), "power": power}


def has_free_sign(name, a, b, is_computed):
    """True if a result has the sign of a computed NaN, or of one of two zeros, which differs between processors."""
    a, b = np.asarray(a), np.asarray(b)
    if name == "copysign" and is_computed and b.dtype.kind == "f":
        return bool(np.any(np.isnan(b)))
    if name in ("minimum", "maximum") and "f" in a.dtype.kind + b.dtype.kind and "c" not in a.dtype.kind + b.dtype.kind:
        zeros = (a == 0) & (b == 0)
        return bool(np.any(zeros & (np.signbit(a.astype("f8")) != np.signbit(b.astype("f8")))))
    return False


def is_joined(text):
    """True if an inexact product may be added without intermediate rounding (fma), as CUDA does by default."""
    return "*" in text and any(part in text for part in ("/", "0.1", "0.001", "fmod", "%"))


class Generator:
    """Texts with their values. A step that must be refused ends the expression with Refused, which has its text."""

    def __init__(self, seed, arrays):
        self.pick = random.Random(seed)
        self.arrays = arrays

    def step(self, text, function, *operands):
        try:
            value = function(*operands)
        except Refused as why:
            raise Refused(text) from why
        if not isinstance(value, Weak) and all(isinstance(x, Weak) for x in operands):
            raise Skip("no array")
        return text, value

    def array(self, kinds=None):
        names = [name for name, x in self.arrays.items() if kinds is None or x.dtype.kind in kinds]
        name = self.pick.choice(names)
        return name, self.arrays[name]

    def number(self):
        kind = self.pick.choice("iiiiiiffffbLL")
        if kind == "i":
            value = self.pick.randint(0, 9)
        elif kind == "L":
            value = self.pick.choice([127, 128, 255, 256, 300, 32768, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64])
        elif kind == "f":
            value = self.pick.choice([0.0, 0.5, 1.5, 2.0, 3.25, 1e-3, 1e3, 7.0, 0.1])
        else:
            value = self.pick.random() < 0.5
        return repr(value), Weak(value)

    def weak(self, depth):
        if depth == 0 or self.pick.random() < 0.6:
            return self.number()
        if self.pick.random() < 0.25:
            text, x = self.weak(depth - 1)
            return f"(-{text})", Weak(-x.value)
        (s, a), (t, b) = self.weak(depth - 1), self.weak(depth - 1)
        operator = self.pick.choice(list(PYTHON))
        if operator == "**" and not (0 <= b.value <= 6 and abs(a.value) <= 20):
            raise Skip("too large")
        text, result = self.step(f"({s} {operator} {t})", fold(PYTHON[operator]), a, b)
        if abs(result.value) >= 2**126 or isinstance(result.value, complex):
            raise Skip("too large")
        return text, result

    def exact(self, depth, kinds=None):
        """An expression in which every step is rounded correctly."""
        roll = self.pick.random()
        if depth == 0 or roll < 0.1:
            return self.array(kinds)
        s, a = self.exact(depth - 1, kinds)
        if roll < 0.15:
            dtype = self.pick.choice(DTYPES)
            return self.step(f"astype({s}, {dtype})", astype(dtype), a)
        if roll < 0.28:
            name = self.pick.choice(list(SINGLE))
            if a.dtype.kind == "c" and name in ("square", "abs", "sign"):
                raise Skip("rounded otherwise")
            return self.step(f"{name}({s})" if name not in "-~" else f"({name}{s})", SINGLE[name], a)
        # Operands of one family, so that not every result is float64 or refused.
        family = {"b": "biu", "i": "biu", "u": "biu", "f": "biuf", "c": "biufc"}[a.dtype.kind]
        t, b = self.weak(1) if self.pick.random() < 0.35 else self.exact(depth - 1, family)
        if self.pick.random() < 0.25:
            s, a, t, b = t, b, s, a
        dtype = common(a, b)
        if roll < 0.38:
            name = self.pick.choice(list(PAIRS))
            if has_free_sign(name, getattr(a, "value", a), getattr(b, "value", b), "(" in t):
                raise Skip("a sign that nothing determines")
            return self.step(f"{name}({s}, {t})", PAIRS[name], a, b)
        if roll < 0.44:
            u, c = self.array()
            return self.step(f"where({u}, {s}, {t})", where, c, a, b)
        if roll < 0.5 and dtype.kind in "iub":
            return self.step(f"({s} ** {t})", power, a, b)
        operator = self.pick.choice([o for o in BINARY if dtype.kind in "iub" or o not in "&|^<<>>" or
                                     self.pick.random() < 0.1 or o in "<>"])
        if operator in "*/" and dtype.kind == "c":
            raise Skip("rounded otherwise")
        return self.step(f"({s} {operator} {t})", BINARY[operator], a, b)

    def rough(self):
        text, x = self.exact(1)
        if self.pick.random() < 0.7:
            name = self.pick.choice(list(ROUGH))
            return self.step(f"{name}({text})", ROUGH[name], x)
        t, y = self.exact(0) if self.pick.random() < 0.6 else self.weak(1)
        name = self.pick.choice(list(ROUGH_PAIRS))
        return self.step(f"({text} ** {t})" if name == "power" else f"{name}({text}, {t})", ROUGH_PAIRS[name], x, y)

    def reduction(self):
        """A reduction in one of its spellings, and the size of its rounding errors."""
        name = self.pick.choice(list(REDUCTIONS))
        operand, x = self.exact(self.pick.randint(0, 2)) if name in ("max", "min", "any", "all") else self.summand()
        axes = self.pick.choice([None, *range(x.ndim), -1, tuple(range(x.ndim))])
        keepdims = self.pick.random() < 0.3
        dtype = self.pick.choice([None, None, "float32", "float64", "int16"]) if name in TAKE_DTYPE else None
        ddof = self.pick.choice([0, 1, 2]) if name in ("var", "std") else 0
        said = [f"axis={axes}" if self.pick.random() < 0.7 else str(axes)] if axes is not None else []
        said += ["keepdims=True"] * keepdims + [f"dtype={dtype}"] * (dtype is not None) + [f"ddof={ddof}"] * (ddof > 0)
        if self.pick.random() < 0.5:
            text = f"({operand}).{name}({', '.join(said)})"
        else:
            text = f"{self.pick.choice(['', 'np.'])}{name}({', '.join([operand, *said])})"
        text, value = self.step(text, lambda y: REDUCTIONS[name](y, axes, keepdims, dtype, ddof), x)
        return text, value, self.scale(name, x), (
            x.shape, axes if axes is None else tuple(np.atleast_1d(axes) % x.ndim), keepdims)

    @staticmethod
    def scale(name, x):
        largest = float(np.max(np.abs(np.where(np.isfinite(x), x, 0).astype("c16"))))
        return max(1.0, x.size * largest * (largest if name == "var" else 1.0))

    def normalisation(self):
        """Elements combined with their reduction along any axes."""
        name = self.pick.choice(["sum", "mean", "max", "min"])
        operand, x = self.summand()
        axes = self.pick.choice([None, *range(x.ndim), tuple(range(x.ndim))])
        keepdims = axes is not None and (axes != 0 or self.pick.random() < 0.5)
        said = [operand] + [f"axis={axes}"] * (axes is not None) + ["keepdims=True"] * keepdims
        text, value = self.step(f"{name}({', '.join(said)})", lambda y: REDUCTIONS[name](y, axes, keepdims), x)
        text, value = self.step(f"({operand} * {text})", BINARY["*"], x, np.asarray(value))
        largest = self.scale("var", x)
        return text, value, largest, ("rows", x.shape, str(axes), keepdims)

    def summand(self):
        """Summable values: without extremes, so that the order of additions matters little."""
        if self.pick.random() < 0.5:
            return self.exact(1, "biu")
        name, x = self.array("fc")
        if not np.all(np.isfinite(x)):
            name, x = f"where(isfinite({name}), {name}, 1)", np.where(np.isfinite(x), x, x.dtype.type(1))
        return name, x

    def expression(self):
        """Text, value, the size of its rounding errors (0: none), and a key of expressions that may share its kernel."""
        roll = self.pick.random()
        if roll < 0.6:
            text, x = self.exact(3)
            return text, x, int(is_joined(text)), x.shape
        if roll < 0.85:
            text, x = self.rough()
            return text, x, 1, x.shape
        return self.reduction() if roll < 0.95 else self.normalisation()


def inputs(seed):
    """Inputs named i8a, u1r, …: kind and bytes, then the shape. Integers include their limits, reals inf and nan."""
    values = np.random.default_rng(seed)
    arrays = {}
    for dtype in DTYPES:
        for letter, shape in SHAPES.items():
            size = math.prod(shape)
            kind = np.dtype(dtype).kind
            if kind == "b":
                x = values.integers(0, 2, size)
            elif kind in "iu":
                x = values.integers(-9 if kind == "i" else 0, 10, size).astype(dtype)
                limits = np.iinfo(dtype)
                special = [limits.min, limits.max, limits.max - 1, limits.min + 1, 0, 1]
            else:
                x = (values.integers(-40, 41, size) / 8).astype(dtype)
                special = [0.0, -0.0, math.inf, -math.inf, math.nan]
                if kind == "c":
                    x = (x + 1j * values.integers(-16, 17, size) / 8).astype(dtype)
            if kind in "iuf":
                for at in values.permutation(size)[: size // 4]:
                    x[at] = special[values.integers(len(special))]
            name = np.dtype(dtype).str[1:] + letter
            arrays[name] = np.asarray(x).astype(dtype).reshape(shape)
    return arrays


def tolerance(dtype):
    return {"f2": 4e-3, "f4": 4e-6, "c8": 8e-6, "c16": 1e-12}.get(dtype.str[1:], 1e-13)


def differs(got, wanted, roundings):
    """Why the arrays differ; empty if they agree. `roundings` is the scale of rounding errors; 0: exact."""
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"{got.dtype} {got.shape}, not {wanted.dtype} {wanted.shape}"
    if wanted.dtype.kind in "fc":
        rtol = tolerance(wanted.dtype) if roundings else 0
        fits = np.isclose(got.astype("c16"), wanted.astype("c16"), rtol=rtol, atol=rtol * roundings, equal_nan=True)
        if wanted.dtype.kind == "c":  # inf and nan in parts: one of them is enough
            fits |= ~np.isfinite(got) & ~np.isfinite(wanted)
    else:
        fits = got == wanted
    if np.all(fits):
        return ""
    at = tuple(np.argwhere(~fits)[0])
    return f"{got[at]!r}, not {wanted[at]!r}, at {tuple(map(int, at))}"


class Runner:
    def __init__(self, command, device, folder, arrays):
        self.command, self.device, self.folder = command, device, pathlib.Path(folder)
        self.arrays = arrays
        for name, x in arrays.items():
            np.save(self.folder / f"{name}.npy", x)

    def job(self, variants):
        lines = ["kernelbatch: 1", "workload: inline", f"device: {self.device}", "reference: none", "inputs:"]
        used = " ".join(text for texts in variants for text in texts)
        lines += [f"  {name}: {{file: {name}.npy}}" for name in self.arrays if name in used]
        lines.append("variants:")
        for k, texts in enumerate(variants):
            lines.append(f"  v{k}: {{kind: fuse, expression: \"{', '.join(texts)}\"}}")
        lines.append("measure: {preset: quick, warmup: 0, hot: false, calibrate: false, "
                     "stop: {min_samples: 1, max_samples: 1}}")
        lines.append(f"output: {{file: \"{self.folder}/out.h5\", arrays: all}}")
        (self.folder / "job.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return self.folder / "job.yaml"

    def call(self, *words):
        return subprocess.run([self.command, *map(str, words)], capture_output=True, text=True, check=False)

    def refusal(self, texts):
        """The first line with a reason, or nothing if the job is valid."""
        done = self.call("check", self.job([texts]))
        if done.returncode == 0:
            return ""
        return next((line for line in done.stderr.splitlines() if "fuse" in line or "broadcast" in line), done.stderr)

    def values(self, variants):
        """Outputs of each variant."""
        for old in self.folder.glob("out.h5*"):
            subprocess.run(["rm", "-rf", old], check=True)
        subprocess.run(["rm", "-rf", self.folder / "arrays"], check=True)
        done = self.call("run", self.job(variants), "-q")
        self.call("export", self.folder / "out.h5", "--format", "npy", "-o", self.folder / "arrays")
        results = []
        for k, texts in enumerate(variants):
            names = ["out"] if len(texts) == 1 else [f"out{n}" for n in range(len(texts))]
            found = [next(self.folder.glob(f"arrays/*/v{k}/{name}.npy"), None) for name in names]
            results.append([np.load(path) if path else None for path in found])
        if any(x is None for each in results for x in each):
            print(done.stdout[-1500:], done.stderr[-3000:])
        return results


def judge(runner, batches):
    """Errors of expressions that must be computed."""
    results = runner.values([[each[0] for each in batch] for batch in batches])
    for batch, outputs in zip(batches, results):
        for (text, wanted, roundings, _), got in zip(batch, outputs):
            why = "no result" if got is None else differs(got, wanted, roundings)
            if why:
                yield f"{text}\n    {why}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="host")
    parser.add_argument("--outputs", type=int, default=24, help="expressions in one kernel")
    parser.add_argument("--kernels", type=int, default=20, help="kernels in one job")
    options = parser.parse_args()
    arrays = inputs(options.seed)
    generator = Generator(options.seed, arrays)
    accepted, refused, faults = collections.defaultdict(list), [], []
    total = 0
    while total < options.count:
        try:
            made = generator.expression()
            made = (made[0], np.asarray(made[1]), *made[2:])
            accepted[made[3]].append(made)
            total += 1
        except Refused as why:
            if 10 * len(refused) < total:
                refused.append(str(why))
                total += 1
        except Skip:
            pass
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.command, options.device, folder, arrays)
        for text in refused:
            if not runner.refusal([text]):
                faults.append(f"{text}\n    not refused")
        batches = []
        for key, group in accepted.items():
            size = 5 if isinstance(key[-1], bool) else options.outputs  # reductions of one kernel have 256 bytes
            for first in range(0, len(group), size):
                batch = group[first : first + size]
                if runner.refusal([each[0] for each in batch]):
                    for each in list(batch):
                        if why := runner.refusal([each[0]]):
                            faults.append(f"{each[0]}\n    refused: {why}")
                            batch.remove(each)
                if batch:
                    batches.append(batch)
        for first in range(0, len(batches), options.kernels):
            faults += judge(runner, batches[first : first + options.kernels])
    for fault in faults:
        print(fault)
    print(f"{total} expressions, {len(refused)} to be refused, {len(batches)} kernels: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
