"""Reductions: the mean squared error of many sizes, sums over axes, and random axes.

16-bit elements are summed in float32, and the result is float32."""
import itertools
import math

from works.first_random import random_shape
from works.work import (SIZE, Work, cupy_random, in_words, inline, is_half, loops, place, random_input, rounded,
                        shrunk, torch_random)

SUM_RTOL = {"float64": 1e-10, "float32": 5e-5}
CUBE = (512, 512, 512)


def result_dtype(dtype):
    return {"int8": "int64", "float16": "float32", "bfloat16": "float32"}.get(dtype, dtype)


def reduced(shape, axes, value, finish):
    """A reference in float64: `value` of an element is added up, `finish` makes the result of the sum."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    if not kept:
        first = f"#pragma omp parallel for reduction(+ : sum) schedule(static)\n{loops(axes, 'x')}"
        return f"double sum = 0;\n{first}{{ sum += {value}; }}\nout[0] = {finish};\n"
    return (f"{loops(kept, 'x', parallel=True)}{{ double sum = 0;\n{loops(axes, 'x')}"
            f"{{ sum += {value}; }}\nout[{place(kept)}] = {finish}; }}\n")


def kernel(parameters, dtype, value, finish="a", axes=None):
    """A reduction kernel; `value` is of numbers as wide as the result."""
    wide = result_dtype(dtype)
    options = {"kind": "reduction", "in": ", ".join(f"{dtype} {name}" for name in parameters), "out": f"{wide} out",
               "map": value, "reduce": "a + b", "post_map": f"out = {finish}", "identity": "0"}
    if wide != dtype:
        options["reduce_type"] = {"int64": "long long", "float32": "float"}[wide]
    if axes is not None:
        options["axis"] = list(axes)
    return options


def widened(name, dtype):
    return {"int8": f"static_cast<long long>({name})", "float16": f"float({name})",
            "bfloat16": f"float({name})"}.get(dtype, name)


# ---------------------------------------------------------------- mean squared error

def mse_work(n, dtype):
    x, y = (widened(name, dtype) for name in "xy")
    fx, fy = (f"astype({name}, float32)" if is_half(dtype) else name for name in "xy")
    wide = result_dtype(dtype)
    job = inline({"x": random_input((n,), dtype, seed=1), "y": random_input((n,), dtype, seed=2)},
                 {"reduction": kernel("xy", dtype, f"({x} - {y}) * ({x} - {y})", "a / _in_ind.size()"),
                  "fused": {"kind": "fuse", "expression": f"mean(({fx} - {fy}) * ({fx} - {fy}))"}},
                 reduced((n,), (0,), "(double(x[i0]) - double(y[i0])) * (double(x[i0]) - double(y[i0]))",
                         "sum / x.size()"), SUM_RTOL[wide])

    def make_cupy(cp):
        a, b = cupy_random(cp, (n,), dtype), cupy_random(cp, (n,), dtype)
        c = "float" if is_half(dtype) else ""
        reduction = cp.ReductionKernel("T x, T y", "O out" if c else "T out", f"({c}(x) - {c}(y)) * ({c}(x) - {c}(y))",
                                       "a + b", "out = a / _in_ind.size()", "0", "mse", reduce_type=c or None)
        out = cp.empty((), wide)
        return {"reduction": lambda: reduction(a, b, out), "unfused": lambda: cp.mean((a - b) ** 2)}

    def make_torch(torch):
        inputs = [torch_random(torch, (n,), dtype), torch_random(torch, (n,), dtype)]

        def mse(x, y):
            return ((x - y) ** 2).mean(dtype=getattr(torch, wide))
        if not is_half(dtype):
            return inputs, [mse], [mse]
        return inputs, [mse], [mse, lambda x, y: ((x.float() - y.float()) ** 2).mean()]

    return Work(f"mse {rounded(n)} {dtype}", job, make_cupy, 2 * n * SIZE[dtype], True, torch=make_torch,
                cub=("mse", dtype, n), family="mse")


# ---------------------------------------------------------------- sums over axes

def cub_sum(shape, axes, dtype):
    """CUB sums everything, or segments that lie one after another."""
    if len(axes) == len(shape):
        return ("sum", dtype, math.prod(shape))
    if list(axes) != list(range(len(shape) - len(axes), len(shape))):
        return None
    length = math.prod(shape[axis] for axis in axes)
    return ("segments", dtype, math.prod(shape) // length, length)


def sum_work(shape, axes, dtype, operation="sum"):
    """`operation`: sum, mean, or l2norm."""
    wide = result_dtype(dtype)
    count = math.prod(shape[axis] for axis in axes)
    index = place(range(len(shape)))
    square = operation == "l2norm"
    v, fv = widened("x", dtype), f"astype(x, {wide})" if is_half(dtype) else "x"
    finish = {"sum": "{}", "mean": f"{{}} / {count}", "l2norm": "sqrt({})"}[operation]
    call = f"sum({fv} * {fv}, axis={tuple(axes)})" if square else \
        f"{'mean' if operation == 'mean' else 'sum'}({fv}, axis={tuple(axes)})"
    job = inline({"x": random_input(shape, dtype)},
                 {"reduction": kernel("x", dtype, f"{v} * {v}" if square else v, finish.format("a"), axes),
                  "fused": {"kind": "fuse", "expression": (f"sqrt({call})" if square else call).replace(",)", ")")}},
                 reduced(shape, axes, f"double(x[{index}]) * double(x[{index}])" if square else f"double(x[{index}])",
                         finish.format("sum")), SUM_RTOL.get(wide, 0))

    def make_cupy(cp):
        x = cupy_random(cp, shape, dtype)
        if square:
            return {"unfused": lambda: cp.sqrt(cp.sum(x * x, axis=tuple(axes), dtype=wide))}
        function = cp.mean if operation == "mean" else cp.sum
        return {"library": lambda: function(x, axis=tuple(axes), dtype=wide)}

    def make_torch(torch):
        kind = getattr(torch, wide)
        if square:
            def function(x):
                return torch.linalg.vector_norm(x, dim=tuple(axes), dtype=kind)
            return [torch_random(torch, shape, dtype)], [function], [
                function, lambda x: torch.sqrt((x.to(kind) * x.to(kind)).sum(tuple(axes)))]
        call = torch.mean if operation == "mean" else torch.sum

        def total(x):
            return call(x, dim=tuple(axes), dtype=kind)
        return [torch_random(torch, shape, dtype)], [total], [total]

    moved = math.prod(shape) * SIZE[dtype] + math.prod(shape) // count * SIZE[wide]
    return Work(f"{operation} {in_words(shape)} over {','.join(map(str, axes))} {dtype}", job, make_cupy, moved, True,
                torch=make_torch, cub=cub_sum(shape, axes, dtype) if operation == "sum" else None, family="sums")


def second(small=False):
    for dtype in ("float32", "float64", "bfloat16"):
        for power in range(3, 9):
            yield mse_work(10**power if not small else 10**min(power, 4) + power, dtype)
    for shape, axes in ((CUBE, (0,)), (CUBE, (1,)), (CUBE, (2,)), (CUBE, (0, 2)), ((10**6, 64), (0,)),
                        ((64, 10**6), (1,))):
        yield sum_work(shrunk(shape) if small else shape, axes, "float32")
    yield sum_work((10**8,) if not small else (10_007,), (0,), "int8")


def random_reductions(rng, count, small=False):
    for _ in range(count):
        shape = random_shape(rng, 6e7, rng.choice((1, 2, 2, 2, 3, 3, 4)))
        choices = [c for size in range(1, len(shape) + 1) for c in itertools.combinations(range(len(shape)), size)]
        axes, dtype = rng.choice(choices), rng.choice(("float32", "float64", "float16", "bfloat16"))
        yield sum_work(shrunk(shape) if small else shape, axes, dtype, rng.choice(("sum", "mean", "l2norm")))
