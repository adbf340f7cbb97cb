#!/usr/bin/env python3
"""Compares kernelbatch with its peers: the same works, on one GPU, in one run.

Usage: compare.py KERNELBATCH [--set table|random|latency|all] [options]   against CuPy, every style
       compare.py KERNELBATCH --set second|random2 [options]               against CuPy, PyTorch, torch.compile, CUB

The first form prints a line for each work and style: CuPy's time, ours, how many times faster ours is, the share of
this run's own ceiling (the device's copy, or its read speed for a work that only reads) and the target. The second
prints a line for each work: our best style, each peer's best, the best peer, the ratio (above 1 we are ahead), share,
target; then the works that are behind or miss their targets. `--check` only has kernelbatch check the jobs; `--ours`
leaves the peers out."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import ours
import peers
import report
import side_options
import works
from report import in_words

HERE = os.path.dirname(os.path.abspath(__file__))
SHORT = 10e-6  # seconds; times of shorter works depend on where a process places their code and data


def run_cupy(arguments):
    """{work: {style: seconds}}"""
    done = subprocess.run([sys.executable, os.path.join(HERE, "cupy_side.py"), *arguments], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        print(done.stderr[-2000:], file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare_works(options, list_of_works, cupy_arguments, folder):
    os.makedirs(folder, exist_ok=True)
    own_times, wrong, ceilings = ours.run_ours(options.kernelbatch, list_of_works, folder, options.device,
                                                options.seconds, options.limit_seconds)
    theirs = {}
    if not options.ours:
        for line in run_cupy([*cupy_arguments, "--only", options.only]):
            if "empty_kernel" in line:
                continue
            if "seconds" in line:
                theirs.setdefault(line["work"], {})[line["style"]] = line["seconds"]
            else:
                print(f"CuPy: {line['work']}: {line['error']}")
    print(f"ceilings: copy {ceilings['copy'] / 1e12:.3f} TB/s, read {ceilings['read'] / 1e12:.3f} TB/s")
    print(f"{'work':52} {'style':12} {'CuPy':>10} {'ours':>10} {'faster':>8} {'ceiling':>8}  target")
    behind, rows, shares = [], 0, []
    for work in list_of_works:
        own = own_times.get(work.name, {})
        cupy = theirs.get(work.name, {})
        best = min(cupy.values(), default=None)
        for style in sorted(set(own) | set(cupy)):
            seconds, other = own.get(style), cupy.get(style)
            against = other if other is not None else best
            ratio = f"{against / seconds:.2f}x" if seconds and against else "-"
            share = "-"
            if seconds and work.bytes and style not in ("unfused",):
                ceiling = ceilings["read" if work.reads_only else "copy"]
                share = f"{100 * work.bytes / seconds / ceiling:.0f} %"
                shares.append(work.bytes / seconds / ceiling)
            print(f"{work.name[:52]:52} {style:12} {in_words(other):>10} {in_words(seconds):>10} {ratio:>8} "
                  f"{share:>8}  {work.target}")
            if seconds and other:
                rows += 1
                if seconds > other * 1.01:
                    behind.append(f"{work.name} {style}")
        for style, reason in wrong.get(work.name, {}).items():
            print(f"{work.name[:52]:52} {style:12} wrong or failed: {reason}")
    print(f"{rows} styles in both, {len(behind)} of ours behind" + "".join(f"\n  behind: {name}" for name in behind))
    if shares:
        shares.sort()
        print("shares of the ceiling: least {:.0f} %, quartiles {:.0f} {:.0f} {:.0f} %, most {:.0f} %".format(
            *(100 * shares[round(q * (len(shares) - 1))] for q in (0, 0.25, 0.5, 0.75, 1))))


def compare_latency(options):
    """The first result of a new process. The cost of a launch is printed by the tests' benchmarks."""
    program = os.path.join(os.path.dirname(options.kernelbatch), "tests", "first_result")
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, KERNELBATCH_CACHE_DIR=folder)
        for cache in ("cold", "warm", "warm"):
            begin = time.perf_counter()
            done = subprocess.run([program, options.device], env=environment, check=True, capture_output=True, text=True)
            print(f"ours: first result, {cache} cache: {in_words(time.perf_counter() - begin)}; of which "
                  + done.stdout.splitlines()[-1])
    if options.ours:
        return
    for line in run_cupy(["latency"]):
        kind = f"a {line['launch']} launch" if "launch" in line else f"first result, {line['first_result']} cache"
        print(f"CuPy: {kind}: {in_words(line['seconds'])}")


def check_jobs(options, chosen, folder):
    if options.set in SECOND:
        files = list(ours.write_groups(chosen, folder, options.seconds, options.input_sets).values())
    else:
        files = ours.write_jobs(chosen, folder)
    subprocess.run([options.kernelbatch, "check", *files], check=True, stdout=subprocess.DEVNULL)
    print(f"{len(chosen)} jobs are valid")


def compare_peers(options, chosen, folder):
    """The second round."""
    options.peers = "" if options.ours else options.peers
    sides = peers.Peers(options, chosen, folder)
    sides.find()
    # Kernels are compiled beforehand, all sides at once; then each has the GPU to itself, one after another.
    commands = []
    if options.device != "host":
        for name, file in ours.write_groups(chosen, folder, options.seconds, options.input_sets).items():
            only = [] if name == "plugins" else ["--only", "variant=" + name.replace("-", ",")]
            commands.append([options.kernelbatch, "compile", file, *only])
    begin = time.perf_counter()
    sides.prepare(commands)
    print(f"compiled in {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    found = ours.run_groups(options.kernelbatch, chosen, folder, options.device, options.seconds, options.input_sets,
                            options.limit_seconds)
    # The results so far are written each time, so an interrupted run loses nothing.
    rows = write_files(options, chosen, found, sides)
    print(f"kernelbatch is done after {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    for peer in sides.run():
        rows = write_files(options, chosen, found, sides)
        print(f"{peer} is done after {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    short = [work for work in chosen if min(times.fastest(work.name) for times in (found.times, *sides.times.values()))
             < SHORT]
    sides.select(short)
    for process in range(2, options.processes + 1 if short else 0):
        ours.run_groups(options.kernelbatch, short, folder, options.device, options.seconds, options.input_sets,
                        options.limit_seconds, found)
        for _ in sides.run():
            rows = write_files(options, chosen, found, sides)
        print(f"process {process} of {len(short)} short works is done after {time.perf_counter() - begin:.0f} s",
              file=sys.stderr)
    reasons = {}
    if options.reasons:
        missing = {row["work"] for row in rows if (row["missed"] or row["behind"] if options.reasons == "all" else
                                                   (row["ratio"] or 1) < float(options.reasons))}
        reasons = ours.reasons_of(options.kernelbatch, [work for work in chosen if work.name in missing],
                                  os.path.join(folder, "reasons"), options)
        print(f"reasons are found after {time.perf_counter() - begin:.0f} s", file=sys.stderr)
        for row in rows:
            row["reason"] = reasons.get(row["work"], {}).get(row["style"], "")
        if options.markdown:
            report.write_reasons(options.markdown, rows)
    report.print_table(rows, found, sides)


def write_files(options, chosen, found, sides):
    rows = report.rows_of(chosen, found, sides)
    if options.markdown:
        report.write_markdown(options.markdown, rows, found, sides)
    if options.json:
        report.write_json(options.json, rows, found, sides)
    return rows


SECOND = ("second", "random2")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernelbatch")
    parser.add_argument("--set", default="all", choices=(*works.SETS, "latency", "all"),
                        help="all: those of the first round")
    parser.add_argument("--out", default="results/peers")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only", default="", help="works whose name contains this")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--limit-seconds", type=float, default=1e9, help="limit for each side, or group of our jobs")
    parser.add_argument("--seconds", type=float, default=0.15, help="measuring time for each work and style")
    side_options.add_set_options(parser)
    second = parser.add_argument_group("of the second round")
    second.add_argument("--families", default="", help="families of works: rows,mse,sums,… as in works/targets.py")
    second.add_argument("--peers", default=",".join(peers.NAMES), help="peers to run")
    second.add_argument("--python", default=sys.executable, help="Python with CuPy and PyTorch")
    second.add_argument("--input-sets", type=int, default=1, choices=(1, 2),
                        help="input sets that our results are verified on")
    second.add_argument("--processes", type=int, default=1, help="time works of less than 10 µs in so many processes "
                        "of each side; medians count")
    second.add_argument("--workers", type=int, default=max(2, min(8, (os.cpu_count() or 2) // 2)),
                        help="processes that compile for torch.compile beforehand; 0: none")
    second.add_argument("--arch", default="native", help="architecture of CUB's program")
    second.add_argument("--reasons", nargs="?", const="all", metavar="RATIO", help="runs works that are behind or miss "
                        "their targets (only those whose best peer / ours is below RATIO) again with hardware counters, "
                        "and adds the sentence of `kernelbatch explain`")
    second.add_argument("--markdown", help="file for the table")
    second.add_argument("--json", help="file for all figures")
    options = parser.parse_args()
    options.kernelbatch = os.path.abspath(options.kernelbatch)
    for name in works.SETS:
        if options.set != name and (options.set != "all" or name in SECOND):
            continue
        families = options.families.split(",") if options.families else []
        chosen = [work for work in works.make_set(name, options.seed, options.small, options.every,
                                                  ours.abilities_of(options.kernelbatch))
                  if options.only in work.name and (not families or work.family in families)]
        folder = os.path.abspath(os.path.join(options.out, name))
        os.makedirs(folder, exist_ok=True)
        print(f"== {name}" + (f", seed {options.seed}" if "random" in name else ""))
        if options.check:
            check_jobs(options, chosen, folder)
        elif name in SECOND:
            compare_peers(options, chosen, folder)
        else:
            compare_works(options, chosen, [name, "--seed", str(options.seed)], folder)
    if options.set in ("latency", "all") and not options.check:
        compare_latency(options)


if __name__ == "__main__":
    main()
