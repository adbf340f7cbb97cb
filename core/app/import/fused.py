"""The expression of a function under cupy.fuse."""
import ast

from constants import shortened
from parameters import Unreadable

OPTIONS = ("axis", "keepdims", "dtype", "ddof")
ALLOWED = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.keyword,
           ast.operator, ast.unaryop, ast.cmpop, ast.expr_context)


class Inlined(ast.NodeTransformer):
    """Replaces local names by their values and removes module names."""

    def __init__(self, source, values):
        self.source, self.values = source, values

    def visit_Name(self, node):
        return self.values.get(node.id, node)

    def visit_Attribute(self, node):
        name = self.source.dotted(node)
        is_usual = isinstance(node.value, ast.Name) and node.value.id == "xp"  # the module of an array
        if name.split(".")[0] in ("cupy", "numpy") and name.count(".") == 1 or is_usual:
            return ast.copy_location(ast.Name(id=node.attr, ctx=ast.Load()), node)
        return self.generic_visit(node)


def expression_of(source, function):
    """The expression of a body of assignments to names, then one return. Throws Unreadable."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
        raise Unreadable("its parameters are not plain")
    values = {}
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(
            body[0].value.value, str):
        body = body[1:]
    for statement in body[:-1]:
        if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1 and
                isinstance(statement.targets[0], ast.Name)):
            raise Unreadable(f"line {statement.lineno}: '{shortened(statement)}' is no assignment to a name")
        values[statement.targets[0].id] = Inlined(source, dict(values)).visit(statement.value)
    if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
        raise Unreadable("it does not end with the return of an expression")
    tree = Inlined(source, values).visit(body[-1].value)
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED) or isinstance(node,
                                                       (ast.MatMult, ast.Not, ast.In, ast.NotIn, ast.Is, ast.IsNot)):
            raise Unreadable(
                f"'{shortened(node) if isinstance(node, ast.expr) else type(node).__name__}' cannot be fused")
        if isinstance(node, ast.keyword) and node.arg not in OPTIONS:
            raise Unreadable(f"the option '{node.arg}' cannot be fused")
    return ast.unparse(tree)
