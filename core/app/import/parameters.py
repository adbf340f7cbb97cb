"""Parameter lists: CuPy's, and those of CUDA C++ functions."""
import re

from constants import DTYPES

ALIASES = {
    "bool_": "bool", "float": "float64", "int": "int64", "double": "float64", "complex": "complex128", "half": "float16"
}
CXX = {
    "bool": "bool",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "long long": "int64",
    "long long int": "int64",
    "unsigned long long": "uint64",
    "unsigned long long int": "uint64",
    "long": "int64",
    "long int": "int64",
    "unsigned long": "uint64",
    "ptrdiff_t": "int64",
    "size_t": "uint64",
    "half": "float16",
    "__half": "float16",
    "float16": "float16",
    "__nv_bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
    "complex<float>": "complex64",
    "complex<double>": "complex128",
    "cuFloatComplex": "complex64",
    "cuComplex": "complex64",
    "cuDoubleComplex": "complex128",
    "thrust::complex<float>": "complex64",
    "thrust::complex<double>": "complex128",
    "float2": "complex64",
    "double2": "complex128",
    **{f"{name}_t": name for name in DTYPES if "int" in name},
}


class Unreadable(Exception):
    """Why a text cannot be converted."""


class Parameter:
    """A parameter of an elementwise kernel or a reduction."""

    def __init__(self, text):
        words = text.split()
        if len(words) < 2:
            raise Unreadable(f"parameter '{text.strip()}' has no name")
        *self.qualifiers, self.type, self.name = words
        unknown = [word for word in self.qualifiers if word != "raw"]
        if unknown:
            raise Unreadable(f"parameter '{text.strip()}': '{unknown[0]}' is not known")
        self.is_raw = "raw" in self.qualifiers
        self.dtype = ALIASES.get(self.type, self.type)
        self.is_placeholder = len(self.type) == 1
        if not self.is_placeholder and self.dtype not in DTYPES:
            raise Unreadable(f"parameter '{text.strip()}': '{self.type}' is no dtype")


def parameters(text):
    return [Parameter(each) for each in text.split(",") if each.strip()]


def spelled(parameters_):
    """The parameter list for a job, with dtype names."""
    return ", ".join(" ".join([*each.qualifiers, each.type if each.is_placeholder else each.dtype, each.name])
                     for each in parameters_)


class Formal:
    """A parameter of a CUDA C++ function."""

    def __init__(self, text, types):
        text = re.sub(r"\b(__restrict__|__restrict|__grid_constant__|volatile|register)\b", " ", text)
        found = re.fullmatch(r"\s*(.*?)\s*(\*?)\s*(const\s+)?(\w+)\s*(\[\w*\])?\s*", text, re.S)
        if not found or "&" in text or text.count("*") > 1:
            raise Unreadable(f"parameter '{' '.join(text.split())}' is not understood")
        kind, star, _, self.name, array = found.groups()
        words = kind.split()
        self.is_const = "const" in words
        name = re.sub(r"\s*([<>])\s*", r"\1",
                      " ".join(word for word in words if word not in ("const", "struct", "typename")))
        self.is_pointer = bool(star or array)
        name = types.get(name, name)
        if name == "void" and self.is_pointer:
            name = "float"
            self.is_guess = True
        else:
            self.is_guess = False
        if name not in CXX:
            raise Unreadable(f"parameter '{' '.join(text.split())}': no dtype for '{name}'")
        self.dtype = CXX[name]


def without_comments(source):
    """The text with comments blanked; macros that rename types are kept."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"'
    return re.sub(pattern, lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), source, flags=re.S)


def matching(text, start, opening, closing):
    """Position of the bracket that closes the one at `start`."""
    depth = 0
    for k in range(start, len(text)):
        depth += {opening: 1, closing: -1}.get(text[k], 0)
        if depth == 0:
            return k
    raise Unreadable(f"'{opening}' is not closed in the source")


def split_list(text):
    """Splits at commas outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += {"<": 1, "(": 1, "[": 1, ">": -1, ")": -1, "]": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


def kernels_in(source):
    """Names of the functions marked __global__."""
    text = without_comments(source)
    names = re.findall(
        r"__global__\s+(?:\w+\s*\([^)]*\)\s*)?(?:static\s+|inline\s+)*void\s+"
        r"(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(", text)
    return list(dict.fromkeys(names))


def signature(source, entry):
    """The parameters of a kernel, and its body. `entry` may be an instance: f<float, 3>."""
    text = without_comments(source.replace("\\\n", " "))
    name, _, rest = entry.partition("<")
    name = name.strip().split("::")[-1]
    arguments = split_list(rest.rsplit(">", 1)[0]) if rest else []
    for found in re.finditer(r"\b" + re.escape(name) + r"\s*\(", text):
        close = matching(text, found.end() - 1, "(", ")")
        body = re.match(r"\s*\{", text[close + 1:])
        start = max(text.rfind(c, 0, found.start()) for c in ";}{") + 1
        before = text[start:found.start()]
        if not body or "__global__" not in before:
            continue
        types = {}
        if "template" in before:
            at = before.index("<", before.index("template"))
            formals = split_list(before[at + 1:matching(before, at, "<", ">")])
            for formal, argument in zip(formals, arguments):
                if formal.split()[0] in ("typename", "class"):
                    types[formal.split()[-1]] = argument
            if len(arguments) < len([each for each in formals if "=" not in each]):
                raise Unreadable(f"'{entry}' is a template: name an instance of it in name_expressions")
        for macro, value in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+?)[ \t]*$", text, re.M):
            types.setdefault(macro, value)
        for value, alias in re.findall(r"\btypedef\s+([\w\s:<>]+?)\s+(\w+)\s*;", text):
            types.setdefault(alias, value)
        for alias, value in re.findall(r"\busing\s+(\w+)\s*=\s*([\w\s:<>]+?)\s*;", text):
            types.setdefault(alias, value)
        end = matching(text, close + 1 + body.end() - 1, "{", "}")
        listed = split_list(text[found.end():close])
        return [Formal(each, types) for each in listed if each != "void"], text[close + 1:end + 1]
    raise Unreadable(f"the source has no kernel '{name}'")
