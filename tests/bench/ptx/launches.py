"""Kernels of PTX modules with launches and random inputs, for `equal`."""
import json
import pathlib
import re

import numpy

BYTES = 1 << 16  # of a buffer
UNSTABLE = re.compile(r"%clock|%globaltimer|%smid|%nsmid|%gridid|\bvprintf|\btrap;|__assertfail|%envreg|\bmalloc\b")
TYPES = {"f32": "f4", "f64": "f8", "u32": "i4", "s32": "i4", "b32": "i4", "u64": "i8", "s64": "i8", "b64": "i8", "u8": "u1",
         "s8": "u1", "b8": "u1", "u16": "i2", "s16": "i2", "b16": "f2"}


def functions_of(text):
    """(name, parameters, body) of each entry; a parameter is (type, bytes)."""
    for found in re.finditer(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{;]*)\{", text):
        depth, at = 1, found.end()
        while depth > 0:
            at += 1
            depth += {"{": 1, "}": -1}.get(text[at - 1], 0)
        parameters = []
        for each in found[2].split(","):
            if not each.strip():
                continue
            kind = re.search(r"\.(b8|[usbf]\d+)\b(?![\w.]*\.(?:[usbf]\d+)\b)", re.sub(r"\.ptr|\.align\s+\d+|\.global", "", each))
            size = re.search(r"\[(\d+)\]", each)
            name = re.findall(r"[\w$]+", each.split("[")[0])[-1]
            parameters.append((name, kind[1], int(size[1]) if size else int(kind[1][1:]) // 8))
        yield found[1], parameters, found[3] + text[found.end():at]


def types_of_pointers(parameters, body):
    """By parameter: the type of the elements that are loaded or stored through it."""
    roots, types = {}, {}
    for line in re.split(r"[;\n]", body):
        words = re.findall(r"[%\w$]+(?:\.[\w:]+)*", line)
        if line.strip().startswith("@"):
            words = words[1:]
        if len(words) < 2:
            continue
        op = words[0]
        if op.startswith("ld.param"):
            roots[words[1]] = words[2]
        elif op.split(".")[0] in ("ld", "ldu", "st", "atom", "red") and "param" not in op and "shared" not in op:
            root = roots.get(words[1] if op.startswith(("st", "red")) else words[-1 if not op.startswith("atom") else 2])
            place = re.search(r"\[\s*([%\w$]+)", line)
            root = roots.get(place[1]) if place else None
            if root is not None:
                types.setdefault(root, op.split(".")[-1])
        elif op.split(".")[0] in ("mov", "cvta", "add", "sub", "mad", "selp") and re.search(r"64$", op):
            sources = [roots[w] for w in words[2:] if w in roots]
            if sources:
                roots[words[1]] = sources[0]
    return types


def random_bits(kind, draw):
    """All kinds of numbers: bits with few or many ones, for floats also those near 1 and special ones."""
    size = {"f": 4, "d": 8}.get(kind[1]) or int(kind[1])
    count = BYTES // size
    bits = draw.integers(0, 1 << 64, count, "u8", endpoint=False) >> draw.integers(0, 8 * size, count, "u8")
    bits = numpy.where(draw.random(count) < 0.5, bits, ~bits).astype(f"u{size}")
    if kind[1] in "fd":
        some = draw.random(count)
        numbers = (draw.normal(0, 1, count) * numpy.exp2(draw.integers(-12, 12, count))).astype(f"f{size}").view(f"u{size}")
        special = numpy.array([0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1, -1, 0.5, 2.5, 65504], f"f{size}").view(f"u{size}")
        bits = numpy.where(some < 0.6, numbers, numpy.where(some < 0.7, draw.choice(special, count), bits))
    return bits.tobytes()


def random_bytes(kind, seed, bytes_=BYTES):
    draw = numpy.random.Generator(numpy.random.PCG64(seed))
    if kind[0] == "x":
        return random_bits(kind, draw)
    count = bytes_ // numpy.dtype(kind).itemsize
    if kind in ("f4", "f8", "f2"):
        return draw.uniform(-1, 1, count).astype(kind).tobytes()
    if kind == "u1":
        return draw.integers(0, 256, count).astype(kind).tobytes()
    return draw.integers(0, 32, count).astype(kind).tobytes()


def launches_of(file, text):
    """Launches to try, most likely first."""
    for name, parameters, body in functions_of(text):
        if UNSTABLE.search(body) or len(parameters) > 24 or not parameters:
            continue
        types = types_of_pointers(parameters, body)
        settings = pathlib.Path(file).with_suffix(".json")  # Triton's
        shared = json.loads(settings.read_text())["shared"] if settings.exists() else 16384 * (".extern .shared" in text)
        limit = re.search(r"\.(?:reqntid|maxntid)\s+([\d, ]+)", body)
        shape = [128, 1, 1]
        if re.search(r"%tid\.y", body):
            shape = [16, 8, 1]
        if limit:
            given = [int(x) for x in limit[1].split(",") if x.strip()] + [1, 1]
            total = given[0] * given[1] * given[2]
            if ".reqntid" in body:
                shape = given[:3]
            elif total < shape[0] * shape[1]:
                shape = [min(32, total), 1, 1]
        grid = [4, 4 if "%ctaid.y" in body else 1, 1]
        pointers = {n for n, kind, _ in parameters if kind == "u64" and n in types}
        for count in (100, 16, 4):
            arguments, is_possible = [], True
            for k, (parameter, kind, size) in enumerate(parameters):
                if parameter in pointers:
                    arguments.append(["p", TYPES.get(types[parameter], "i4"), k])
                elif kind == "u64" and is_address(parameter, body):
                    arguments.append(["p", "f4", k])
                elif kind in ("f32", "f64"):
                    arguments.append(["v", numpy.array([0.5 + 0.25 * k], "f4" if kind == "f32" else "f8").tobytes().hex()])
                elif size in (1, 2, 4, 8) and kind != "b8":
                    arguments.append(["v", int(count if size > 1 else 1).to_bytes(size, "little").hex()])
                else:
                    is_possible = False
            if is_possible and any(a[0] == "p" for a in arguments):
                yield {"file": file, "entry": name, "grid": grid, "block": shape, "shared": shared,
                       "arguments": arguments, "floats": bool(re.search(r"(?:atom|red)[\w.:]*\.(?:f32|f64|f16\w*)", body))}


def is_address(parameter, body):
    found = re.search(rf"ld\.param\.u64\s+(%\w+), \[{re.escape(parameter)}\]", body)
    return bool(found and re.search(rf"cvta\.to\.global\.u64\s+%\w+, {re.escape(found[1])}\b", body))


