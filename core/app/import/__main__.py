"""Turns the kernels that a Python file defines with CuPy into an inline job.

Usage: python3 THIS_FOLDER FILE [-o FILE] [--kernel NAME] [--kernelbatch PROGRAM]

The file is parsed with Python's `ast`; neither it nor CuPy is run. With --kernelbatch each kernel's job is validated
with `PROGRAM check`, and rejected kernels are left out.
"""
import argparse
import os
import pathlib
import re
import resource
import stat
import subprocess
import sys

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
# A kernel's definition has no shapes and dtypes of arrays: edit those of the inputs, which are guesses.
"""
NO_REFERENCE = "# Outputs are stored, not verified: add a reference (values, file or cpp) to verify them.\n"


def job(turned, path, name):
    """The text of a job with these kernels."""
    params, inputs, outputs, variants = {}, {}, {}, {}
    for each in turned:
        inputs |= each.inputs
        outputs |= each.outputs
        variants[each.name] = each.variant
        params |= each.params
    body = {"kernelbatch": 1, "name": name, "workload": "inline"}
    body |= {"params": params} if params else {}
    body |= {"inputs": inputs} if inputs else {}
    body |= {"outputs": outputs} if outputs else {}
    text = HEAD.format(file=path.name) + "\n".join(lines_of({**body, "variants": variants})) + "\n"
    return text + NO_REFERENCE + "reference: none\n"


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


def refusal(program, text):
    """Why `check` refuses a job; empty if it does not."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    done = subprocess.run([program, "check", "--device", "host", "/dev/stdin"], input=text, capture_output=True,
                          text=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (hard, hard)))
    if done.returncode == 0:
        return ""
    first = (done.stderr.strip() or done.stdout.strip() or f"ended with {done.returncode}").splitlines()[0]
    return re.sub(r"^kernelbatch: |/dev/stdin:[\d:]+ |variant '\w*': ", "", first)


def separate(turned):
    """Gives the kernels of one job distinct names and sizes."""
    used = {f"n_{each.name}" for each in turned}
    for each in turned:
        each.renamed(used)
        each.with_size(f"n_{each.name}")


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
            why = refusal(options.kernelbatch, job([made], options.file, made.name)) if options.kernelbatch else ""
        except Unreadable as unreadable:
            why = str(unreadable)
        if why:
            left_out.append((definition.line, f"{definition.kind} {definition.variable or ''}".strip() + f": {why}"))
        else:
            turned.append(made)
    if options.kernel:
        turned, left_out = [each for each in turned if each.name == options.kernel], left_out if not turned else []
    for line, why in sorted(set(left_out)):
        print(f"{options.file}:{line}: left out: {why}", file=sys.stderr)
    if not turned:
        which = f"no kernel '{options.kernel}'" if options.kernel else "no kernel"
        print(f"kernelbatch: {options.file}: {which} that can be turned into a job", file=sys.stderr)
        return 2
    if len(turned) > 1:
        separate(turned)
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
