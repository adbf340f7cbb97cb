"""Raw kernels: arguments from the signature, launch from a call."""
import ast
import re

from constants import NotConstant
from parameters import Unreadable, signature
from parts import headers, number, options_of, random
from yaml_text import Commented

BLOCK = 256


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
    place_names = r"(blockIdx|threadIdx)\s*\.\s*"
    axes = next((k for k, axis in ((3, "z"), (2, "y")) if re.search(place_names + axis, body)), 1)
    length = lengths(turned, grid, block,
                     [x for x in scalars.values() if isinstance(x, int) and not isinstance(x, bool)], unknown, axes)
    args = []
    for k, each in enumerate(formals):
        if not each.is_pointer:
            value = scalars[each.name]
            guess = "n" if each.name in unknown else True if each.dtype == "bool" else 1
            args.append({"scalar": guess if value is None else value, "dtype": each.dtype})
            continue
        args.append(each.name)
        if each.is_const or not is_written(body, each.name):
            turned.inputs[each.name] = random(each.dtype, [length], k + 1)
        else:
            turned.outputs[each.name] = {"shape": [length], "dtype": each.dtype, "fill": 0}
        if each.is_guess:
            place = turned.inputs if each.name in turned.inputs else turned.outputs
            place[each.name] = Commented(place[each.name], "a void pointer: the dtype is a guess")
    if not turned.outputs:
        raise Unreadable(f"'{entry}' writes nothing that can be seen")
    variant = {
        "kind": "raw", "source": headers(code), "entry": entry,
        **launch(turned, grid, block, unknown, axes), "args": args
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


def lengths(turned, grid, block, numbers, unknown, axes):
    """Number of elements of an array, so that no thread accesses beyond its end."""
    threads = 1
    for each in [*(grid or []), *(block or [])]:
        threads *= each
    product = 1
    for each in numbers:
        product *= each if 0 < each < 2**20 else 1
    if grid and block:
        turned.params = {"n": max(threads, min(product, 2**22))}
        return "n"
    if len(unknown) > 1 or axes > 1:
        turned.params = {"n": 32}
        return f"n ** {min(3, max(len(unknown), axes))}"
    turned.params = {"n": max(1024, min(product, 2**22))}
    return "n"


def launch(turned, grid, block, unknown, axes):
    if grid and block:
        return {"grid": grid, "block": block}
    if axes > 1:
        block = block or ([16, 16] if axes == 2 else [8, 8, 4])
        return {"grid": Commented([f"ceil(n / {each})" for each in block], "a guess"), "block": block}
    block = block or [BLOCK]
    total = "n" if len(unknown) < 2 else f"n ** {min(3, len(unknown))}"
    return {"grid": Commented([f"ceil({total} / {block[0]})"], "a guess"), "block": block}
