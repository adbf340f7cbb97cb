#!/usr/bin/env python3
"""Plants faults into correct kernels and counts which of them `kernelbatch run --sanitize` finds.

Usage: mutants.py KERNELBATCH [--only TEXT] [--list] [--keep FOLDER]

A mutant is a job with one fault, made by a textual operator. A line for each says what was found; what was not found
is explained in missed.txt. Exits with 1 if a miss is not explained, or if a kernel without an error has a finding."""
import argparse
import collections
import concurrent.futures
import csv
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INLINE = os.path.join(HERE, "..", "..", "..", "jobs", "inline")
# Example jobs with raw and jit kernels, and options that make them small.
EXAMPLES = {
    "copy": ["-p", "size=1000", "--only", "variant=jit"],
    "module_variables": [],
    "name_expressions": [],
    "prime_factor_sum": ["-p", "n=1000", "--only", "variant=jit,raw"],
    "raw_add": [],
    "raw_module": [],
    "vector_add": ["-p", "n=257", "--only", "variant=raw"],
}
WORKERS = 2
LIMIT_SECONDS = 40  # of one run
SPIN = r"while \(.*\) (?:\{\}|seen = state\[k\];)"
WAITS = r"__pipeline_wait_prior\(\d\)|cg::wait\(\w+\)|\w+\.arrive_and_wait\(\)"
BARRIERS = r"__syncthreads\(\)|__syncwarp\(\)|\w+\.sync\(\)|cg::sync\(\w+\)|(?:wait_at|come_to)\([^()]*\)"
WEAKER = {"__syncthreads()": "__syncwarp()", "grid.sync()": "__syncthreads()", "cluster.sync()": "__syncthreads()",
          "cg::wait(block)": "block.sync()", "__pipeline_wait_prior(1)": "__pipeline_wait_prior(2)"}
CHOICE = r"(?<== )[^=?;()]+ [<>]=? [^?;()]*(?= \?)|(?<=\()\w+ [<>]=? \w+(?= \?)"  # what stands before ?
OPPOSITE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
NEW_VALUES = {"Add": "old + ({})", "Max": "old < ({0}) ? ({0}) : old", "Min": "({0}) < old ? ({0}) : old", "Exch": "{}",
              "CAS": "old == ({}) ? ({}) : old"}


def end_of(line, begin):
    """The position after the bracket that closes the one at `begin`."""
    depth = 0
    for k in range(begin, len(line)):
        depth += (line[k] in "([{") - (line[k] in ")]}")
        if depth == 0:
            return k + 1
    return len(line)


def arguments_of(text):
    parts, begin, depth = [], 0, 0
    for k, letter in enumerate(text + ","):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(text[begin:k].strip())
            begin = k + 1
    return parts


# Operators: from a line of a kernel to the changed pieces, (begin, end, new text).


def replace_all(pattern, new):
    return lambda line: [(m.start(), m.end(), new(m.group()) if callable(new) else new)
                         for m in re.finditer(pattern, line) if not callable(new) or new(m.group()) is not None]


barrier_removed = replace_all(f"(?:{BARRIERS}|{WAITS});|{SPIN}", ";")
barrier_weaker = replace_all(f"{BARRIERS}|{WAITS}", WEAKER.get)
barrier_not_by_all = replace_all(f"(?:{BARRIERS});", lambda old: "if (threadIdx.x % 32 != 0) " + old)
fence_removed = replace_all(r"__threadfence\(\);", ";")
fence_of_block = replace_all(r"__threadfence\(\)", "__threadfence_block()")
order_relaxed = replace_all(r"memory_order_(?:acquire|release)", "memory_order_relaxed")
volatile_removed = replace_all(r"volatile ", "")
mask_halved = replace_all("0xffffffffu", "0xffffu")


def atomic_made_plain(line):
    pieces = []
    for found in re.finditer(r"atomic(Add|Max|Min|Exch|CAS)\(", line):
        end = end_of(line, found.end() - 1)
        place, *values = arguments_of(line[found.end():end - 1])
        new = NEW_VALUES[found.group(1)].format(*values)
        pieces.append((found.start(), end, f"[&] {{ auto* p = {place}; auto old = *p; *p = {new}; return old; }}()"))
    return pieces


def is_declaration(line):
    return "__shared__" in line or "__global__" in line or re.match(r"\s*__(constant|device)__ \w+ \w+\[", line)


def subscripts(line):
    if is_declaration(line):
        return []
    found = [(m.start() + 1, end_of(line, m.start()) - 1) for m in re.finditer(r"(?<=\w)\[|(?<=\])\[", line)]
    return [(begin, end) for begin, end in found if begin < end]


def index_higher(line):
    return [(begin, end, f"({line[begin:end]}) + 1") for begin, end in subscripts(line)]


def index_lower(line):
    return [(begin, end, f"({line[begin:end]}) - 1") for begin, end in subscripts(line)]


def loops(line):
    """Positions of the conditions of for loops."""
    found = [re.compile(r"[^;]*;([^;]*);").match(line, m.end()) for m in re.finditer(r"\bfor \(", line)]
    return [m.span(1) for m in found if m]


def comparisons(line):
    return [(m.start(1), m.end(1)) for m in re.finditer(r" (<=?|>=?) ", line)]


def bound_off_by_one(line):
    pieces = []
    for begin, end in comparisons(line):
        if not any(first <= begin < last for first, last in loops(line)):
            continue
        # A loop that halves its variable would never end at 0.
        if line[begin:end + 2] == "> 0":
            pieces.append((begin, end + 2, "> 1"))
        elif line[begin:end + 2] == "> 1":
            pieces.append((begin, end + 2, "> 2"))
        else:
            pieces.append((begin, end, OPPOSITE[line[begin:end]]))
    return pieces


def guard_off_by_one(line):
    return [(begin, end, OPPOSITE[line[begin:end]]) for begin, end in comparisons(line)
            if not any(first <= begin < last for first, last in loops(line))]


def guard_removed(line):
    pieces = []
    for found in re.finditer(r"\bif \(", line):
        end = end_of(line, found.end() - 1)
        leaves = re.match(r" (return|break);", line[end:])
        pieces.append((found.start(), end, "if (false)" if leaves else "if (true)"))
    pieces += [(m.start(), m.end(), "true") for m in re.finditer(CHOICE, line)]
    return pieces


def store_removed(line):
    """Stores of values that other threads or later steps read: elements, and shared variables by name."""
    target = r"(?:[\w.]+(?:\[[^=;]*\])+|part|most|before|is_last|sum(?= = 0; *$))"
    stores = rf"(?:(?<=^)|(?<=\) )|(?<=; )|(?<=\{{ ))({target} = [^;]*|init\(&\w+, \d+\));"
    code = line.strip()
    begin = line.index(code)
    return [(begin + m.start(1), begin + m.end(1), "") for m in re.finditer(stores, code)]


def extent_smaller(line):
    pieces = []
    if "__shared__" in line:
        for found in re.finditer(r"\[([^\]]+)\]", line):
            pieces.append((*found.span(1), f"({found.group(1)}) - 1"))
    return pieces


IN_KERNELS = {
    "barrier removed": barrier_removed,
    "barrier weaker": barrier_weaker,
    "barrier not by all": barrier_not_by_all,
    "atomic made plain": atomic_made_plain,
    "fence removed": fence_removed,
    "fence of a block": fence_of_block,
    "order relaxed": order_relaxed,
    "volatile removed": volatile_removed,
    "index + 1": index_higher,
    "index - 1": index_lower,
    "bound off by one": bound_off_by_one,
    "guard off by one": guard_off_by_one,
    "guard removed": guard_removed,
    "store removed": store_removed,
    "extent - 1": extent_smaller,
    "mask halved": mask_halved,
}
# Operators for the lines of a job outside its kernels.
IN_JOBS = {
    "output not filled": replace_all(r", fill: -?\w+", ""),
    "block larger": lambda line: [(*m.span(1), m.group(1) + " + 1") for m in re.finditer(r"^ +block: \[?([^\],]+)",
                                                                                         line)],
    "shared_mem smaller": replace_all(r"(?<=shared_mem: ).*", lambda old: old + " - 4"),
}

Mutant = collections.namedtuple("Mutant", "kernel operator line id text options before after")


def kernel_lines(lines):
    """For each line, whether it is part of a kernel's text."""
    inside = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if inside is not None and line.strip() and indent <= inside:
            inside = None
        yield inside is not None
        if re.search(r"\bsource:( &\w+)? \|", line):
            inside = indent


def mutants_of(kernel, text, options):
    lines = text.split("\n")
    for number, (line, in_kernel) in enumerate(zip(lines, kernel_lines(lines)), 1):
        if line.strip().startswith(("//", "#")):
            continue
        for operator, change in (IN_KERNELS if in_kernel else IN_JOBS).items():
            pieces = change(line)
            for k, (begin, end, new) in enumerate(pieces, 1):
                after = line[:begin] + new + line[end:]
                changed = "\n".join([*lines[:number - 1], after, *lines[number:]])
                which = f".{k}" if len(pieces) > 1 else ""
                yield Mutant(kernel, operator, number, f"{kernel}:{number}{which} {operator}", changed, options, line,
                             after)


def table(program, file, name):
    done = subprocess.run([program, "export", "--table", name, file], capture_output=True, text=True, check=False)
    return list(csv.DictReader(done.stdout.splitlines())) if done.returncode == 0 else []


def run(program, folder, kernel, text, options):
    """Kinds of findings, and statuses of wrong variants without a finding."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        job, results = os.path.join(own, kernel + ".yaml"), os.path.join(own, "results.h5")
        with open(job, "w", encoding="utf-8") as file:
            file.write(text)
        command = [program, "run", "--overwrite", "--sanitize", "--device", "host", "-q", "-o", results, "-s", "limits.timeout=10s",
                   "-s", "limits.retries=0", *options, job]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              start_new_session=True) as process:
            try:
                printed = process.communicate(timeout=LIMIT_SECONDS)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return [], ["hangs"], ""
        findings, cases = table(program, results, "findings"), table(program, results, "cases")
    kinds = sorted({row["check"] + (" (same value)" if row["harmless"] == "true" else "") for row in findings})
    found = {row["variant"] for row in findings}
    wrong = sorted({row["status"] for row in cases if row["status"] != "ok" and row["variant"] not in found})
    return kinds, wrong if cases else ["does not run"], printed


def read_reasons():
    reasons = {}
    with open(os.path.join(HERE, "missed.txt"), encoding="utf-8") as file:
        for line in file:
            if ": " in line and not line.startswith("#"):
                name, reason = line.strip().split(": ", 1)
                reasons[name] = reason
    return reasons


def outcome(kinds, wrong, reason):
    if kinds:
        return "found"
    if not set(wrong) <= {"verification_failed", "failed", "does not run"}:  # the last two: it is refused
        return "miss"
    if reason is not None and reason.startswith("miss"):
        return "miss"
    return "wrong result" if wrong else "equivalent"


def print_table(counts):
    columns = ("found", "wrong result", "equivalent", "miss")
    print(f"\n{'operator':20} {'mutants':>8}" + "".join(f" {name:>13}" for name in columns))
    for operator in (*IN_KERNELS, *IN_JOBS):
        if counts[operator]:
            print(f"{operator:20} {sum(counts[operator].values()):8}"
                  + "".join(f" {counts[operator][name]:13}" for name in columns))
    sums = sum(counts.values(), collections.Counter())
    print(f"{'all':20} {sum(sums.values()):8}" + "".join(f" {sums[name]:13}" for name in columns))


def report(options, bases, mutants, pool, folder):
    """True if every result is as expected."""
    reasons, is_good = read_reasons(), True
    counts = collections.defaultdict(collections.Counter)
    results = pool.map(lambda base: run(options.kernelbatch, folder, *base), bases)
    for (kernel, _, _), (kinds, wrong, printed) in zip(bases, results):
        if kinds or wrong:
            is_good = False
            print(f"{kernel}: without a fault it is not silent: {', '.join(kinds + wrong)}\n{printed}")
    results = pool.map(lambda mutant: run(options.kernelbatch, folder, mutant.kernel, mutant.text, mutant.options),
                       mutants)
    for mutant, (kinds, wrong, _) in zip(mutants, results):
        reason = reasons.get(mutant.id)
        counts[mutant.operator][outcome(kinds, wrong, reason)] += 1
        found = ", ".join(kinds)
        if not kinds:
            found = f"MISSED ({', '.join(wrong) or 'right result'}): {reason or 'not explained'}"
            is_good = is_good and reason is not None
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
                name = re.sub(r"\W+", "_", mutant.id) + ".yaml"
                with open(os.path.join(options.keep, name), "w", encoding="utf-8") as file:
                    file.write(mutant.text)
        print(f"{mutant.id:48} {found}", flush=True)
    print_table(counts)
    return is_good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernelbatch")
    parser.add_argument("--only", default="", help="mutants whose name contains this")
    parser.add_argument("--list", action="store_true", help="print the mutants and run nothing")
    parser.add_argument("--keep", help="folder for the jobs of mutants that are not found")
    options = parser.parse_args()

    jobs = [(path, []) for path in sorted(glob.glob(os.path.join(HERE, "kernels", "*.yaml")))]
    jobs += [(os.path.join(INLINE, name + ".yaml"), more) for name, more in EXAMPLES.items()]
    bases, mutants = [], []
    for path, more in jobs:
        kernel = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        own = [mutant for mutant in mutants_of(kernel, text, more) if options.only in mutant.id]
        if own:
            bases.append((kernel, text, more))
            mutants += own
    if options.list:
        for mutant in mutants:
            print(f"{mutant.id}\n  - {mutant.before.strip()}\n  + {mutant.after.strip()}")
        print(f"{len(mutants)} mutants of {len(bases)} jobs")
        return 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        os.environ["KERNELBATCH_CACHE_DIR"] = os.path.join(folder, "cache")
        try:
            return 0 if report(options, bases, mutants, pool, folder) else 1
        finally:
            pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    sys.exit(main())
