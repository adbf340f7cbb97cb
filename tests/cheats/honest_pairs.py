"""Pairs of honest kernels of a seed: a reference, and candidates that compute the same in another way."""
import random
from dataclasses import dataclass, field

# C++ type, NumPy's code.
FLOATS, INTEGERS = [("float", "f4"), ("double", "f8")], [("int", "i4"), ("unsigned", "u4"), ("long long", "i8")]
SIZES = [2, 31, 32, 33, 100, 255, 256, 257, 1000, 1023, 4096, 5000, 20_000]
STRIDE = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"  # any grid
INDEX = "const int i = blockIdx.x * blockDim.x + threadIdx.x;"


@dataclass
class Candidate:
    name: str
    source: str
    grid: str
    block: str


@dataclass
class Group:
    title: str
    reference: str
    inputs: dict  # by name: NumPy's code, values
    outputs: str  # number of elements
    tolerance: dict = field(default_factory=dict)
    candidates: list = field(default_factory=list)


def kernel(arguments, body, before=""):
    return f'{before}extern "C" __global__ void work({arguments}, int n) {{\n{body}\n}}\n'


class Elementwise:
    """y[i] = a random expression of x[i] and w[i]."""

    def __init__(self, chance):
        self.chance, self.is_float = chance, chance.random() < 0.6
        self.type, self.code = chance.choice(FLOATS if self.is_float else INTEGERS)
        self.tree = self.expression(3)
        self.arguments = f"const {self.type}* x, const {self.type}* w, {self.type}* y"

    def expression(self, depth):
        if depth == 0 or self.chance.random() < 0.1:
            return self.chance.choice(["x", "w", "x", "w", str(self.chance.randint(1, 9))])
        if self.chance.random() < 0.15:
            function = self.chance.choice(["fabs", "sqrt1", "exp"] if self.is_float else ["abs_of", "twice"])
            return (function, self.expression(depth - 1))
        return (self.chance.choice(["+", "*", "-", "max"]), self.expression(depth - 1), self.expression(depth - 1))

    def text(self, tree, x, w, swaps):
        if isinstance(tree, str):
            number = f"{self.type}({tree})" if " " not in self.type else f"{tree}ll"
            return {"x": x, "w": w}.get(tree, number)
        parts = [self.text(each, x, w, swaps) for each in tree[1:]]
        one = {"fabs": "fabs({})", "sqrt1": "sqrt(1 + {0} * {0})", "exp": "exp(-fabs({}))",
               "abs_of": "({0} < 0 ? -{0} : {0})", "twice": "(2 * {})"}
        if len(parts) == 1:
            return one[tree[0]].format(*parts)
        if tree[0] != "-" and swaps:
            parts.reverse()
        if tree[0] == "max":
            return "({0} > {1} ? {0} : {1})".format(*parts)
        return f"({parts[0]} {tree[0]} {parts[1]})"

    def element(self, i, swaps=False):
        return self.text(self.tree, f"x[{i}]", f"w[{i}]", swaps)

    def group(self):
        n = self.chance.choice(SIZES)
        if self.is_float:
            draw = lambda: self.chance.uniform(0.5, 2)
        else:
            draw = lambda: self.chance.randint(0 if self.type == "unsigned" else -3, 5)
        inputs = {name: (self.code, [draw() for _ in range(n)]) for name in "xw"}
        reference = kernel(self.arguments, f"  {STRIDE} y[i] = {self.element('i')};")
        return Group(f"elementwise {self.type} n={n}", reference, inputs, str(n), {"rtol": 1e-3, "atol": 1e-4} if self.is_float else {})

    def candidate(self, name, n):
        e, block = self.element("i", True), self.chance.choice([32, 64, 128, 256, 512])
        form = self.chance.choice(["direct", "stride", "reversed", "pairs", "shared", "template", "restrict"])
        grid = f"ceil(n / {block})"
        arguments, before = self.arguments, ""
        body = f"  {INDEX}\n  if (i < n) y[i] = {e};"
        if form == "stride":
            grid = str(self.chance.randint(1, 9))
            body = f"  {STRIDE} y[i] = {e};"
        elif form == "reversed":
            body = f"  const int i = n - 1 - int(blockIdx.x * blockDim.x + threadIdx.x);\n  if (i >= 0) y[i] = {e};"
        elif form == "pairs":
            grid = f"ceil(n / {2 * block})"
            body = (f"  const int first = 2 * (blockIdx.x * blockDim.x + threadIdx.x);\n"
                    f"  for (int i = first; i < first + 2 && i < n; ++i) y[i] = {e};")
        elif form == "shared":
            shared = self.text(self.tree, "part[threadIdx.x]", "w[i]", True)
            body = (f"  __shared__ {self.type} part[{block}];\n  {INDEX}\n  if (i < n) part[threadIdx.x] = x[i];\n"
                    f"  __syncthreads();\n  if (i < n) y[i] = {shared};")
        elif form == "template":
            before = (f"template <class T> __device__ T compute(T x, T w) {{ return {self.text(self.tree, 'x', 'w', True)}; }}\n")
            body = f"  {INDEX}\n  if (i < n) y[i] = compute(x[i], w[i]);"
        elif form == "restrict":
            arguments = self.arguments.replace("* ", "* __restrict__ ")
        return Candidate(f"{name}_{form}", kernel(arguments, body, before), grid, str(block))


class Rows:
    """y[r] = a weighted sum, the largest element or the count of elements of each row of x."""

    def __init__(self, chance):
        self.chance, self.is_float = chance, chance.random() < 0.5
        self.type, self.code = chance.choice(FLOATS if self.is_float else INTEGERS)
        self.columns, self.rows = chance.choice([1, 7, 32, 33, 100, 256, 300]), chance.choice([1, 3, 17, 64])
        self.kind = chance.choice(["sum", "max", "count"])
        self.arguments = f"const {self.type}* x, {self.type}* y"
        weight = f"{self.type}(k % 5 + 1)" if " " not in self.type else "(k % 5 + 1)"
        self.term = {"sum": f"x[r * {self.columns} + k] * {weight}", "max": f"x[r * {self.columns} + k]",
                     "count": f"(x[r * {self.columns} + k] > 1 ? k : 0)"}[self.kind]

    def joined(self, a, b):
        return f"({a} > {b} ? {a} : {b})" if self.kind == "max" else f"{a} + {b}"

    @property
    def start(self):
        return f"x[r * {self.columns}]" if self.kind == "max" else "0"

    def group(self):
        n = self.columns * self.rows
        draw = (lambda: self.chance.uniform(0.5, 2)) if self.is_float else (lambda: self.chance.randint(0, 50))
        body = (f"  {STRIDE.replace('i ', 'r ').replace(' n;', f' n / {self.columns};')} {{\n"
                f"    {self.type} a = {self.start};\n    for (int k = 0; k < {self.columns}; ++k) a = "
                f"{self.joined('a', self.term)};\n    y[r] = a;\n  }}")
        return Group(f"rows {self.kind} {self.type} {self.rows}x{self.columns}", kernel(self.arguments, body),
                     {"x": (self.code, [draw() for _ in range(n)])}, str(self.rows), {"rtol": 1e-4} if self.is_float else {})

    def candidate(self, name, n):
        del n
        form = self.chance.choice(["tree", "warp", "serial", "backwards", "atomic"])
        columns, block = self.columns, self.chance.choice([32, 64, 128, 256])
        row = f"  const int r = blockIdx.x;\n  {self.type} a = {self.start};\n"
        loop = f"  for (int k = threadIdx.x; k < {columns}; k += {{}}) a = {self.joined('a', self.term)};\n"
        grid = str(self.rows)
        if form == "tree":
            body = (row + loop.format(block) + f"  __shared__ {self.type} part[{block}];\n  part[threadIdx.x] = a;\n"
                    f"  for (int half = {block} / 2; half > 0; half /= 2) {{\n    __syncthreads();\n    if (threadIdx.x < half)"
                    f" part[threadIdx.x] = {self.joined('part[threadIdx.x]', 'part[threadIdx.x + half]')};\n  }}\n"
                    "  if (threadIdx.x == 0) y[r] = part[0];")
        elif form == "warp":
            block = 32
            body = (row + loop.format(32) + f"  for (int half = 16; half > 0; half /= 2) {{\n    const {self.type} b = "
                    f"__shfl_xor_sync(0xffffffffu, a, half);\n    a = {self.joined('a', 'b')};\n  }}\n"
                    "  if (threadIdx.x == 0) y[r] = a;")
        elif form == "atomic" and self.kind != "max" and self.type != "long long":
            body = (row + loop.format(block) + f"  __shared__ {self.type} total;\n  if (threadIdx.x == 0) total = 0;\n"
                    "  __syncthreads();\n  atomicAdd(&total, a);\n  __syncthreads();\n  if (threadIdx.x == 0) y[r] = total;")
        else:
            order = f"int k = {columns} - 1; k >= 0; --k" if form == "backwards" else f"int k = 0; k < {columns}; ++k"
            grid, form = f"ceil({self.rows} / {block})", "backwards" if form == "backwards" else "serial"
            body = (f"  const int r = blockIdx.x * blockDim.x + threadIdx.x;\n  if (r >= n / {columns}) return;\n"
                    f"  {self.type} a = {self.start};\n  for ({order}) a = {self.joined(self.term, 'a')};\n  y[r] = a;")
        return Candidate(f"{name}_{form}", kernel(self.arguments, body), grid, str(block))


class Stencil:
    """y[i] = a weighted sum of the neighbours of x[i]; beyond the ends the last element counts."""

    def __init__(self, chance):
        self.chance, self.is_float = chance, chance.random() < 0.6
        self.type, self.code = chance.choice(FLOATS if self.is_float else INTEGERS)
        self.reach = chance.choice([1, 2, 4])
        self.weights = [chance.randint(1, 9) for _ in range(2 * self.reach + 1)]
        self.arguments = f"const {self.type}* x, {self.type}* y"

    def total(self, neighbour, is_reversed=False):
        terms = [f"{weight} * {neighbour(k - self.reach)}" for k, weight in enumerate(self.weights)]
        return " + ".join(reversed(terms) if is_reversed else terms)

    @staticmethod
    def clamped(offset):
        return f"x[i + ({offset}) < 0 ? 0 : i + ({offset}) > n - 1 ? n - 1 : i + ({offset})]"

    def group(self):
        n = self.chance.choice(SIZES)
        draw = (lambda: self.chance.uniform(0.5, 2)) if self.is_float else (lambda: self.chance.randint(0, 50))
        body = f"  {STRIDE} y[i] = {self.total(self.clamped)};"
        return Group(f"stencil {self.type} n={n}", kernel(self.arguments, body),
                     {"x": (self.code, [draw() for _ in range(n)])}, str(n), {"rtol": 1e-4} if self.is_float else {})

    def candidate(self, name, n):
        del n
        form, block = self.chance.choice(["direct", "stride", "tile"]), self.chance.choice([32, 64, 128, 256])
        grid, reach = f"ceil(n / {block})", self.reach
        body = f"  {INDEX}\n  if (i < n) y[i] = {self.total(self.clamped, True)};"
        if form == "stride":
            grid = str(self.chance.randint(1, 9))
            body = f"  {STRIDE}\n    y[i] = {self.total(self.clamped, True)};"
        elif form == "tile":
            inner = self.total(lambda offset: f"tile[threadIdx.x + {offset + reach}]")
            body = (f"  __shared__ {self.type} tile[{block + 2 * reach}];\n  const int first = blockIdx.x * {block} - {reach};\n"
                    f"  for (int k = threadIdx.x; k < {block + 2 * reach}; k += {block}) {{\n    const int at = first + k;\n"
                    "    tile[k] = x[at < 0 ? 0 : at > n - 1 ? n - 1 : at];\n  }\n  __syncthreads();\n"
                    f"  {INDEX}\n  if (i < n) y[i] = {inner};")
        return Candidate(f"{name}_{form}", kernel(self.arguments, body), grid, str(block))


class Histogram:
    """y[b] = the number of elements in bin b, which depends on the element and on its place."""

    def __init__(self, chance):
        self.chance, self.bins = chance, chance.choice([1, 8, 33, 64])
        self.arguments = "const int* x, int* y"
        self.bin = f"(x[k] + k) % {self.bins}"

    def group(self):
        n = self.chance.choice([31, 256, 1000])
        body = (f"  const int b = threadIdx.x;\n  if (b >= {self.bins}) return;\n  int count = 0;\n"
                f"  for (int k = 0; k < n; ++k) count += {self.bin} == b;\n  y[b] = count;")
        inputs = {"x": ("i4", [self.chance.randint(0, 999) for _ in range(n)])}
        return Group(f"histogram n={n} of {self.bins}", kernel(self.arguments, body), inputs, str(self.bins))

    def candidate(self, name, n):
        del n
        form, block = self.chance.choice(["global", "shared"]), self.chance.choice([64, 128, 256])
        memory = "y" if form == "global" else "part"
        body = ("" if form == "global" else f"  __shared__ int part[{self.bins}];\n")
        body += (f"  for (int b = threadIdx.x; b < {self.bins}; b += {block}) {memory}[b] = 0;\n  __syncthreads();\n"
                 f"  for (int k = threadIdx.x; k < n; k += {block}) atomicAdd(&{memory}[{self.bin}], 1);\n")
        if form == "shared":
            body += f"  __syncthreads();\n  for (int b = threadIdx.x; b < {self.bins}; b += {block}) y[b] = part[b];\n"
        return Candidate(f"{name}_{form}", kernel(self.arguments, body), "1", str(block))


def groups_of(count, seed):
    """References with candidates, `count` in all."""
    chance = random.Random(seed)
    each = 5 if count < 100 else 10
    for number in range(-(-count // each)):
        computation = (Elementwise, Rows, Stencil, Elementwise, Histogram)[number % 5](chance)
        group = computation.group()
        n = len(next(iter(group.inputs.values()))[1])
        for k in range(min(each, count - number * each)):
            group.candidates.append(computation.candidate(f"pair{number * each + k}", n))
        yield group
