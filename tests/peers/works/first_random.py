"""Random shapes of the first round: 20 reductions and 20 layouts."""
import itertools
import random

from works.first_table import cupy_l2norm
from works.work import Work, inline_norm, inline_squared_diff, uniform


def random_shape(rng, count, axes):
    """Extents whose product is about `count`, some small, some large, few of them powers of two."""
    weights = [rng.random() ** 2 + 0.05 for _ in range(axes)]
    total = sum(weights)
    return tuple(max(1, round(count ** (weight / total))) for weight in weights)


def random_works(seed, count=20):
    rng = random.Random(seed)
    works = []
    for k in range(count):
        shape = random_shape(rng, 6e7, rng.choice((1, 2, 2, 2, 3, 3, 4)))
        choices = [c for size in range(1, len(shape) + 1) for c in itertools.combinations(range(len(shape)), size)]
        axes, dtype = rng.choice(choices), rng.choice(("float32", "float64"))
        elements = 1
        for extent in shape:
            elements *= extent
        bytes_each = 4 if dtype == "float32" else 8
        works.append(Work(f"reduce {shape} over {axes} {dtype}", inline_norm(f"reduction_{k}", shape, axes, dtype),
                          cupy_l2norm(shape, axes, dtype), bytes_each * elements, True))
    for k in range(count):
        axes = rng.choice((1, 2, 2, 2, 3, 3, 4))
        shape, dtype = random_shape(rng, 4e7, axes), rng.choice(("float32", "float64"))
        works.append(random_layout(k, rng, shape, dtype))
    return works


def random_layout(k, rng, shape, dtype):
    """Operands that are permuted, strided or broadcast."""
    each = 4 if dtype == "float32" else 8
    elements = 1
    for extent in shape:
        elements *= extent
    inputs, texts, makers, total = {}, [], [], each * elements
    for operand in "xy":
        kinds = ["plain", "permuted", "strided"]
        if "broadcast" not in texts:  # one of them has the full length of every axis
            kinds.append("broadcast")
        kind = rng.choice(kinds)
        order, step, own = list(range(len(shape))), 1, list(shape)
        if kind == "permuted":
            rng.shuffle(order)
        elif kind == "strided":
            step = rng.choice((2, 3))
        elif kind == "broadcast":
            own[rng.randrange(len(shape))] = 1
        # The base has the axes in memory order, the last one `step` times as long.
        base = [own[axis] for axis in order]
        base[-1] *= step
        inverse = [order.index(axis) for axis in range(len(shape))]
        inputs[f"{operand}_base"] = {"random": "uniform", "shape": base, "dtype": dtype, "seed": 1 + k}
        view = {"of": f"{operand}_base"}
        if step > 1:
            view["slice"] = ", ".join([":"] * (len(shape) - 1) + [f"::{step}"])
        if order != list(range(len(shape))):
            view["transpose"] = inverse
        view["_shape"] = own
        inputs[operand] = view
        size = each
        for extent in own:
            size *= extent
        # A strided operand loads every sector that it touches.
        total += size * min(step, 32 // each)
        texts.append(kind if kind != "permuted" else f"permuted {tuple(order)}")
        makers.append((tuple(base), tuple(inverse), step))

    def make(cp):
        operands = []
        for base, inverse, step in makers:
            operands.append(uniform(cp, base, dtype)[..., ::step].transpose(inverse))
        out = cp.empty(shape, dtype)
        kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
        return {"elementwise": lambda: kernel(*operands, out)}

    job = inline_squared_diff(f"layout_{k}", inputs, shape, dtype)
    return Work(f"{shape} {dtype}: {', '.join(texts)}", job, make, total)
