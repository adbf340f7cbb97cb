"""Parts of jobs common to all styles."""
import re
import textwrap

from constants import TypedNumber
from parameters import Unreadable


def random(dtype, shape, seed):
    """An input of any dtype."""
    if dtype == "bool":
        return {"random": "integers", "low": 0, "high": 2, "shape": shape, "dtype": dtype, "seed": seed}
    if "int" in dtype:
        return {"random": "integers", "low": 1, "high": 10, "shape": shape, "dtype": dtype, "seed": seed}
    kind = "normal" if "complex" in dtype else "uniform"
    return {"random": kind, "shape": shape, "dtype": dtype, "seed": seed}


def headers(text):
    """Renames CuPy's header of complex numbers and removes common indentation."""
    if "\n" in text:
        text = textwrap.dedent(text).strip("\n").rstrip() + "\n"
    text = re.sub(r"#\s*include\s*<cupy/complex\.cuh>", "#include <kernelbatch/complex.cuh>", text)
    other = re.search(r"#\s*include\s*[<\"](cupy/[^>\"]*)", text)
    if other:
        raise Unreadable(f"its text includes <{other[1]}>")
    return text


def number(value):
    """A number for args and inputs; None if it is not a number."""
    if isinstance(value, TypedNumber):
        return {"scalar": number(value.value), "dtype": value.dtype}
    if isinstance(value, complex):
        return str(value).strip("()")
    return value if isinstance(value, (bool, int, float)) else None


def options_of(words, variant):
    options = words.get("options") or ()
    if isinstance(options, str) or not all(isinstance(each, str) for each in options):
        raise Unreadable("options are no tuple of texts")
    if options:
        variant["options"] = list(options)


def text_of(words, name):
    value = words.get(name) or ""
    if not isinstance(value, str):
        raise Unreadable(f"{name} is no text")
    return headers(value)
