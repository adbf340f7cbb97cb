"""A job as YAML: blocks for the outer levels, one line for small values, texts unchanged."""
import json
import re

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./ -]*")
RESERVED = re.compile(r"(?i)(yes|no|on|off|true|false|null|nan|inf)")


def inline(value):
    """A value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{inline(key)}: {inline(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(inline(each) for each in value) + "]"
    if isinstance(value, str):
        if PLAIN.fullmatch(value) and not RESERVED.fullmatch(value) and value == value.strip():
            return value
        return json.dumps(value, ensure_ascii=False)
    return repr(value)


def block(text, indent):
    """The text as a block; None if YAML could not reproduce it."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if len(lines) < 2 or lines[0][:1].isspace() or not lines[0] or any(
            ord(c) < 32 and c != "\t" for line in lines for c in line):
        return ""
    mark = "|" if text.endswith("\n") and lines[-1] else "|-" if lines[-1] else ""
    if not mark:
        return ""
    return mark + "".join("\n" + (" " * indent + line if line else "") for line in lines)


class Commented:
    """A value with a comment."""

    def __init__(self, value, remark):
        self.value, self.remark = value, remark


def lines_of(mapping, indent=0):
    for key, value in mapping.items():
        remark = ""
        if isinstance(value, Commented):
            value, remark = value.value, f"  # {value.remark}"
        head = " " * indent + f"{inline(key)}:"
        text = block(value, indent + 2) if isinstance(value, str) else ""
        one = f"{head} {text or inline(value)}{remark if not text else ''}"
        if text and remark:
            yield " " * indent + remark.strip()
        if isinstance(value, dict) and value and (len(one) > 110 or indent == 0 and key != "measure" or any(
                isinstance(each, (dict, Commented)) or isinstance(each, str) and "\n" in each
                for each in value.values())):
            yield head + remark
            yield from lines_of(value, indent + 2)
        else:
            yield one
