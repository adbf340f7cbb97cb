"""A work: a kernelbatch job, and a function for each peer that makes its callables.

All sides use the same operation, shapes, dtypes and distributions of values."""
import dataclasses
import math
import re
import typing

SIZE = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int8": 1, "int64": 8, "complex128": 16}
# Tolerance of each dtype's results; 16-bit types compute in float32 and round once.
RTOL = {"float64": 1e-11, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1e-2}


@dataclasses.dataclass
class Work:
    name: str
    job: dict  # workload and params, or a whole inline job
    cupy: typing.Callable | None  # takes the module cupy; {style: callable}
    bytes: float  # that must move once; 0 = bound by arithmetic
    reads_only: bool = False  # its ceiling is the read speed
    target: str = ""  # of the first table, in words
    torch: typing.Callable | None = None  # of the module torch: inputs, functions run eagerly, functions compiled
    cub: tuple | None = None  # a case of cub_side.cu and its arguments
    family: str = ""  # its targets are in targets.py


def is_half(dtype):
    return dtype in ("float16", "bfloat16")


def shrunk(shape, most=20_000):
    """The same shape made small: the longest axes are cut, short ones stay."""
    shape = list(shape)
    while math.prod(shape) > most:
        longest = max(range(len(shape)), key=shape.__getitem__)
        shape[longest] = shape[longest] // 5 + 1
    return tuple(shape)


def in_words(shape):
    return "x".join(map(str, shape))


def replace_name(text, name, by):
    return re.sub(rf"\b{name}\b", by, text)


def rounded(count):
    return f"{count:.0e}" if float(f"{count:.0e}") == count else str(count)


# ---------------------------------------------------------------- arrays of the peers

def cupy_dtype(dtype):
    import numpy as np
    if dtype != "bfloat16":
        return np.dtype(dtype)
    import ml_dtypes
    return np.dtype(ml_dtypes.bfloat16)


def uniform(cp, shape, dtype):
    import numpy as np
    count = 1
    for extent in shape:
        count *= extent
    rng = cp.random.default_rng(7)
    if np.dtype(dtype).kind == "i":
        return rng.integers(-100, 100, count).astype(dtype).reshape(shape)
    if np.dtype(dtype).kind == "c":
        return (rng.random(count) + 1j * rng.random(count)).astype(dtype).reshape(shape)
    single = np.dtype(dtype) == np.float32
    return rng.random(count, dtype=np.float32 if single else np.float64).reshape(shape)


def cupy_random(cp, shape, dtype, kind="uniform", scale=1):
    """Uniform in [0, scale) or normal of this deviation, or small integers; made in float32 if that suffices."""
    import numpy as np
    rng = cp.random.default_rng(7)
    if dtype == "int8":
        return rng.integers(-100, 100, shape).astype(np.int8)
    made = np.float64 if dtype == "float64" else np.float32
    draw = rng.standard_normal if kind == "normal" else rng.random
    array = draw(shape, dtype=made)
    if scale != 1:
        array *= made(scale)
    return array.astype(cupy_dtype(dtype), copy=False)


def torch_random(torch, shape, dtype, kind="uniform", scale=1):
    if dtype == "int8":
        return torch.randint(-100, 100, shape, dtype=torch.int8, device="cuda")
    draw = torch.randn if kind == "normal" else torch.rand
    array = draw(shape, dtype=getattr(torch, dtype), device="cuda")
    return array.mul_(scale) if scale != 1 else array


# ---------------------------------------------------------------- jobs

def random_input(shape, dtype, kind="uniform", seed=1, scale=1):
    if dtype == "int8":
        return {"random": "integers", "low": -100, "high": 100, "shape": list(shape), "dtype": dtype, "seed": seed}
    if kind == "normal":
        return {"random": "normal", "std": scale, "shape": list(shape), "dtype": dtype, "seed": seed}
    return {"random": "uniform", "high": scale, "shape": list(shape), "dtype": dtype, "seed": seed}


def inline(inputs, variants, reference, rtol, atol=0.0):
    tolerance = {"rtol": rtol, "atol": atol} if rtol else {"mode": "exact"}
    return {"workload": "inline", "inputs": inputs, "variants": variants, "reference": {"cpp": reference},
            "verify": {"tolerance": tolerance}}


def loops(axes, of, parallel=False):
    """The heads of loops over some axes of the array `of`; with `parallel` the outer ones are divided among threads.
    Extents are read from the array, so that one text for all shapes is compiled once."""
    text = "".join(f"for (long long i{axis} = 0; i{axis} < {of}.shape()[{axis}]; ++i{axis})\n" for axis in axes)
    if parallel and axes:
        text = f"#pragma omp parallel for collapse({len(axes)}) schedule(static)\n" + text
    return text


def place(axes):
    """The index of an element in a reference's text."""
    return "{" + ", ".join(f"i{axis}" for axis in axes) + "}"


def plugin(workload, **params):
    return {"workload": workload, "params": params}


def cpp_loops(shape, kept, reduced, sum_line, store_line):
    """Loops over the kept axes around loops over the reduced ones."""
    text = ""
    for axis in kept:
        text += f"for (long long i{axis} = 0; i{axis} < {shape[axis]}LL; ++i{axis})\n"
    text += "{ double sum = 0;\n"
    for axis in reduced:
        text += f"for (long long i{axis} = 0; i{axis} < {shape[axis]}LL; ++i{axis})\n"
    return text + "{ " + sum_line + " }\n" + store_line + " }\n"


def inline_norm(name, shape, axes, dtype):
    reduced = sorted(axes)
    kept = [axis for axis in range(len(shape)) if axis not in reduced]
    index = ", ".join(f"i{axis}" for axis in range(len(shape)))
    out = "out[{" + ", ".join(f"i{axis}" for axis in kept) + "}]" if kept else "out[0]"
    return {"name": name, "workload": "inline",
            "inputs": {"x": {"random": "uniform", "shape": list(shape), "dtype": dtype, "seed": 1}},
            "variants": {"reduction": {"kind": "reduction", "in": "T x", "out": "T out", "map": "x * x",
                                       "reduce": "a + b", "post_map": "out = sqrt(a)", "identity": "0",
                                       "axis": reduced}},
            "reference": {"cpp": cpp_loops(shape, kept, reduced,
                                           f"const double v = x[{{{index}}}]; sum += v * v;",
                                           f"{out} = sqrt(sum);")},
            "verify": {"tolerance": {"rtol": 1e-4 if dtype == "float32" else 1e-10}}}


def inline_squared_diff(name, inputs, shape, dtype):
    index = ", ".join(f"i{axis}" for axis in range(len(shape)))
    loops = "".join(f"for (long long i{axis} = 0; i{axis} < {extent}LL; ++i{axis})\n"
                    for axis, extent in enumerate(shape))
    at = {}
    for operand in "xy":
        own = inputs[operand].get("_shape", shape)
        at[operand] = ", ".join("0" if own[axis] == 1 else f"i{axis}" for axis in range(len(shape)))
    clean = {key: {k: v for k, v in value.items() if k != "_shape"} for key, value in inputs.items()}
    return {"name": name, "workload": "inline", "inputs": clean,
            "variants": {"elementwise": {"kind": "elementwise", "in": "T x, T y", "out": "T out",
                                         "operation": "out = (x - y) * (x - y)"}},
            "reference": {"cpp": loops + f"{{ const auto d = x[{{{at['x']}}}] - y[{{{at['y']}}}]; "
                                         f"out[{{{index}}}] = d * d; }}"},
            "verify": {"tolerance": {"rtol": 1e-5 if dtype == "float32" else 1e-12, "atol": 1e-6}}}
