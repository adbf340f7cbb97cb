"""Maps of elements: a function of many instructions, gelu, sums and clips of 16-bit numbers."""
import math

from works.work import (RTOL, SIZE, Work, cupy_random, inline, is_half, loops, place, plugin, random_input,
                        replace_name, rounded, torch_random)

# 16-bit elements compute in float32. {f} is the suffix of a constant, {e} and {tanh}, {erf} functions of the type.
TANH = "0.5{f} * v * (1.0{f} + tanh{f}(0.7978845608028654{f} * (v + 0.044715{f} * v * v * v)))"
ERF = "0.5{f} * v * (1.0{f} + erf{f}(v * 0.7071067811865476{f}))"
MAPS = {
    # name: (inputs, text of numbers v and w, text for fuse, text of the reference)
    "gelu_tanh": ("x", TANH, "0.5 * v * (1 + tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)))", TANH),
    "gelu_erf": ("x", ERF, None, ERF),  # `fuse` has no erf
    "add": ("xy", "v + w", "v + w", "v + w"),
    "multiply": ("xy", "v * w", "v * w", "v * w"),
    "clip": ("x", "v < -0.5{f} ? -0.5{f} : v > 0.5{f} ? 0.5{f} : v", "clip(v, -0.5, 0.5)",
             "v < -0.5 ? -0.5 : v > 0.5 ? 0.5 : v"),
    "square_plus": ("xy", "v * v + w", "v * v + w", "v * v + w"),
    "silu": ("x", "v / (1.0{f} + exp{f}(-v))", "v / (1 + exp(-v))", "v / (1.0 + exp(-v))")}
NAMES = {"x": "v", "y": "w"}
# float16 sums of squares may come near zero by cancelling; results of differences get an absolute part.
ATOL = {"float64": 1e-12, "float32": 2e-6, "float16": 1e-4, "bfloat16": 1e-3}


def fused_text(op, dtype):
    inputs, _, text, _ = MAPS[op]
    if text is None:
        return None
    wide = is_half(dtype) and op not in ("add", "multiply", "clip")  # a single operation rounds once either way
    for name in inputs:
        text = replace_name(text, NAMES[name], f"astype({name}, float32)" if wide else name)
    return f"astype({text}, {dtype})" if wide else text


def numbers(op, dtype):
    """The map's text for a kernel, after the lines that name its numbers."""
    inputs, text, _, _ = MAPS[op]
    kind, suffix = ("double", "") if dtype == "float64" else ("float", "f")
    lines = "".join(f"const {kind} {NAMES[name]} = {name}; " for name in inputs)
    return lines, text.format(f=suffix), kind


def cupy_map(op, shape, dtype):
    inputs = MAPS[op][0]

    def make(cp):
        given = [cupy_random(cp, shape, dtype, "normal") for _ in inputs]
        out = cp.empty_like(given[0])
        lines, text, kind = numbers(op, dtype)
        casts = "".join(f"const {kind} {NAMES[name]} = static_cast<{kind}>({name}); " for name in inputs)
        kernel = cp.ElementwiseKernel(", ".join(f"T {name}" for name in inputs), "T out", f"{casts}out = T({text})",
                                      "map")
        return {"elementwise": lambda: kernel(*given, out)}
    return make


def torch_map(op, shape, dtype):
    def make(torch):
        inputs = [torch_random(torch, shape, dtype, "normal") for _ in MAPS[op][0]]
        F = torch.nn.functional
        function = {"gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "gelu_erf": lambda x: F.gelu(x),
                    "add": lambda x, y: x + y, "multiply": lambda x, y: x * y, "silu": lambda x: F.silu(x),
                    "clip": lambda x: torch.clamp(x, -0.5, 0.5), "square_plus": lambda x, y: x * x + y}[op]
        return inputs, [function], [function]
    return make


def map_work(op, shape, dtype, rtol=None):
    inputs = MAPS[op][0]
    lines, text, _ = numbers(op, dtype)
    fused = fused_text(op, dtype)
    variants = {"elementwise": {"kind": "elementwise", "in": ", ".join(f"T {name}" for name in inputs),
                                "out": "T out", "operation": f"{lines}out = T({text})"}}
    if fused is not None:
        variants["fused"] = {"kind": "fuse", "expression": fused}
    count = math.prod(shape)
    axes = range(len(shape))
    casts = "".join(f"const double {NAMES[name]} = double({name}[{place(axes)}]); " for name in inputs)
    reference = f"{loops(axes, 'x', parallel=True)}{{ {casts}out[{place(axes)}] = {MAPS[op][3].format(f='')}; }}\n"
    job = inline({name: random_input(shape, dtype, "normal", seed) for seed, name in enumerate(inputs, 1)}, variants,
                 reference, rtol or RTOL[dtype], ATOL[dtype])
    moved = (len(inputs) + 1) * count * SIZE[dtype]
    where = rounded(count) if len(shape) == 1 else "x".join(map(str, shape))
    return Work(f"{op} {where} {dtype}", job, cupy_map(op, shape, dtype), moved, torch=torch_map(op, shape, dtype),
                cub=(op, dtype, count), family="16-bit" if is_half(dtype) else "elementwise")


def sin_exp_work(n, dtype):
    """The plugin's best styles."""
    def make_cupy(cp):
        x, y = cupy_random(cp, (n,), dtype), cp.empty((n,), dtype)
        kernel = cp.ElementwiseKernel("T x", "T y", "y = sin(x) * exp(-x * x)", "sin_exp")
        return {"elementwise": lambda: kernel(x, y)}

    def make_torch(torch):
        def function(x):
            return torch.sin(x) * torch.exp(-x * x)
        return [torch_random(torch, (n,), dtype)], [function], [function]

    job = dict(plugin("sin_exp", n=n, dtype=dtype), variants=["raw", "elementwise", "fused"])
    return Work(f"sin_exp {rounded(n)} {dtype}", job, make_cupy, 2 * n * SIZE[dtype], torch=make_torch,
                cub=("sin_exp", dtype, n), family="elementwise")


def second(small=False):
    for dtype in ("float32", "float64"):
        for power in range(3, 9):
            yield sin_exp_work(10**power if not small else 1000 + power, dtype)
    for n in (10**8, 10**5):
        for op in ("gelu_tanh", "gelu_erf"):
            for dtype in ("bfloat16", "float16", "float32"):
                yield map_work(op, (n if not small else 10_007,), dtype)
    for op, dtypes in (("add", ("bfloat16", "float16")), ("clip", ("bfloat16", "float32", "float64"))):
        for dtype in dtypes:
            yield map_work(op, (10**8 if not small else 10_007,), dtype)


def random_maps(rng, count, small=False):
    """16-bit, of any size."""
    for _ in range(count):
        n = round(10 ** (3 + 5 * rng.random()))
        op, dtype = rng.choice(sorted(MAPS)), rng.choice(("bfloat16", "float16"))
        yield map_work(op, (n if not small else n % 9973 + 1000,), dtype)
