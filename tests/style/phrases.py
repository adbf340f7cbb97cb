#!/usr/bin/env python3
"""Counts phrases that plain English does without, by rule.

    tests/style/phrases.py                # the counts by rule and folder
    tests/style/phrases.py --list RULE [PATH ...]   # the places of one rule, or of all (--list all)
    tests/style/phrases.py --at-most 100  # ends with 1 if there are more

Reads comments, texts and pages of all tracked files except EXCLUDED. Python 3.11, standard library only.
"""
import argparse
import collections
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".md", ".py", ".js", ".yaml", ".sh", ".cmake", ".txt", ".jl", ".m", ".html", ".css"}
# Other people's texts, recorded outputs, and the history of versions.
EXCLUDED = ("tests/golden/", "tests/style/phrases.py", "data/",
            "core/device/host/cuda/", "tests/report/history/series")

RULES = {
    "1 where": (r"(?:^|(?<!\w))(?:empty|none|nothing|null|false|true|nan|-1|0|throws \w+|ends with \d|,|else|only|also|even|but) where\b(?! (?:to|it (?:ran|stands|came|begins|lies))\b)",
                r"\bwhere (?:there (?:is|are|was|were)|nothing|none|nobody|not|no |that is|this is|possible|known|needed|allowed|present|available|missing|found)\b",
                r"\bwhere (?:it|they|these|those|that|this|one|all|both|the \w+|an? \w+|any|each|every|several|some|\w+) (?:is|are|was|were|has|have|had|does|do|can|cannot|could|may|fits?|fails?|allows?|holds?|gives?|needs?|exists?|matters?|differs?|knows?|names?)\b"),
    "2 so many": (r"\bso (?:many|much|long|few|often)\b(?! (?:that|as)\b)",),
    "3 alone": (r"\b(?!leave|leaves|left|let|stand|stands|is_)\w+ alone\b",),
    "4 beside": (r"\bbeside\b", r"\bbesides it stands\b"),
    "5 say": (r"\b(?:say|says|said|tell|tells|told|telling|saying)\b",),
    "6 look at": (r"\blook(?:s|ed|ing)? at\b", r"\banew\b", r"\blook(?:s|ed|ing)? (?:for|around)\b"),
    "7 idiom": (r"\bspeaks? against\b", r"\bheld (?:against|to)\b", r"\bhold(?:s|ing)? (?:\w+ ){1,4}(?:against|to the)\b",
                r"\bwhat came out\b", r"\btold apart\b", r"\bdealt\b", r"\bmakes? up for\b", r"\bcomes? of (?:it|this)\b", r"\bfor want of\b",
                r"\bthere and back\b", r"\byardstick\b", r"\bdoes not stand\b", r"\btakes? back\b", r"\bat a loss\b", r"\bmends?\b", r"\bmended\b",
                r"\ball the same\b", r"\bfor ever\b", r"\bhalf-?way\b", r"\bnext to nothing\b", r"\bgoes? on\b", r"\bbe believed\b", r"\bin turns?\b",
                r"\bcomes? to light\b", r"\bshall\b", r"\bwhat (?:is|was|it|they|the \w+) (?:is |are |was )?(?:left|there|meant)\b"),
    "8 nobody": (r"\b(?:nobody|somebody|whoever|no one|nobody's|somebody's|whom?)\b", r"\bmade one's own\b"),
    "9 fragment": (r"^\s*(?:///?<?|//|#|\*) ?(?:Of|What|Who|Whose|Whom|Where|Which) [^?\n]*$",),
}
COMPILED = {rule: [re.compile(p, re.IGNORECASE if not rule.startswith("9") else 0) for p in patterns] for rule, patterns in RULES.items()}
TEXT = re.compile(r'//.*$|"(?:[^"\\\n]|\\.)*"|^\s*[*#].*$|`[^`]*`', re.MULTILINE)


def text_of(line, suffix):
    """The part of a line that a person reads: of code its comments and strings."""
    if suffix in (".md", ".txt", ".html"):
        return re.sub(r"`[^`]*`", "``", line)
    return " ".join(TEXT.findall(line))


def files(paths):
    """Names of the tracked files below the paths; of all files if this is not a git repository."""
    listed = subprocess.run(["git", "ls-files", "-z", *paths], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return sorted(filter(None, listed.stdout.split("\0")))
    names = (str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file())
    return sorted(name for name in names if not re.match(r"(build|results|\.)", name) and name.startswith(tuple(paths) or ""))


def places(paths):
    for name in files(paths):
        path = ROOT / name
        if path.suffix not in SUFFIXES or name.startswith(EXCLUDED) or path.is_symlink() or not path.is_file():
            continue
        is_first_comment = True
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            text = text_of(line, path.suffix)
            is_comment = bool(re.match(r"\s*(?:///|//)", line))
            for rule, patterns in COMPILED.items():
                if rule.startswith("9"):
                    # Only the first line of a comment begins it.
                    if is_comment and is_first_comment and path.suffix in (".cpp", ".hpp", ".cu", ".cuh") and \
                       any(p.search(line) for p in patterns):
                        yield rule, name, number, line.strip()
                elif any(p.search(text) for p in patterns):
                    yield rule, name, number, line.strip()
            is_first_comment = not is_comment


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--list", metavar="RULE", help="number of a rule, or `all`")
    parser.add_argument("--at-most", type=int)
    options = parser.parse_args()
    counts, folders = collections.Counter(), collections.Counter()
    for rule, name, number, line in places(options.paths):
        counts[rule] += 1
        folders["/".join(name.split("/")[:2]) if "/" in name else "."] += 1
        if options.list and (options.list == "all" or rule.startswith(options.list)):
            print(f"{name}:{number}: [{rule}] {line}")
    if not options.list:
        for rule in RULES:
            print(f"{counts[rule]:6}  {rule}")
        for folder, count in folders.most_common():
            print(f"{count:6}  {folder}")
    total = sum(counts.values())
    print(f"{total} places")
    return 1 if options.at_most is not None and total > options.at_most else 0


if __name__ == "__main__":
    sys.exit(main())
