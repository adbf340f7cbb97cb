"""Help and the manual page: help_test.py KERNELBATCH

Every command's help ends with examples, whose commands and options exist; the manual page has every command,
option and example, and no reader of roff has anything against it.
"""
import os
import re
import shutil
import subprocess
import sys

kernelbatch = sys.argv[1]


def run(*arguments, **more):
    return subprocess.run([kernelbatch, *arguments], capture_output=True, text=True, timeout=900, **more)


def options_in(text):
    return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))


top = run("--help").stdout
commands = re.findall(r"^  ([a-z][\w-]*) ", top[top.index("Subcommands:"):top.index("\nExamples:")], flags=re.M)
assert {"run", "new-plugin", "schema", "completion", "man"} <= set(commands), commands
helps = {}
for command in ["", *commands]:
    done = run(*([command] if command else []), "--help")
    helps[command] = done.stdout
    assert done.returncode == 0 and not done.stderr, (command, done)
    body, _, examples = done.stdout.rstrip("\n").rpartition("\nExamples:\n")
    lines = examples.split("\n")
    assert body and all(line.startswith("  ") for line in lines), f"'{command} --help' does not end with examples"
    for line in lines:
        words = re.search(r"kernelbatch ([a-z-]+)( .*?)?(?: *[|>)#].*)?$", line)
        assert words and (not command or words[1] == command), f"{command}: {line}"
        known = helps.get(words[1]) or run(words[1], "--help").stdout
        unknown = options_in(words[2] or "") - options_in(known)
        assert not unknown, f"'{line}' has options that do not exist: {unknown}"

page = run("man").stdout
plain = page.replace("\\-", "-").replace("\\e", "\\").replace("\\(aq", "'").replace("\\(ga", "`")
for command, text in helps.items():
    assert not command or f".SS kernelbatch {command}" in plain, command
    missing = options_in(text.split("Options:")[-1].split("Examples:")[0]) - options_in(re.sub(r"\\f.", "", plain))
    assert not missing, f"the manual page lacks {missing} of {command}"
assert "@" not in plain.replace("@VERSION", "@"), "a mark of the frame was not filled in"
codes = re.findall(r"^\.B (\d+)$", page, flags=re.M)
assert codes[:7] == ["0", "1", "2", "3", "4", "5", "6"] and "75" in codes, codes
checked = []
if shutil.which("mandoc"):
    lint = subprocess.run(["mandoc", "-Tlint", "-W", "warning"], input=page, capture_output=True, text=True)
    assert lint.returncode == 0 and not lint.stdout, lint.stdout
    checked.append("mandoc")
if shutil.which("groff"):
    done = subprocess.run(["groff", "-man", "-ww", "-z", "-Kutf8"], input=page, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    checked.append("groff")
if not checked:
    print("skipped: neither mandoc nor groff")
    sys.exit(77)
# Text that breaks only some readers.
assert max(map(len, page.splitlines())) < 400 and os.path.basename(kernelbatch) in page
print(f"{len(helps)} helps end with examples; {' and '.join(checked)} read the manual page")
