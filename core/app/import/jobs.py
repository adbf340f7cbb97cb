"""Converts a definition to a variant of an inline job, with suitable inputs."""
import re

from fused import expression_of
from parameters import Unreadable, kernels_in, parameters, spelled
from parts import number, options_of, random, text_of
from raw_jobs import raw
from yaml_text import Commented


class Turned:
    """A kernel's part of a job."""

    def __init__(self, name, line):
        self.name, self.line = name, line
        self.size = None  # of the parameter n, if the kernel has it
        self.inputs, self.outputs, self.variant = {}, {}, {}

    def with_size(self, name):
        """The same with another name for the parameter n."""

        def edited(value, key=""):
            if isinstance(value, Commented):
                return Commented(edited(value.value, key), value.remark)
            if isinstance(value, dict):
                return {k: edited(x, k) for k, x in value.items()}
            if isinstance(value, list):
                return [edited(x, key) for x in value]
            return re.sub(r"\bn\b", name,
                          value) if isinstance(value, str) and key in ("shape", "grid", "scalar", "size") else value

        self.inputs, self.outputs = edited(self.inputs), edited(self.outputs)
        given = {key: self.variant[key] for key in ("grid", "args", "size") if key in self.variant}
        self.variant |= edited(given)


def loop(turned, definition, source, kind):
    """Common parts of elementwise kernels and reductions. Returns the parameters."""
    words = definition.words
    listed = [parameters(text_of(words, name)) for name in ("in_params", "out_params")]
    texts = " ".join(each for each in words.values() if isinstance(each, str))
    for each in listed[0]:
        if re.search(r"\b(tex[123]D\w*|tex\w*Fetch)\s*(<[^>]*>)?\s*\(\s*" + each.name + r"\b", texts):
            raise Unreadable(f"'{each.name}' is a texture: add it by hand, with textures:")
    for each in listed[0]:
        if each.is_raw and is_number(each, words):
            each.is_raw, each.qualifiers = False, []  # a number is passed as it is
    turned.variant = {"kind": kind, "in": spelled(listed[0]), "out": spelled(listed[1])}
    return listed


def is_number(parameter, words):
    """Whether a parameter can only be a number: it is used outside of elements, or is raw and never indexed."""
    texts = [str(words.get(name) or "") for name in ("loop_prep", "after_loop", "identity")]
    if not parameter.is_raw:
        return any(re.search(rf"\b{parameter.name}\b", text) for text in texts)
    body = " ".join(each for name, each in words.items() if isinstance(each, str) and not name.endswith("params"))
    as_array = rf"\b{parameter.name}\s*[\[.]|[(,&]\s*{parameter.name}\s*[,)+]"
    return not re.search(as_array, body)


def dtype_of(parameter):
    """Dtype of a placeholder: I and J are those of indices."""
    if not parameter.is_placeholder:
        return parameter.dtype
    return "int32" if parameter.type in "IJ" else "float32"


def give_arguments(turned, definition, source, listed, shape, result_shape):
    """Inputs, and buffers for the outputs that need one."""
    known = set()
    for k, each in enumerate(listed[0]):
        is_given = is_number(each, definition.words)
        value = number(definition.call_argument(source, k)) if is_given or not each.is_raw else None
        if value is not None:
            turned.inputs[each.name] = Commented(value, "as in its call")
        elif is_given:
            turned.inputs[each.name] = Commented({"scalar": 2, "dtype": dtype_of(each)}, "a number: a guess")
        else:
            turned.inputs[each.name] = random(dtype_of(each), shape, k + 1)
            known.add(each.type)
    arrays = [
        each for k, each in enumerate(listed[0])
        if isinstance(turned.inputs[each.name], dict) and "scalar" not in turned.inputs[each.name]
    ]
    needs = all(each.is_raw for each in arrays) or any(
        each.is_raw or each.is_placeholder and each.type not in known for each in listed[1])
    turned.variant["args"] = [each.name for each in listed[0]]
    if needs:
        for each in listed[1]:
            turned.outputs[each.name] = {"shape": result_shape, "dtype": dtype_of(each), "fill": 0}
        turned.variant["args"] += [each.name for each in listed[1]]
    return arrays


def elementwise(definition, source, turned):
    words = definition.words
    listed = loop(turned, definition, source, "elementwise")
    turned.size = 1024
    arrays = give_arguments(turned, definition, source, listed, ["n"], ["n"])
    turned.variant["operation"] = text_of(words, "operation")
    if all(each.is_raw for each in arrays) and all(each.is_raw for each in listed[1]):
        size = definition.call_word(source, "size")
        turned.variant["size"] = "n"
        if isinstance(size, int) and size > 0:
            turned.size = size
    block = definition.call_word(source, "block_size")
    if isinstance(block, int):
        turned.variant["block_size"] = block
    for name in ("preamble", "loop_prep", "after_loop"):
        if words.get(name):
            turned.variant[name] = text_of(words, name)
    if words.get("reduce_dims") is False:
        turned.variant["reduce_dims"] = False
    options_of(words, turned.variant)


def axes_of(value):
    axes = [value] if isinstance(value, int) else list(value or ())
    return axes if all(isinstance(each, int) and not isinstance(each, bool) for each in axes) else []


def reduction(definition, source, turned):
    words = definition.words
    listed = loop(turned, definition, source, "reduction")
    axes = axes_of(definition.call_word(source, "axis"))
    keepdims = definition.call_word(source, "keepdims") is True
    rank = max([2 if axes else 1, *[each + 1 if each >= 0 else -each for each in axes]])
    shape = ["n", *[16] * (rank - 1)]
    reduced = {each % rank for each in axes} or set(range(rank))
    result = [1 if k in reduced else shape[k] for k in range(rank) if keepdims or k not in reduced]
    turned.size = 64 if axes else 1024
    give_arguments(turned, definition, source, listed, shape, result)
    turned.variant |= {
        "map": text_of(words, "map_expr"), "reduce": text_of(words, "reduce_expr"),
        "post_map": text_of(words, "post_map_expr")
    }
    identity = words.get("identity")
    if identity not in (None, ""):
        turned.variant["identity"] = str(identity).lower() if isinstance(identity, bool) else str(identity)
    if axes:
        turned.variant["axis"] = axes[0] if len(axes) == 1 else axes
    if keepdims:
        turned.variant["keepdims"] = True
    for name in ("reduce_type", "preamble"):
        if words.get(name):
            turned.variant[name] = text_of(words, name)
    options_of(words, turned.variant)


def fuse(definition, source, turned):
    names = [each.arg for each in definition.function.args.args]
    expression = expression_of(source, definition.function)
    turned.size = 64
    for k, name in enumerate(names):
        if not re.search(rf"(?<![.\w]){name}\b", expression):
            continue
        value = number(definition.call_argument(source, k))
        shape = ["n", 16] if "axis" in expression else ["n"]
        turned.inputs[name] = random("float32", shape, k + 1) if value is None else Commented(value, "as in its call")
    turned.variant = {"kind": "fuse", "expression": expression}


TURN = {"ElementwiseKernel": elementwise, "ReductionKernel": reduction, "RawKernel": raw, "fuse": fuse}


def turn(source, definition, names):
    """Converts a definition. Throws Unreadable."""
    given = definition.words.get("kernel_name" if definition.kind == "fuse" else "name")
    label = given if isinstance(given, str) else definition.variable or f"kernel_{definition.line}"
    label = re.sub(r"\W+", "_", label).strip("_") or f"kernel_{definition.line}"
    if label[0].isdigit():
        label = f"k{label}"
    name, count = label, 1
    while name in names:
        count += 1
        name = f"{label}_{count}"
    turned = Turned(name, definition.line)
    TURN[definition.kind](definition, source, turned)
    if definition.kind in ("ElementwiseKernel", "ReductionKernel") and isinstance(given, str):
        turned.variant["name"] = given
    names.add(name)
    return turned


def each_of(definition):
    """A module without get_function() calls stands for all its kernels."""
    if definition.kind != "RawModule":
        return [definition]
    code, listed = definition.words.get("code"), definition.words.get("name_expressions")
    entries = list(listed or ()) or (kernels_in(code) if isinstance(code, str) else [])
    made = []
    for entry in entries or [None]:
        one = object.__new__(type(definition))
        one.__dict__ = {**definition.__dict__, "kind": "RawKernel", "words": {**definition.words, "name": entry}}
        made.append(one)
    return made
