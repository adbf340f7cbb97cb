"""Mutations of core's C++ sources, found in clang's syntax tree and compiled in behind a run-time switch."""
import hashlib
import random
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from clang.cindex import Cursor, CursorKind as Kind, Diagnostic, Index, TranslationUnit

KINDS = ("bound", "call", "error", "operator")
# Operators that move a bound, and operators that compute something else.
BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OPERATORS = {"==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "+", "/": "*", "%": "/",
             "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|="}
FUNCTIONS = {Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.FUNCTION_TEMPLATE,
             Kind.CONVERSION_FUNCTION}
WITHOUT_MUTATIONS = {Kind.STATIC_ASSERT, Kind.ENUM_DECL, Kind.TYPE_ALIAS_DECL, Kind.TYPE_REF, Kind.TEMPLATE_REF}
PARENTS_OF_BOUNDS = {Kind.BINARY_OPERATOR, Kind.ARRAY_SUBSCRIPT_EXPR, Kind.CALL_EXPR, Kind.VAR_DECL, Kind.RETURN_STMT}
LEAVING = {Kind.RETURN_STMT, Kind.CXX_THROW_EXPR, Kind.CONTINUE_STMT, Kind.BREAK_STMT}
PREAMBLE_ON_FIRST_PARSE = 0x100  # not among the constants of clang 14's module; halves the time of the first reparse
LOOPS = {Kind.FOR_STMT, Kind.WHILE_STMT, Kind.CXX_FOR_RANGE_STMT}


@dataclass(frozen=True)
class Mutation:
    id: int
    file: str
    line: int
    kind: str
    change: str  # in words
    begin: int  # bytes of the file that `code` replaces
    end: int
    code: str


def shown(text: bytes) -> str:
    line = " ".join(text.decode(errors="replace").split())
    return f"`{line if len(line) <= 70 else line[:67] + '...'}`"


def unwrapped(cursor: Cursor) -> Cursor:
    """The expression inside of implicit casts and clean-ups of temporaries."""
    while cursor.kind == Kind.UNEXPOSED_EXPR and len(inner := list(cursor.get_children())) == 1:
        cursor = inner[0]
    return cursor


class Source:
    """One source of core: its syntax tree and the places that can be mutated."""

    def __init__(self, path: Path, name: str, flags: list[str], seed: int) -> None:
        self.path, self.name, self.text = path, name, path.read_bytes()
        self.chance = random.Random(f"{seed} kinds of {name}")
        self.unit = TranslationUnit.from_source(
            str(path), [*flags, "-Wno-everything", "-Werror=return-type"], index=Index.create(),
            options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | TranslationUnit.PARSE_PRECOMPILED_PREAMBLE
            | PREAMBLE_ON_FIRST_PARSE)
        self.errors = self.current_errors()
        self.places: list[Mutation] = []  # @ID@ in their code becomes the number
        top = [each for each in self.unit.cursor.get_children()
               if each.location.file and each.location.file.name == str(path)]
        self.macros = [self.span(each) for each in top if each.kind == Kind.MACRO_INSTANTIATION]
        for each in top:
            if not each.kind.is_preprocessing():
                self.walk(each, [], in_function=False)

    def current_errors(self) -> list[str]:
        return [str(each) for each in self.unit.diagnostics if each.severity >= Diagnostic.Error]

    def compiles_with(self, mutation: Mutation) -> bool:
        text = apply(self.text, [mutation]).decode()
        self.unit.reparse([(str(self.path), text)])
        return not self.current_errors()

    @staticmethod
    def span(cursor: Cursor) -> tuple[int, int]:
        return cursor.extent.start.offset, cursor.extent.end.offset

    def code(self, cursor: Cursor) -> bytes:
        begin, end = self.span(cursor)
        return self.text[begin:end]

    def is_constant_if(self, cursor: Cursor) -> bool:
        return re.match(rb"if\s+constexpr\b", self.code(cursor)) is not None

    def is_plain(self, begin: int, end: int) -> bool:
        """True if the range is not part of a macro and contains macros only as a whole."""
        return begin < end and not any(
            first < begin < last or first < end < last or first <= begin and end <= last for first, last in self.macros)

    def add(self, kind: str, begin: int, end: int, change: str, code: bytes) -> None:
        if self.is_plain(begin, end):
            line = self.text[:begin].count(b"\n") + 1
            self.places.append(Mutation(0, self.name, line, kind, change, begin, end, code.decode()))

    def replaced(self, begin: int, end: int, old: str, new: str) -> str:
        """The change in words, with the text around it in its line."""
        before, after = self.text[max(0, begin - 30):begin].split(b"\n")[-1], self.text[end:end + 30].split(b"\n")[0]
        return f"{shown(before + self.text[begin:end] + after)}: `{old}` → `{new}`"

    def walk(self, cursor: Cursor, parents: list[Cursor], in_function: bool) -> None:
        kind, children = cursor.kind, list(cursor.get_children())
        if kind in WITHOUT_MUTATIONS:
            return
        if kind in FUNCTIONS or kind == Kind.VAR_DECL:
            head = self.text[cursor.extent.start.offset:cursor.location.offset]
            if re.search(rb"\bconst(expr|eval|init)\b", head):
                return
            in_function = in_function or kind in FUNCTIONS
        if in_function:
            self.collect(cursor, children, parents)
        if kind == Kind.CASE_STMT:
            children = children[1:]  # without the label
        if kind == Kind.IF_STMT and self.is_constant_if(cursor):
            children = children[1:]
        inner = parents if kind == Kind.UNEXPOSED_EXPR else [*parents, cursor]  # implicit casts have no text
        for child in children:
            self.walk(child, inner, in_function)

    def collect(self, cursor: Cursor, children: list[Cursor], parents: list[Cursor]) -> None:
        kind, (begin, end) = cursor.kind, self.span(cursor)
        is_operator_call = kind == Kind.CALL_EXPR and cursor.spelling.startswith("operator")
        if kind in {Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR} or is_operator_call:
            self.collect_operator(cursor, children)
        elif kind == Kind.UNARY_OPERATOR and self.code(cursor).startswith(b"!"):
            operand = self.text[begin + 1:end]
            self.add("operator", begin, end, f"{shown(self.text[begin:end])} negated",
                     b"(kb_mutant(@ID@) ? !!(%b) : !(%b))" % (operand, operand))
        elif kind == Kind.INTEGER_LITERAL and parents and parents[-1].kind in PARENTS_OF_BOUNDS:
            literal = self.code(cursor)
            is_value = parents[-1].kind != Kind.VAR_DECL or self.text[:begin].rstrip().endswith(b"=")
            if is_value and re.fullmatch(rb"(0[xX][\da-fA-F']+|\d[\d']*)[uUlLzZ]*", literal):
                old = literal.decode()
                self.add("bound", begin, end, self.replaced(begin, end, old, old + " + 1"),
                         b"(kb_mutant(@ID@) ? (%b + 1) : (%b))" % (literal, literal))
        elif kind == Kind.IF_STMT and not self.is_constant_if(cursor):
            self.collect_guard(cursor, children)
        if kind == Kind.COMPOUND_STMT:
            is_guarded = bool(parents) and parents[-1].kind == Kind.IF_STMT
            for child in children:
                self.collect_statement(child, is_guarded)
        elif kind in LOOPS | {Kind.IF_STMT}:
            for child in children[1:]:
                self.collect_statement(child, is_guarded=True)

    def collect_operator(self, cursor: Cursor, children: list[Cursor]) -> None:
        if len(children) < 2:
            return
        begin, end = self.span(cursor)
        left, right = self.span(children[0]), self.span(children[-1])
        old = self.text[left[1]:right[0]].strip().decode(errors="replace")
        new = BOUNDS.get(old) or OPERATORS.get(old)
        if new and left[0] == begin and right[1] == end and self.is_plain(*left) and self.is_plain(*right):
            before = self.text[begin:end]
            code = b"(kb_mutant(@ID@) ? ((%b) %b (%b)) : (%b))" % (self.text[slice(*left)], new.encode(),
                                                                 self.text[slice(*right)], before)
            self.add("bound" if old in BOUNDS else "operator", begin, end,
                     self.replaced(left[1], right[0], old, new), code)

    def collect_guard(self, cursor: Cursor, children: list[Cursor]) -> None:
        """`if (condition)` before a statement that leaves: the condition is ignored."""
        for condition, then in zip(children, children[1:]):
            begin, end = self.span(condition)
            if condition.kind.is_expression() and self.text[end:then.extent.start.offset].strip() == b")":
                inner = list(then.get_children())
                last = inner[-1] if then.kind == Kind.COMPOUND_STMT and inner else then
                if unwrapped(last).kind in LEAVING:
                    text = self.text[begin:end]
                    self.add("error", begin, end, f"{shown(text)} ignored", b"(!kb_mutant(@ID@) && (%b))" % text)

    def collect_statement(self, cursor: Cursor, is_guarded: bool) -> None:
        cursor = unwrapped(cursor)
        begin, end = self.span(cursor)
        semicolon = re.match(rb"\s*;", self.text[end:end + 100])
        is_call = cursor.kind == Kind.CALL_EXPR and not re.match("operator(?!\\()", cursor.spelling)
        is_throw = cursor.kind == Kind.CXX_THROW_EXPR and not is_guarded  # guarded: its condition is mutated
        if semicolon and (is_call or is_throw):
            end += semicolon.end()
            self.add("call" if is_call else "error", begin, end, f"{shown(self.text[begin:end])} removed",
                     b"{ if (!kb_mutant(@ID@)) { %b } }" % self.text[begin:end])


def apply(text: bytes, mutations: list[Mutation]) -> bytes:
    for each in sorted(mutations, key=lambda mutation: -mutation.begin):
        text = text[:each.begin] + each.code.encode() + text[each.end:]
    return text


def flags_of_sources(commands: list[dict[str, str]], root: Path) -> dict[str, list[str]]:
    """Compiler flags of each source of core by its path below `root`. A unity file has several sources."""
    flags: dict[str, list[str]] = {}
    for command in commands:
        file = Path(command["file"])
        if "/Unity/" not in str(file):
            members = [file]
        else:
            members = [Path(name) for name in re.findall(r'^#include "(.*)"', file.read_text(), re.MULTILINE)]
        arguments = shlex.split(command["command"])
        kept = [word for word in arguments[1:arguments.index("-o")] if not word.startswith(("-O", "-W", "-w"))]
        for member in members:
            if member.is_relative_to(root / "core") and member.suffix == ".cpp":
                flags[str(member.relative_to(root))] = kept
    return flags


def draws(lines: dict[str, int], seed: int, most: int) -> list[str]:
    """A random sequence of sources, weighted by lines. A change of one source keeps the order of the others."""
    arrivals = []
    for name, count in lines.items():
        chance, time = random.Random(f"{seed} {name}"), 0.0
        for _ in range(most):
            time += chance.expovariate(count)
            arrivals.append((time, name))
    return [name for _, name in sorted(arrivals)]


def choose(root: Path, commands: list[dict[str, str]], seed: int, count: int) -> Iterator[Mutation | str]:
    """`count` mutations that compile and do not overlap, and a line of text for each one that was dropped."""
    flags = flags_of_sources(commands, root)
    lines = {name: (root / name).read_bytes().count(b"\n") for name in flags}
    sources: dict[str, Source] = {}
    chosen: list[Mutation] = []
    for name in draws(lines, seed, count):
        if len(chosen) == count:
            return
        if name not in sources:
            sources[name] = Source(root / name, name, flags[name], seed)
            if sources[name].errors:
                yield f"{name}: clang cannot parse it: {sources[name].errors[0]}"
        source = sources[name]
        if source.errors or not source.places:
            continue
        kind = source.chance.choice(KINDS)
        if all(each.kind != kind for each in source.places):
            continue
        # Chosen by a hash of the text, so that a change elsewhere in the source keeps the choice.
        place = min((each for each in source.places if each.kind == kind),
                    key=lambda each: hashlib.sha256(f"{seed} {each.change} {each.code}".encode()).digest())
        source.places.remove(place)
        number = len(chosen) + 1
        mutation = replace(place, id=number, code=place.code.replace("@ID@", str(number)))
        if any(each.file == name and each.begin < place.end and place.begin < each.end for each in chosen):
            continue
        if source.compiles_with(mutation):
            chosen.append(mutation)
            yield mutation
        else:
            yield f"{name}:{mutation.line}: {mutation.change}: does not compile"
