"""A case, and its conversion into a job."""
import dataclasses
import inspect
import json
import re
from typing import Any, Callable

import numpy as np

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128"
]
CASES = []


@dataclasses.dataclass
class View:
    """A view of another input: the keys of the job, and the same view by NumPy."""

    of: str
    keys: dict
    apply: Callable


@dataclasses.dataclass
class Case:
    style: str
    name: str
    feature: str
    kernel: dict
    inputs: dict
    want: Any = None  # function of the inputs by name: an array, or a dict of arrays by output
    outputs: dict = dataclasses.field(default_factory=dict)
    refused: str = ""  # a pattern of the message of `check`
    fails: str = ""  # a pattern of the message of `run`
    rtol: float = -1.0  # default: by dtype
    only: str = ""  # host or cuda, if the other does not support it
    pending: str = ""  # why it may fail

    @property
    def key(self):
        return f"{self.style}.{self.name}"

    def values(self):
        """The inputs for NumPy."""
        found = {}
        for name, x in self.inputs.items():
            found[name] = x.apply(found[x.of]) if isinstance(x, View) else x
        return found

    def wanted(self):
        """Outputs by name; a single one may be unnamed: `*`."""
        values = self.values()
        result = self.want(**{name: values[name] for name in inspect.signature(self.want).parameters})
        result = result if isinstance(result, dict) else {"*": result}
        return {name: np.asarray(x) for name, x in result.items()}

    def write(self, folder, device):
        """Writes the job file, and its inputs to the same folder."""
        sources = {}
        for name, x in self.inputs.items():
            if isinstance(x, View):
                sources[name] = {"of": x.of, **x.keys}
            elif isinstance(x, np.ndarray):
                np.save(folder / f"{self.key}.{name}.npy", x)
                sources[name] = {"file": f"{self.key}.{name}.npy"}
            elif isinstance(x, np.generic):
                number = str(x.item()).strip("()") if x.dtype.kind == "c" else x.item()
                sources[name] = {"scalar": number, "dtype": x.dtype.name}
            else:
                sources[name] = x
        job = {"kernelbatch": 1, "name": self.key, "workload": "inline", "device": device}
        job |= {"inputs": sources} if sources else {}
        job |= {"outputs": self.outputs} if self.outputs else {}
        job |= {
            "variants": {"v": self.kernel},
            "reference": "none",
            "measure": {
                "preset": "quick", "warmup": 0, "hot": False, "calibrate": False,
                "stop": {"min_samples": 1, "max_samples": 1}
            },
            "output": {"file": str(folder / f"{self.key}.h5"), "arrays": "all"},
        }
        path = folder / f"{self.key}.yaml"
        path.write_text(json.dumps(job, indent=1) + "\n", encoding="utf-8")
        return path


OF_CASE = {field.name for field in dataclasses.fields(Case)}


def add(style, name, feature, kernel, inputs, want, keys):
    of_case = {key: keys.pop(key) for key in list(keys) if key in OF_CASE and key != "name"}
    if "kernel_name" in keys:
        kernel = {**kernel, "name": keys.pop("kernel_name")}
    if any(each.key == f"{style}.{name}" for each in CASES):
        raise ValueError(f"{style}.{name} is there twice")
    if not re.fullmatch(r"\w+", name):
        raise ValueError(name)
    CASES.append(Case(style, name, feature, {"kind": style, **kernel, **keys}, inputs, want, **of_case))


def elementwise(name, feature, ins, outs, operation, inputs, want=None, **keys):
    add("elementwise", name, feature, {"in": ins, "out": outs, "operation": operation}, inputs, want, keys)


def reduction(name, feature, ins, outs, texts, inputs, want=None, **keys):
    """`texts`: map, reduce and post_map."""
    kernel = {"in": ins, "out": outs, **dict(zip(("map", "reduce", "post_map"), texts))}
    add("reduction", name, feature, kernel, inputs, want, keys)


def fuse(name, feature, expression, inputs, want=None, **keys):
    add("fuse", name, feature, {"expression": expression}, inputs, want, keys)


def raw(name, feature, source, entry, launch, args, inputs, want=None, **keys):
    """`launch`: grid and block."""
    kernel = {"source": source, "entry": entry, "grid": launch[0], "block": launch[1], "args": args}
    if source is None:
        del kernel["source"]
    add("raw", name, feature, kernel, inputs, want, keys)


def jit(name, feature, source, entry, launch, args, inputs, want=None, **keys):
    kernel = {"source": source, "entry": entry, "grid": launch[0], "block": launch[1], "args": args}
    add("jit", name, feature, kernel, inputs, want, keys)


def out(shape, dtype, **keys):
    """A buffer of a job."""
    return {"shape": list(shape), "dtype": dtype, **keys}


def scalar(value, dtype):
    """An argument of a raw kernel."""
    return {"scalar": value, "dtype": dtype}


def numbers(dtype, *shape, seed=1, low=-4, high=4):
    """Random multiples of 1/8, or integers: sums and products of a few are exact in every dtype."""
    values = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(values.integers(0, 2, shape)).astype(bool)
    if dtype.kind in "iu":
        return np.asarray(values.integers(max(low, 0) if dtype.kind == "u" else low, high + 1, shape)).astype(dtype)
    x = np.asarray(values.integers(8 * low, 8 * high + 1, shape)) / 8
    if dtype.kind == "c":
        x = x + 1j * np.asarray(values.integers(8 * low, 8 * high + 1, shape)) / 8
    return np.asarray(x).astype(dtype)


def upto(dtype, *shape):
    return np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)
