"""Command-line options of the programs that time peers."""
import argparse
import json
import sys
import time

import works

# Reads of the memory that flushes the L2 cache, after it was written, as in kernelbatch.
READINGS = 1


def add_set_options(parser):
    parser.add_argument("--seed", type=int, default=20260101, help="seed of the random sets")
    parser.add_argument("--small", action="store_true", help="small shapes, to check results, not for times")
    parser.add_argument("--every", action="store_true", help="for rows, all operations for all dtypes and shapes")


def read():
    """The options, and the requested works."""
    parser = argparse.ArgumentParser()
    parser.add_argument("set", choices=works.SETS)
    add_set_options(parser)
    parser.add_argument("--only", default="", help="works whose name contains this")
    parser.add_argument("--names", default="", help="a JSON file with a list of the works' names")
    parser.add_argument("--seconds", type=float, default=0.5, help="measuring time for each work and style")
    parser.add_argument("--limit-seconds", type=float, default=1e9, help="begin no further work after this time")
    parser.add_argument("--styles", default="eager,compiled", help="torch_side: which of them")
    parser.add_argument("--part", default="", help="torch_side: compile works k, k + n, … of k/n, and time none")
    options = parser.parse_args()
    list_of_works = works.make_set(options.set, options.seed, options.small, options.every)
    if options.names:
        with open(options.names, encoding="utf-8") as file:
            names = set(json.load(file))
        list_of_works = [work for work in list_of_works if work.name in names]
    return options, [work for work in list_of_works if options.only in work.name]


def within_limit(list_of_works, options, peer):
    """Each work, with progress on stderr, until the time is over."""
    begin = time.perf_counter()
    for number, work in enumerate(list_of_works):
        spent = time.perf_counter() - begin
        if spent > options.limit_seconds:
            print(f"{peer}: the limit of {options.limit_seconds:g} s is over, {len(list_of_works) - number} works are "
                  "left out", file=sys.stderr)
            return
        print(f"{peer} [{number + 1}/{len(list_of_works)}] {spent:.0f} s: {work.name}", file=sys.stderr, flush=True)
        yield work
