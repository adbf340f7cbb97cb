"""Turns the kernels that a Python file defines with CuPy into an inline job.

Usage: python3 THIS_FOLDER FILE [-o FILE] [--kernel NAME] [--kernelbatch PROGRAM]

The file is parsed with Python's `ast`; neither it nor CuPy is run. With --kernelbatch each kernel's job is validated
with `PROGRAM check`, and all of them with `PROGRAM run --sanitize`; rejected kernels are left out.
"""
import argparse
import copy
import json
import os
import pathlib
import re
import resource
import stat
import subprocess
import sys
import tempfile

if sys.version_info < (3, 9):
    print("kernelbatch: import needs Python 3.9 or newer", file=sys.stderr)
    sys.exit(2)

from constants import Source  # noqa: E402
from definitions import find  # noqa: E402
from jobs import each_of, turn  # noqa: E402
from parameters import Unreadable  # noqa: E402
from yaml_text import lines_of  # noqa: E402

HEAD = """\
# From {file}, by kernelbatch import.
# A kernel's definition has no shapes and dtypes of arrays: edit those of the inputs, which are guesses. `params` has
# the number of elements.
"""
NO_REFERENCE = "# Outputs are stored, not verified: add a reference (values, file or cpp) to verify them.\n"


def job(turned, path, name):
    """The text of a job with these kernels, each as a workload of its own."""
    size = "count_of_elements" if any("n" in {**each.inputs, **each.outputs} for each in turned) else "n"
    entries = []
    for each in turned:
        if size != "n":
            each.with_size(size)
        parts = {"inputs": each.inputs, "outputs": each.outputs, "variants": {each.name: each.variant}}
        entries.append({"workload": "inline", **{key: part for key, part in parts.items() if part}})
    sizes = [each.size for each in turned if each.size]
    body = {"kernelbatch": 1, "name": name}
    body |= {"params": {size: max(sizes)}} if sizes else {}
    text = HEAD.format(file=path.name)
    if len(entries) == 1:
        text += "\n".join(lines_of({**body, **entries[0]})) + "\n"
        return text + NO_REFERENCE + "reference: none\n"
    text += "\n".join(lines_of(body)) + "\n" + NO_REFERENCE + "reference: none\nworkloads:\n"
    for entry in entries:
        lines = "\n".join(lines_of(entry, 4)).split("\n")
        text += "  - " + lines[0].strip() + "\n" + "\n".join(lines[1:]) + "\n"
    return text


# Bytes of a Python file, and of the memory in which its constants are computed.
MOST_TEXT, MOST_MEMORY = 16 << 20, 2 << 30


def limit_memory(most):
    """Limits memory, since an expression of constants may have any size."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard if hard != resource.RLIM_INFINITY and hard < most else most, hard))


def read_source(path):
    """Reads a regular file; reading a pipe or a device may never end."""
    if str(path) != "/dev/stdin" and not stat.S_ISREG(os.stat(path).st_mode):
        raise ValueError("it is not a regular file")
    with open(path, encoding="utf-8") as file:
        text = file.read(MOST_TEXT + 1)
    if len(text) > MOST_TEXT:
        raise ValueError(f"it has more than {MOST_TEXT >> 20} MiB")
    return text


def kernelbatch(program, words, text=""):
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    return subprocess.run([program, *words], input=text, capture_output=True, text=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (hard, hard)))


def refusal(program, text):
    """Why `check` refuses a job; empty if it does not."""
    done = kernelbatch(program, ["check", "--device", "host", "/dev/stdin"], text)
    if done.returncode == 0:
        return ""
    first = (done.stderr.strip() or done.stdout.strip() or f"ended with {done.returncode}").splitlines()[0]
    return re.sub(r"^kernelbatch: |/dev/stdin:[\d:]+ |variant '\w*': ", "", first)


def unsafe(program, text):
    """Kernels of a job that the sanitizer rejects, with the finding. Without a compiler it rejects none."""
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "results.h5")
        kernelbatch(program, ["run", "--sanitize", "-q", "-s", "output.arrays=none", "-o", results, "/dev/stdin"], text)
        shown = kernelbatch(program, ["show", results, "--json"])
    if shown.returncode != 0:
        return {}
    found = {}
    for each in json.loads(shown.stdout):
        if each["status"] == "unsafe":
            first = next(x for x in each["findings"] if not x["harmless"])
            what = re.sub(r" at /dev/stdin:\d+", "", first["what"])
            found[each["variant"]] = f"with guessed sizes --sanitize finds a {first['check']} error: a thread {what}"
    return found


def main():
    parser = argparse.ArgumentParser(prog="kernelbatch import")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--kernel")
    parser.add_argument("--kernelbatch")
    options = parser.parse_args()
    limit_memory(MOST_MEMORY)
    try:
        source = Source(read_source(options.file), str(options.file))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        print(f"kernelbatch: {options.file}: {error}", file=sys.stderr)
        return 2
    except SyntaxError as error:
        print(f"kernelbatch: {options.file}:{error.lineno or 1}: {error.msg}", file=sys.stderr)
        return 2
    except (MemoryError, RecursionError):
        print(f"kernelbatch: {options.file}: an expression is nested too deeply", file=sys.stderr)
        return 2
    definitions, left_out = find(source)
    turned, names = [], set()
    for definition in [each for one in definitions for each in each_of(one)]:
        try:
            made = turn(source, definition, names)
            alone = job([copy.deepcopy(made)], options.file, made.name)
            why = refusal(options.kernelbatch, alone) if options.kernelbatch else ""
        except Unreadable as unreadable:
            why = str(unreadable)
        if why:
            left_out.append((definition.line, f"{definition.kind} {definition.variable or ''}".strip() + f": {why}"))
        else:
            turned.append(made)
    if options.kernel:
        turned, left_out = [each for each in turned if each.name == options.kernel], left_out if not turned else []
    if options.kernelbatch and turned:
        found = unsafe(options.kernelbatch, job(copy.deepcopy(turned), options.file, options.file.stem))
        left_out += [(each.line, f"{each.name}: {found[each.name]}") for each in turned if each.name in found]
        turned = [each for each in turned if each.name not in found]
    for line, why in sorted(set(left_out)):
        print(f"{options.file}:{line}: left out: {why}", file=sys.stderr)
    if not turned:
        which = f"no kernel '{options.kernel}'" if options.kernel else "no kernel"
        print(f"kernelbatch: {options.file}: {which} that can be turned into a job", file=sys.stderr)
        return 2
    text = job(turned, options.file, options.file.stem)
    if options.output:
        try:
            options.output.write_text(text, encoding="utf-8")
        except OSError as error:
            print(f"kernelbatch: {options.output}: {error.strerror}", file=sys.stderr)
            return 2
        print(f"{options.output}: {len(turned)} kernels")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
