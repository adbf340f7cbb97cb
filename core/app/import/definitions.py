"""Finds the definitions of kernels in a source, with their calls."""
import ast

from constants import NotConstant, TypedNumber

CLASSES = {
    "ElementwiseKernel":
        ("in_params", "out_params", "operation", "name", "reduce_dims", "preamble", "no_return", "return_tuple", "doc"),
    "ReductionKernel": ("in_params", "out_params", "map_expr", "reduce_expr", "post_map_expr", "identity", "name",
                        "reduce_type", "reduce_dims", "preamble", "options"),
    "RawKernel": ("code", "name", "options", "backend"),
    "RawModule": (),
}
FURTHER = {
    "ElementwiseKernel": ("loop_prep", "after_loop", "options"),
    "ReductionKernel": (),
    "RawKernel": ("translate_cucomplex", "enable_cooperative_groups", "jitify"),
    "RawModule": ("code", "path", "options", "backend", "translate_cucomplex", "enable_cooperative_groups",
                  "name_expressions", "jitify"),
}


class Definition:
    """A kernel definition in the source."""

    def __init__(self, kind, node, variable, words=None, calls=(), function=None):
        self.kind, self.line, self.variable = kind, node.lineno, variable
        self.words, self.calls, self.function = words or {}, list(calls), function

    def call_argument(self, source, k):
        """The constant that every call passes as its k-th argument; None if there is none."""
        found = []
        for call in self.calls:
            if k >= len(call.args) or any(isinstance(each, ast.Starred) for each in call.args):
                return None
            try:
                found.append(source.constant(call.args[k]))
            except NotConstant:
                return None
        return found[0] if found and all(same(found[0], each) for each in found) else None

    def call_word(self, source, name):
        """The same for a keyword argument."""
        for call in self.calls:
            for each in call.keywords:
                if each.arg == name:
                    try:
                        return source.constant(each.value)
                    except NotConstant:
                        return None
        return None


def same(a, b):
    return a == b or isinstance(a, TypedNumber) and isinstance(b, TypedNumber) and vars(a) == vars(b)


def class_of(source, call):
    """ElementwiseKernel, …, for a call of CuPy; empty for others."""
    words = source.dotted(call.func).split(".")
    return words[-1] if words[0] == "cupy" and words[-1] in CLASSES else ""


def target_of(source, node):
    """The name that a value is assigned to: x or self.x."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        return spelled(parent.targets[0])
    if isinstance(parent, ast.AnnAssign):
        return spelled(parent.target)
    return ""


def spelled(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def around(source, node, kinds):
    while node is not None and not isinstance(node, kinds):
        node = source.parents.get(node)
    return node


def reaches(source, definition, use, variable):
    """Whether a use of a name refers to the definition: in its function, or class, and not reassigned since."""
    if "." in variable:
        return around(source, use, ast.ClassDef) is around(source, definition, ast.ClassDef)
    owner, scope = source.scope(definition), source.scope(use)
    while scope is not None and scope is not owner:
        scope = source.scope(scope)
    set_at = [each.lineno for each in source.values.get((owner, variable), []) if each is not None]
    before = [line for line in set_at if line <= use.lineno] if source.scope(use) is owner else set_at
    return scope is owner and (not before or max(before) == definition.lineno)


def calls_of(source, node, variable):
    """Calls of a kernel: through its variable, or immediate."""
    found = [
        each for each in ast.walk(source.tree) if isinstance(each, ast.Call) and variable and
        spelled(each.func) == variable and reaches(source, node, each, variable)
    ]
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        found.append(parent)
    return found


def words_of(source, kind, call):
    """Arguments of a constructor, by the parameters' names."""
    if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
        raise NotConstant(call, "arguments by * or **")
    if len(call.args) > len(CLASSES[kind]):
        raise NotConstant(call, f"{kind} has no more than {len(CLASSES[kind])} arguments by place")
    words = {}
    for name, node in [*zip(CLASSES[kind], call.args), *[(each.arg, each.value) for each in call.keywords]]:
        if name not in CLASSES[kind] + FURTHER[kind]:
            raise NotConstant(node, f"{kind} has no argument '{name}'")
        if name in ("jitify", "doc"):
            continue  # changes nothing
        words[name] = source.constant(node)
    return words


def is_decorator(source, node, names):
    return source.dotted(node.func if isinstance(node, ast.Call) else node) in names


def functions_of_module(source, module, variable, words):
    """A definition for each get_function() of a module, or for each kernel of its text."""
    found = []
    for node in ast.walk(source.tree):
        is_one = isinstance(node, ast.Call) and isinstance(node.func,
                                                           ast.Attribute) and node.func.attr == "get_function"
        if is_one and (node.func.value is module or
                       variable and spelled(node.func.value) == variable and reaches(source, module, node, variable)):
            name = target_of(source, node)
            try:
                entry = source.constant(node.args[0]) if node.args else source.constant(node.keywords[0].value)
            except (NotConstant, IndexError):
                entry = None
            found.append(Definition("RawKernel", node, name, {**words, "name": entry}, calls_of(source, node, name)))
    return found


def find(source):
    """Definitions in order, and (line, reason) for each one left out."""
    found, left_out = [], []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call):
            kind = class_of(source, node)
            if not kind:
                continue
            try:
                words = words_of(source, kind, node)
            except NotConstant as why:
                left_out.append((why.line or node.lineno, f"{kind}: {why}"))
                continue
            variable = target_of(source, node)
            if kind == "RawModule":
                kernels = functions_of_module(source, node, variable, words)
                found += kernels or [Definition("RawModule", node, variable, words)]
            else:
                found.append(Definition(kind, node, variable, words, calls_of(source, node, variable)))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for decorator in node.decorator_list:
                if is_decorator(source, decorator, ("cupy.fuse", "cupy.fusion.fuse")):
                    words = {}
                    if isinstance(decorator, ast.Call):
                        words = {
                            each.arg: each.value.value
                            for each in decorator.keywords
                            if isinstance(each.value, ast.Constant)
                        }
                    calls = calls_of(source, node, node.name)
                    found.append(Definition("fuse", node, node.name, words, calls, node))
                elif is_decorator(source, decorator, ("cupyx.jit.rawkernel", "cupyx.jit._interface.rawkernel")):
                    left_out.append(
                        (node.lineno,
                         f"'{node.name}': a body in Python is not converted; write it in C++, as a template: kind: jit"))
    return sorted(found, key=lambda each: each.line), left_out
