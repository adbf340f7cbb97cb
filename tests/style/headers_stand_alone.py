#!/usr/bin/env python3
"""Each header of core/ compiles by itself: headers_stand_alone.py BUILD_FOLDER PASSED [CLANG]

PASSED is a file of this script: a digest of every header that passed, with all that it includes of this tree, its flags
and the compiler. A header whose digest is the same is not compiled again.

Takes the headers, and their flags, of the target all_verify_interface_header_sets from the build's compile_commands.json.
Almost all of the time goes to what headers include, which is the same again and again. So clang compiles some sets of
headers beforehand, and each header takes the largest set of which it includes every member itself, directly or through
headers that are checked too: what it forgot is not in there.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PRECOMPILED = 20


def read_commands(build):
    """Header → include folder of its name, flags for clang."""
    commands = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        named = re.search(r"_verify_interface_header_sets/(.*)\.cxx$", command["file"])
        if not named:
            continue
        flags = []
        words = iter(shlex.split(command["command"])[1:])
        for word in words:
            if word in ("-isystem", "-I"):
                flags += [word, next(words)]
            elif word.startswith(("-I", "-D", "-W", "-std=")):
                flags.append(word)
        commands[named[1]] = flags
    return commands


@functools.lru_cache(maxsize=None)
def own_includes(root, header):
    """Names in unconditional #include lines."""
    names, depth = [], 0
    for line in (root / header).read_text().splitlines():
        if re.match(r"\s*#\s*if", line):
            depth += 1
        elif re.match(r"\s*#\s*endif", line):
            depth -= 1
        elif depth == 0 and (include := re.match(r'\s*#\s*include\s*([<"][^>"]+[>"])', line)):
            names.append(include[1])
    return tuple(names)


@functools.lru_cache(maxsize=None)
def all_includes(root, header):
    """The same, including its headers."""
    names, waiting = set(), [header]
    while waiting:
        for name in own_includes(root, waiting.pop()):
            if name not in names:
                names.add(name)
                if (root / name[1:-1]).is_file():
                    waiting.append(name[1:-1])
    return frozenset(names)


@functools.lru_cache(maxsize=None)
def files_behind(root, header):
    """The header and the files of this tree that it includes under any condition."""
    names, waiting = set(), [header]
    while waiting:
        name = waiting.pop()
        if name not in names and (root / name).is_file():
            names.add(name)
            waiting += re.findall(r'^\s*#\s*include\s*"([^"]+)"', (root / name).read_text(), re.MULTILINE)
    return sorted(names)


@functools.lru_cache(maxsize=None)
def content_digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest(root, header, flags, compiler):
    files = [f"{name} {content_digest(root / name)}" for name in files_behind(root, header)]
    return hashlib.sha256("\n".join([compiler, *flags, *files]).encode()).hexdigest()


def choose_sets(root, headers):
    """The sets that would save most if all included files cost the same."""
    included = {header: all_includes(root, header) for header in headers}
    best = {header: frozenset() for header in headers}
    fits = {names: [h for h in headers if names <= included[h]] for names in set(included.values())}

    def saves(names):
        return sum(max(0, len(names) - len(best[h])) for h in fits[names]) - len(names)

    for _ in range(PRECOMPILED):
        chosen = max(sorted(fits, key=sorted), key=saves, default=frozenset())
        if not chosen or saves(chosen) <= 0:
            break
        for header in fits[chosen]:
            best[header] = max(best[header], chosen, key=len)
    return best


def main():
    build = pathlib.Path(sys.argv[1])
    passed_file = pathlib.Path(sys.argv[2])
    clang = sys.argv[3] if len(sys.argv) > 3 else "clang++"
    root = pathlib.Path(__file__).resolve().parents[2]
    commands = read_commands(build)
    if not commands:
        sys.exit("no header to check")
    compiler = subprocess.run([clang, "--version"], capture_output=True, text=True, check=True).stdout
    digests = {header: digest(root, header, flags, compiler) for header, flags in commands.items()}
    passed = json.loads(passed_file.read_text()) if passed_file.exists() else {}
    changed = sorted(header for header in commands if passed.get(header) != digests[header])
    passed = {header: digests[header] for header in commands if header not in changed}
    best = choose_sets(root, changed)
    sets = sorted(set(best.values()) - {frozenset()}, key=sorted)

    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(name)

        def compile_text(file, text, flags):
            (folder / file).write_text(text)
            return subprocess.run([clang, *flags, "-Wno-unknown-warning-option", "-Wno-pragma-once-outside-header",
                                   str(folder / file)], capture_output=True, text=True, check=False)

        def precompile(k):
            # The flags of a header that includes all of the set.
            flags = commands[next(h for h in changed if sets[k] <= all_includes(root, h))]
            text = "".join(f"#include {name}\n" for name in sorted(sets[k]))
            return compile_text(f"set{k}.hpp", text, [*flags, "-x", "c++-header", "-o", str(folder / f"set{k}.pch")])

        def check(header):
            flags = [*commands[header], "-x", "c++", "-fsyntax-only"]
            if best[header]:
                flags += ["-include-pch", str(folder / f"set{sets.index(best[header])}.pch")]
            # Twice: it may be included again.
            return compile_text(header.replace("/", "_") + ".cpp", f'#include "{header}"\n' * 2, flags)

        failures = 0
        for title, what, run in (("precompiled set", range(len(sets)), precompile),
                                 ("", changed, check)):
            for item, result in zip(what, pool.map(run, what)):
                if result.returncode:
                    failures += 1
                    print(title, item, "does not compile by itself:\n", result.stderr)
                elif run is check:
                    passed[item] = digests[item]
            if failures:
                break
    passed_file.write_text(json.dumps(passed, indent=0, sort_keys=True))
    print(f"{len(commands)} headers, {len(changed)} compiled, {failures} that do not compile by themselves")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
