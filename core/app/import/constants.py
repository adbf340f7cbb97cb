"""Static evaluation of a source file: its imports, and expressions of constants."""
import ast
import operator
import re
import textwrap

SCALARS = {
    "bool_": "bool", "float_": "float64", "double": "float64", "single": "float32", "half": "float16", "int_": "int64",
    "intc": "int32", "uintc": "uint32", "longlong": "int64", "complex_": "complex128"
}
DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64", "complex64", "complex128"
]


# Field widths: a single one can produce a text of any size.
LONG_SPEC = re.compile(r"\d{5}")
LONG_FIELD = {"format": re.compile(r"\{[^{}]*:[^{}]*\d{5}"), "%": re.compile(r"%[-+ #0]*[\d.]*\d{5}")}


class NotConstant(Exception):
    """A value that is not constant, and its position."""

    def __init__(self, node, why):
        super().__init__(why)
        self.line = getattr(node, "lineno", 0)


class TypedNumber:
    """A typed number such as cupy.float32(2)."""

    def __init__(self, value, dtype):
        self.value, self.dtype = value, dtype


class Source:
    """One file: its names of modules, and names that are assigned exactly once."""

    def __init__(self, text, path):
        self.path = path
        self.tree = ast.parse(text, filename=path)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.imports = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for each in node.names:
                    self.imports[each.asname or
                                 each.name.split(".")[0]] = each.name if each.asname else each.name.split(".")[0]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for each in node.names:
                    self.imports[each.asname or each.name] = f"{node.module}.{each.name}"
        self.bound = {}  # by name: where a comprehension is
        self.values = {}  # by scope and name: every value that it is given
        for node in ast.walk(self.tree):
            self.note(node)

    def note(self, node):
        scope = self.scope(node)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self.note_target(scope, target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value:
            self.note_target(scope, node.target, node.value)
        elif isinstance(node, (ast.AugAssign, ast.NamedExpr, ast.For, ast.comprehension)):
            self.note_target(scope, node.target, None)
        elif isinstance(node, ast.withitem) and node.optional_vars:
            self.note_target(scope, node.optional_vars, None)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            a = node.args
            for each in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]:
                if each:
                    self.values.setdefault((node, each.arg), []).append(None)

    def note_target(self, scope, target, value):
        if isinstance(target, ast.Name):
            self.values.setdefault((scope, target.id), []).append(value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            known = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            for k, each in enumerate(target.elts):
                self.note_target(scope, each, value.elts[k] if known else None)

    def scope(self, node):
        """The function around a node, or the module."""
        node = self.parents.get(node)
        while node is not None and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            node = self.parents.get(node)
        return node

    def given(self, name):
        """The only expression assigned to a name."""
        scope = self.scope(name)
        while scope is not None:
            if (scope, name.id) in self.values:
                values = self.values[scope, name.id]
                if len(values) == 1 and values[0] is not None:
                    return values[0]
                raise NotConstant(name, f"'{name.id}' is not one constant")
            scope = self.scope(scope)
        raise NotConstant(name, f"'{name.id}' is not known")

    def dotted(self, node):
        """cp.cuda.X as cupy.cuda.X; empty for other expressions."""
        words = []
        while isinstance(node, ast.Attribute):
            words.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.imports:
            return ""
        return ".".join([self.imports[node.id], *words])

    def constant(self, node):
        """The value of an expression of constants. Throws NotConstant."""
        try:
            return self.value(node)
        except (ArithmeticError, AttributeError, MemoryError, RecursionError, TypeError, ValueError):
            raise NotConstant(node, f"'{shortened(node)}' is not a constant") from None

    def value(self, node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.bound[node.id] if node.id in self.bound else self.constant(self.given(node))
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.comprehension(node)
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple(self.constant(each) for each in node.elts)
        if isinstance(node, ast.JoinedStr):
            return "".join(self.constant(each) for each in node.values)
        if isinstance(node, ast.FormattedValue) and node.conversion == -1:
            spec = self.constant(node.format_spec) if node.format_spec else ""
            if LONG_SPEC.search(spec):
                raise NotConstant(node, f"'{shortened(node)}' is too long")
            return format(self.constant(node.value), spec)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            return self.element(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        raise NotConstant(node, f"'{shortened(node)}' is not a constant")

    def element(self, node):
        """name_expressions[0]"""
        values, at = self.constant(node.value), self.constant(node.slice)
        if isinstance(values, tuple) and isinstance(at, int) and -len(values) <= at < len(values):
            return values[at]
        raise NotConstant(node, f"'{shortened(node)}' is not a constant")

    def comprehension(self, node):
        """[f"add<{each}>" for each in TYPES]"""
        first = node.generators[0]
        if len(node.generators) > 1 or first.ifs or not isinstance(first.target, ast.Name):
            raise NotConstant(node, f"'{shortened(node)}' is not a constant")
        outer, found = self.bound, []
        for each in self.constant(first.iter):
            self.bound = {**outer, first.target.id: each}
            found.append(self.constant(node.elt))
        self.bound = outer
        return tuple(found)

    def unary(self, node):
        value = self.constant(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(value, (int, float, complex)):
            return -value
        raise NotConstant(node, f"'{shortened(node)}' is not a constant")

    def binary(self, node):
        left, right = self.constant(node.left), self.constant(node.right)
        are_numbers = all(isinstance(x, (int, float, complex)) for x in (left, right))
        functions = {
            ast.Add: operator.add, ast.Sub: operator.sub, ast.FloorDiv: operator.floordiv, ast.Div: operator.truediv,
            ast.Mod: operator.mod
        }
        if are_numbers:
            functions[ast.Mult] = operator.mul
            if abs(left) <= 2**20 and 0 <= abs(right) < 64:
                functions[ast.Pow] = operator.pow
        is_long = isinstance(node.op, ast.Mod) and isinstance(left, str) and LONG_FIELD["%"].search(left)
        if type(node.op) not in functions or is_long:
            raise NotConstant(node, f"'{shortened(node)}' is not a constant")
        return functions[type(node.op)](left, right)

    def call(self, node):
        name = self.dotted(node.func)
        words = [self.constant(each) for each in node.args]
        if name == "textwrap.dedent" and len(words) == 1 and not node.keywords:
            return textwrap.dedent(words[0])
        if name.split(".")[0] in ("cupy", "numpy") and len(words) == 1 and not node.keywords:
            dtype = SCALARS.get(name.split(".")[-1], name.split(".")[-1])
            if dtype in DTYPES and isinstance(words[0], (bool, int, float, complex)):
                return TypedNumber(words[0], dtype)
        if isinstance(node.func,
                      ast.Attribute) and node.func.attr in ("format", "replace", "strip", "join", "lstrip", "rstrip"):
            text = self.constant(node.func.value)
            options = {each.arg: self.constant(each.value) for each in node.keywords}
            is_long = isinstance(text, str) and node.func.attr == "format" and LONG_FIELD["format"].search(text)
            if isinstance(text, str) and None not in options and not is_long:
                return getattr(text, node.func.attr)(*words, **options)
        raise NotConstant(node, f"'{shortened(node)}' is not a constant")


def shortened(node):
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else text[:57] + "..."
