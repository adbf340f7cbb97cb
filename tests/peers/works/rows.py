"""Rows that are reduced and then mapped: softmax, norms, log-sum-exp, cross-entropy.

16-bit rows are converted to float32 first and rounded once at the end, as PyTorch does."""
import math

from works.work import (RTOL, SIZE, Work, cupy_random, in_words, inline, is_half, random_input, shrunk, torch_random)

OPS = ("softmax", "log_softmax", "layer_norm", "rms_norm", "logsumexp", "normalise", "cross_entropy")
PER_ROW = ("logsumexp", "cross_entropy")  # one value for each row
SHAPES = ((4096, 4096), (65536, 128), (128, 262144), (1000003, 33))
MORE_SHAPES = ((2**20, 8), (16, 1000000), (8192, 1000), (2048, 12288))
EPS = "0.00001"


def expression(op, dtype):
    """For `fuse`."""
    x, t = ("astype(x, float32)", "astype(t, float32)") if is_half(dtype) else ("x", "t")
    largest = f"max({x}, axis=-1, keepdims=True)"
    total = f"sum(exp({x} - {largest}), axis=-1, keepdims=True)"
    per_row = f"{largest} + log({total})"  # `fuse` needs the reduced axis kept: results have the shape (rows, 1)
    text = {
        "softmax": f"exp({x} - {largest}) / {total}",
        "log_softmax": f"{x} - {largest} - log({total})",
        "layer_norm": f"({x} - mean({x}, axis=-1, keepdims=True)) / sqrt(var({x}, axis=-1, keepdims=True) + {EPS})",
        "rms_norm": f"{x} / sqrt(mean({x} * {x}, axis=-1, keepdims=True) + {EPS})",
        "logsumexp": per_row,
        "normalise": f"{x} / sqrt(sum({x} * {x}, axis=-1, keepdims=True))",
        "cross_entropy": f"{per_row} - sum({x} * {t}, axis=-1, keepdims=True)"}[op]
    return f"astype({text}, {dtype})" if is_half(dtype) else text


def reference(op):
    """In float64, rows divided among the cores; the same text for all shapes, so that it is compiled once."""
    each = "for (long long c = 0; c < columns; ++c) { const double v = double(x[{r, c}]); "
    largest = f"double m = -1e300;\n{each}m = m > v ? m : v; }}\n"
    sums = f"double s = 0;\n{each}s += exp(v - m); }}\n"
    squares = f"double s = 0;\n{each}s += v * v; }}\n"
    text = {
        "softmax": largest + sums + each + "out[{r, c}] = exp(v - m) / s; }",
        "log_softmax": largest + sums + "const double l = m + log(s);\n" + each + "out[{r, c}] = v - l; }",
        "layer_norm": f"double s = 0, q = 0;\n{each}s += v; }}\nconst double mean = s / columns;\n"
                      f"{each}q += (v - mean) * (v - mean); }}\n"
                      f"const double scale = 1 / sqrt(q / columns + {EPS});\n"
                      f"{each}out[{{r, c}}] = (v - mean) * scale; }}",
        "rms_norm": f"{squares}const double scale = 1 / sqrt(s / columns + {EPS});\n"
                    f"{each}out[{{r, c}}] = v * scale; }}",
        "logsumexp": largest + sums + "out[{r, 0}] = m + log(s);",
        "normalise": squares + "const double scale = 1 / sqrt(s);\n" + each + "out[{r, c}] = v * scale; }",
        "cross_entropy": f"{largest}{sums}double p = 0;\n{each}p += v * double(t[{{r, c}}]); }}\n"
                         "out[{r, 0}] = m + log(s) - p;"}[op]
    return ("const long long rows = x.shape()[0], columns = x.shape()[1];\n#pragma omp parallel for schedule(static)\n"
            f"for (long long r = 0; r < rows; ++r) {{ {text} }}\n")


def tolerance(op, dtype):
    """Relative, and absolute if results are differences of nearly equal numbers."""
    if op in ("softmax", "rms_norm", "normalise"):
        # The step between float16's smallest numbers.
        return RTOL[dtype], 6e-8 if dtype == "float16" else 0.0
    return RTOL[dtype], RTOL[dtype]


def scales(op, columns):
    """Of x, wide enough that rows' results differ, and of the probabilities, whose sum is about 1."""
    wide = 4 if op in PER_ROW else 3 if op.endswith("_norm") else 1  # a normal x would pass as its normalized rows
    return wide, 2 / columns


def plain(xp, op, x, t):
    """Of arrays, for CuPy."""
    if op == "layer_norm":
        return (x - x.mean(-1, keepdims=True)) / xp.sqrt(x.var(-1, keepdims=True) + 1e-5)
    if op == "rms_norm":
        return x / xp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    if op == "normalise":
        return x / xp.sqrt((x * x).sum(-1, keepdims=True))
    largest = x.max(-1, keepdims=True)
    if op == "softmax":
        e = xp.exp(x - largest)
        return e / e.sum(-1, keepdims=True)
    if op == "log_softmax":
        return x - largest - xp.log(xp.exp(x - largest).sum(-1, keepdims=True))
    result = largest[:, 0] + xp.log(xp.exp(x - largest).sum(-1))
    return result - (x * t).sum(-1) if op == "cross_entropy" else result


def cupy_rows(op, shape, dtype):
    def make(cp):
        scale, share = scales(op, shape[1])
        x = cupy_random(cp, shape, dtype, "normal", scale)
        t = cupy_random(cp, shape, dtype, "uniform", share) if op == "cross_entropy" else None
        styles = {"unfused": lambda: plain(cp, op, x, t)}
        if op in ("softmax", "log_softmax", "logsumexp"):
            from cupyx.scipy import special
            library = getattr(special, op)
            styles["library"] = lambda: library(x, axis=-1)
        return styles
    return make


def torch_functions(torch, op, columns, dtype):
    """The library's function, and the plain expression in float32 (float64 of float64)."""
    F = torch.nn.functional
    kind = getattr(torch, dtype)
    half = is_half(dtype)

    def wide(x):
        return x.float() if half else x

    def logsumexp(x):
        m = x.amax(-1, keepdim=True)
        return m[:, 0] + torch.log(torch.exp(x - m).sum(-1))

    def softmax(x):
        e = torch.exp(wide(x) - wide(x).amax(-1, keepdim=True))
        return (e / e.sum(-1, keepdim=True)).to(kind)

    def log_softmax(x):
        v = wide(x)
        d = v - v.amax(-1, keepdim=True)
        return (d - torch.log(torch.exp(d).sum(-1, keepdim=True))).to(kind)

    def layer_norm(x):
        v = wide(x)
        d = v - v.mean(-1, keepdim=True)
        return (d / torch.sqrt((d * d).mean(-1, keepdim=True) + 1e-5)).to(kind)

    def rms_norm(x):
        v = wide(x)
        return (v / torch.sqrt((v * v).mean(-1, keepdim=True) + 1e-5)).to(kind)

    def normalise(x):
        v = wide(x)
        return (v / torch.sqrt((v * v).sum(-1, keepdim=True))).to(kind)

    return {
        "softmax": (lambda x: torch.softmax(x, -1), softmax),
        "log_softmax": (lambda x: torch.log_softmax(x, -1), log_softmax),
        "layer_norm": (lambda x: F.layer_norm(x, (columns,)), layer_norm),
        "rms_norm": (lambda x: F.rms_norm(x, (columns,), eps=1e-5), rms_norm),
        "logsumexp": (lambda x: torch.logsumexp(x, -1), lambda x: logsumexp(wide(x)).to(kind)),
        "normalise": (lambda x: F.normalize(x, dim=-1), normalise),
        "cross_entropy": (lambda x, t: F.cross_entropy(x, t, reduction="none"),
                          lambda x, t: (logsumexp(wide(x)) - (wide(x) * wide(t)).sum(-1)).to(kind))}[op]


def torch_rows(op, shape, dtype):
    def make(torch):
        scale, share = scales(op, shape[1])
        inputs = [torch_random(torch, shape, dtype, "normal", scale)]
        if op == "cross_entropy":
            inputs.append(torch_random(torch, shape, dtype, "uniform", share))
        library, expanded = torch_functions(torch, op, shape[1], dtype)
        return inputs, [library], [library, expanded]
    return make


def rows_work(op, shape, dtype):
    scale, share = scales(op, shape[1])
    inputs = {"x": random_input(shape, dtype, "normal", 1, scale)}
    if op == "cross_entropy":
        inputs["t"] = random_input(shape, dtype, "uniform", 2, share)
    job = inline(inputs, {"fused": {"kind": "fuse", "expression": expression(op, dtype)}},
                 reference(op), *tolerance(op, dtype))
    moved = math.prod(shape) * SIZE[dtype] * (1 if op == "logsumexp" else 2)
    return Work(f"{op} {in_words(shape)} {dtype}", job, cupy_rows(op, shape, dtype), moved, op in PER_ROW,
                torch=torch_rows(op, shape, dtype), family="rows")


def second(small=False, every=False):
    """All operations for two dtypes on four shapes, two of them for all dtypes on all shapes; `every`: all of all."""
    for shape in SHAPES + MORE_SHAPES:
        for op in OPS:
            for dtype in ("float32", "bfloat16", "float64", "float16"):
                usual = shape in SHAPES and dtype in ("float32", "bfloat16")
                if usual or every or op in ("softmax", "layer_norm"):
                    yield rows_work(op, shrunk(shape) if small else shape, dtype)


def random_rows(rng, count, small=False):
    for _ in range(count):
        columns = round(8 * (1e6 / 8) ** rng.random())
        shape = (max(1, round(3e7 / columns * (0.5 + rng.random()))), columns)
        yield rows_work(rng.choice(OPS), shrunk(shape) if small else shape,
                        rng.choice(("float32", "float64", "float16", "bfloat16")))
