"""Operands that are permuted, strided or broadcast, and copies into another order.

Results are contiguous in the order of their axes on all sides."""
import math

from works.first_random import random_shape
from works.work import (RTOL, SIZE, Work, cupy_random, in_words, inline, is_half, loops, place, random_input,
                        replace_name, shrunk, torch_random)

# Operations on the operands: text of kernels, text for fuse.
DIFFERENCE, SQUARE, PRODUCT, DOUBLE, COPY = "x - y", "(x - y) * (x - y)", "x * y", "x * T(2)", "x"


def permuted(shape, order):
    """The shape in memory of an operand that its `order` of axes makes into `shape`, and the inverse."""
    base = [0] * len(shape)
    for axis, source in enumerate(order):
        base[source] = shape[axis]
    return tuple(base)


class Operand:
    """`order`: axis k of the operand is axis order[k] in memory; `step`: stride in elements along the last axis
    in memory; `single`: axes of length 1 that are repeated."""

    def __init__(self, shape, dtype, order=None, step=1, single=()):
        self.dtype, self.order, self.step = dtype, list(order or range(len(shape))), step
        self.shape = tuple(1 if axis in single else extent for axis, extent in enumerate(shape))
        self.base = list(permuted(self.shape, self.order))
        self.base[-1] *= step
        self.is_plain = step == 1 and self.order == list(range(len(shape)))

    def inputs(self, name, seed):
        if self.is_plain:
            return {name: random_input(self.shape, self.dtype, seed=seed)}
        view = {"of": f"{name}_base"}
        if self.step > 1:
            view["slice"] = ", ".join([":"] * (len(self.base) - 1) + [f"::{self.step}"])
        if self.order != list(range(len(self.order))):
            view["transpose"] = self.order
        return {f"{name}_base": random_input(self.base, self.dtype, seed=seed), name: view}

    def view(self, array):
        """Of the base as an array of CuPy or PyTorch."""
        array = array[..., ::self.step]
        return array.permute(self.order) if hasattr(array, "permute") else array.transpose(self.order)

    def moved(self):
        """Bytes; a strided operand loads every sector that it touches."""
        return math.prod(self.shape) * SIZE[self.dtype] * min(self.step, 32 // SIZE[self.dtype])

    def place(self):
        return "{" + ", ".join("0" if extent == 1 else f"i{axis}" for axis, extent in enumerate(self.shape)) + "}"


def layout_work(name, shape, dtype, operation, operands, family="layouts"):
    names = "xy"[:len(operands)]
    inputs, reference = {}, operation.replace("T(2)", "2.0")
    kernel = operation.replace("T(2)", "2.0f")
    for seed, (letter, operand) in enumerate(zip(names, operands), 1):
        inputs.update(operand.inputs(letter, seed))
    wide = is_half(dtype) and operation != COPY
    lines = "".join(f"const double {a} = double({letter}[{operand.place()}]); "
                    for a, letter, operand in zip("ab", names, operands))
    for a, letter in zip("ab", names):
        reference = replace_name(reference, letter, a)
        kernel = replace_name(kernel, letter, f"float({letter})") if wide else kernel
    axes = range(len(shape))
    kernels = {"elementwise": {"kind": "elementwise", "in": ", ".join(f"T {letter}" for letter in names),
                               "out": "T out", "operation": f"out = T({kernel})" if wide else f"out = {kernel}"},
               "fused": {"kind": "fuse", "expression": fused_text(operation, dtype, names)}}
    head = loops(axes, "out", parallel=True)
    job = inline(inputs, kernels, f"{head}{{ {lines}out[{place(axes)}] = {reference}; }}\n",
                 RTOL[dtype], 1e-6 if SIZE[dtype] >= 4 else 1e-3)

    def bases(draw, module):
        return [operand.view(draw(module, tuple(operand.base), dtype)) for operand in operands]

    def make_cupy(cp):
        given = bases(cupy_random, cp)
        out = cp.empty(shape, given[0].dtype)
        text = "z = " + operation.replace("T(2)", "T(2.0f)")
        elementwise = cp.ElementwiseKernel(", ".join(f"T {letter}" for letter in names), "T z", text, "layout")
        return {"elementwise": lambda: elementwise(*given, out)}

    def make_torch(torch):
        given = bases(torch_random, torch)
        out = torch.empty(shape, dtype=given[0].dtype, device="cuda")
        if operation == COPY:
            return given, [out.copy_], [lambda x: x.clone(memory_format=torch.contiguous_format)]
        into = {DIFFERENCE: lambda x, y: torch.sub(x, y, out=out), PRODUCT: lambda x, y: torch.mul(x, y, out=out),
                SQUARE: lambda x, y: torch.mul(*(2 * [torch.sub(x, y, out=out)]), out=out),
                DOUBLE: lambda x: torch.mul(x, 2, out=out)}[operation]
        whole = {DIFFERENCE: lambda x, y: (x - y).contiguous(), PRODUCT: lambda x, y: (x * y).contiguous(),
                 SQUARE: lambda x, y: ((x - y) * (x - y)).contiguous(),
                 DOUBLE: lambda x: (x * 2).contiguous()}[operation]
        return given, [into], [whole]

    moved = math.prod(shape) * SIZE[dtype] + sum(operand.moved() for operand in operands)
    return Work(name, job, make_cupy, moved, torch=make_torch, family=family)


def fused_text(operation, dtype, names):
    text = operation.replace("T(2)", "2")
    if operation == COPY:
        return "+x"
    if operation == SQUARE and is_half(dtype):
        for letter in names:
            text = replace_name(text, letter, f"astype({letter}, float32)")
        return f"astype({text}, {dtype})"
    return text


def second(small=False):
    def sized(shape):
        return shrunk(shape) if small else shape

    side, flat, outer, picture = sized((12000, 12000)), sized((2537, 9104, 2)), sized((9000, 11000)), (64, 3, 224, 224)
    yield layout_work(f"x.T - y {in_words(side)} float32", side, "float32", DIFFERENCE,
                      [Operand(side, "float32", (1, 0)), Operand(side, "float32")], "transposes")
    yield layout_work(f"(x - y)^2 {in_words(flat)} float32, one permuted (2, 1, 0)", flat, "float32", SQUARE,
                      [Operand(flat, "float32", (2, 1, 0)), Operand(flat, "float32")])
    yield layout_work(f"outer product {in_words(outer)} float64", outer, "float64", PRODUCT,
                      [Operand(outer, "float64", single=(1,)), Operand(outer, "float64", single=(0,))])
    for dtype in ("float32", "bfloat16"):
        base = sized((512, 512, 300))
        shape = tuple(base[axis] for axis in (2, 0, 1))
        yield layout_work(f"x.permute(2, 0, 1) * 2 {in_words(base)} {dtype}", shape, dtype, DOUBLE,
                          [Operand(shape, dtype, (2, 0, 1))], "transposes")
    for dtype in ("float32", "bfloat16"):
        base = sized(picture)
        shape = tuple(base[axis] for axis in (0, 2, 3, 1))
        yield layout_work(f"NCHW to NHWC {in_words(base)} {dtype}", shape, dtype, COPY,
                          [Operand(shape, dtype, (0, 2, 3, 1))], "transposes")


def random_layouts(rng, count, small=False):
    """Any permutation of two to four axes, the last ones sometimes short; strides and broadcasts."""
    for _ in range(count):
        axes = rng.choice((2, 2, 3, 3, 4))
        shape = list(random_shape(rng, 4e7, axes))
        if rng.random() < 0.4:
            short = rng.choice((2, 3, 4, 5, 8))
            shape[0], shape[-1] = max(1, shape[0] * shape[-1] // short), short
        shape = tuple(shrunk(shape) if small else shape)
        dtype, operation = rng.choice(("float32", "float64", "float16", "bfloat16")), rng.choice(
            (SQUARE, DIFFERENCE, DOUBLE, COPY))
        operands, texts = [], []
        for letter in "xy"[:1 if operation in (DOUBLE, COPY) else 2]:
            kinds = ["permuted", "permuted", "plain", "strided"]
            # One operand has the full length of every axis, and a copy of a contiguous one tests no layout.
            if letter == "y" and "broadcast" not in texts:
                kinds.append("broadcast")
            kind = rng.choice(kinds if operation not in (DOUBLE, COPY) else ["permuted", "strided"])
            order = rng.sample(range(axes), axes) if kind == "permuted" else None
            operands.append(Operand(shape, dtype, order, rng.choice((2, 3)) if kind == "strided" else 1,
                                    (rng.randrange(axes),) if kind == "broadcast" else ()))
            texts.append(kind if order is None else f"permuted {tuple(order)}")
        name = f"{operation.replace('T(2)', '2')} {in_words(shape)} {dtype}: {', '.join(texts)}"
        yield layout_work(name, shape, dtype, operation, operands)
