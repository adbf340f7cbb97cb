"""Raw kernels: arguments from the signature, launch from a call."""
import ast
import re

from constants import NotConstant
from parameters import Unreadable, signature
from parts import headers, number, options_of, random
from yaml_text import Commented

BLOCK, MOST_ELEMENTS = 256, 2**22


def extents(value):
    """Grid or block of a call; None if unknown."""
    value = (value,) if isinstance(value, int) else value
    known = isinstance(value, tuple) and 1 <= len(value) <= 3 and all(
        isinstance(each, int) and each > 0 for each in value)
    return list(value) if known else None


def is_written(body, name):
    """Whether a kernel may write through a pointer: directly, in a function, or through another pointer."""
    target = rf"(?:\*\s*(?:\(\s*)?{name}\b[^;=]*|\b{name}\s*\[[^;]*?\](?:\s*\.\s*\w+)?)"
    writes = rf"{target}\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*{target}|{target}\s*(?:\+\+|--)"
    passed = rf"[(,]\s*(?:&\s*)?\(?\s*{name}\s*(?:[,)+]|\[[^\]]*\]\s*[,)])"
    kept = rf"=\s*(?:\([^)]*\)\s*)?\(?\s*{name}\s*\)?\s*[;+,]"
    return any(re.search(pattern, body) for pattern in (writes, passed, kept))


def scalars_of(definition, source, formals, entry):
    """Arguments for the numbers: constants of a call, or None."""
    given = definition.calls[0].args[2] if definition.calls and len(definition.calls[0].args) > 2 else None
    given = given.elts if isinstance(given, (ast.Tuple, ast.List)) else None
    if given is not None and len(given) != len(formals):
        raise Unreadable(f"'{entry}' takes {len(formals)} arguments and is called with {len(given)}")
    scalars = {}
    for k, each in enumerate(formals):
        if each.is_pointer:
            continue
        try:
            value = number(source.constant(given[k])) if given else None
        except NotConstant:
            value = None
        scalars[each.name] = value["scalar"] if isinstance(value, dict) else value
    return scalars


def raw(definition, source, turned):
    words = definition.words
    if words.get("path") is not None:
        raise Unreadable("the module is a file: add it by hand, with module: and args:")
    entry, code = words.get("name"), words.get("code")
    if not isinstance(entry, str) or not isinstance(code, str):
        raise Unreadable("code and name must be constant texts")
    formals, body = signature(code, entry)
    grid, block = (extents(definition.call_argument(source, k)) for k in range(2))
    scalars = scalars_of(definition, source, formals, entry)
    unknown = [each.name for each in formals if "int" in each.dtype and scalars.get(each.name, 0) is None]
    extent = Extent(body, grid, block, scalars, len(unknown))
    turned.size = extent.size
    args = []
    for k, each in enumerate(formals):
        if not each.is_pointer:
            value = scalars[each.name]
            guess = extent.side if each.name in unknown else True if each.dtype == "bool" else 1
            args.append({"scalar": extent.number(each.name, guess if value is None else value), "dtype": each.dtype})
            continue
        args.append(each.name)
        if each.is_const or not is_written(body, each.name):
            turned.inputs[each.name] = random(each.dtype, [extent.length], k + 1)
        else:
            turned.outputs[each.name] = {"shape": [extent.length], "dtype": each.dtype, "fill": 0}
        if each.is_guess:
            place = turned.inputs if each.name in turned.inputs else turned.outputs
            place[each.name] = Commented(place[each.name], "a void pointer: the dtype is a guess")
    if not turned.outputs:
        raise Unreadable(f"'{entry}' writes nothing that can be seen")
    variant = {
        "kind": "raw", "source": headers(code), "entry": entry,
        "grid": extent.grid, "block": extent.block, "args": args
    }
    if words.get("name_expressions"):
        variant["name_expressions"] = list(words["name_expressions"])
    if words.get("translate_cucomplex"):
        variant["translate_cucomplex"] = True
    if words.get("enable_cooperative_groups"):
        variant["cooperative"] = True
    if words.get("backend") == "nvcc":
        variant["backend"] = "nvcc"
    shared = definition.call_word(source, "shared_mem")
    if isinstance(shared, int) and shared:
        variant["shared_mem"] = shared
    options_of(words, variant)
    turned.variant = variant


class Extent:
    """Launch and length of arrays, in terms of n, so that no thread accesses elements beyond the end.

    The parameter scales only the number of blocks: a kernel that does not read blockIdx has a fixed size, and so has
    one whose call has numbers of unknown meaning.
    """

    def __init__(self, body, grid, block, scalars, unknown):
        place_names = r"(blockIdx|threadIdx)\s*\.\s*"
        axes = next((k for k, axis in ((3, "z"), (2, "y")) if re.search(place_names + axis, body)), 1)
        is_scalable = re.search(r"\bblockIdx\b", body) is not None
        numbers = {name: x for name, x in scalars.items() if isinstance(x, int) and not isinstance(x, bool)}
        self.size, self.counted = None, None
        if grid and block:
            self.grid, self.block, self.side = grid, block, "n"
            self.of_call(numbers, is_scalable and axes == 1 and len(grid) == len(block) == 1 and not unknown)
        else:
            self.guessed(block or {1: [BLOCK], 2: [16, 16], 3: [8, 8, 4]}[axes], max(1, min(3, max(unknown, axes))),
                         axes, is_scalable, product_of(numbers.values()))

    def of_call(self, numbers, is_scalable):
        """Of a call with constant grid and block."""
        threads = product_of([*self.grid, *self.block])
        count = next(iter(numbers.values()), threads)
        if is_scalable and len(numbers) < 2 and threads - self.block[0] < count <= threads:
            self.size, self.counted = count, next(iter(numbers), None)
            self.grid = [f"ceil(n / {self.block[0]})"]
            self.length = "n" if numbers else f"ceil(n / {self.block[0]}) * {self.block[0]}"
        else:
            self.side = self.length = max(threads, min(product_of(numbers.values()), MOST_ELEMENTS))

    def guessed(self, block, power, axes, is_scalable, product):
        self.block = block
        if not is_scalable:
            self.grid = Commented([1] * axes, "a guess")
            self.side = {1: block[0], 2: 16, 3: 4}[power]
            self.length = max(1024, self.side**power, product_of(block), min(product, MOST_ELEMENTS))
            return
        self.side = "n" if power == 1 else f"ceil(n ** (1/{power}))"
        self.length = self.side if power == 1 else f"{self.side} ** {power}"
        self.size = max(1024 if power < 3 else 4096, min(product, MOST_ELEMENTS))
        extents_in_threads = [self.length] if axes == 1 else [self.side] * axes
        self.grid = Commented([f"ceil({each} / {size})" for each, size in zip(extents_in_threads, block)], "a guess")

    def number(self, name, value):
        """The argument for a number of the call."""
        return "n" if name == self.counted else value


def product_of(numbers):
    """Of all that may be a number of elements."""
    product = 1
    for each in numbers:
        product *= each if 0 < each < 2**20 else 1
    return product
