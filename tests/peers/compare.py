#!/usr/bin/env python3
"""kernelbatch beside CuPy: the same works, on one GPU, in one go.

Usage: compare.py KERNELBATCH [--set table|random|latency|all] [--seed N] [--out FOLDER] [--device cuda|host]
                  [--only TEXT] [--check] [--ours]

Prints a line for each work and style: CuPy's time, ours, how many times faster ours is, the share of this run's
own ceiling (the device's copy, or its reading where a work only reads) and the target. `--check` only has
kernelbatch check the jobs; `--ours` leaves CuPy out."""
import argparse
import glob
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import works

HERE = os.path.dirname(os.path.abspath(__file__))


def job_text(work, number, folder):
    # JSON is YAML.
    job = {"kernelbatch": 1, "name": f"w{number:03d}", "measure": {"stop": {"timeout": "0.5s"}},
           "output": {"file": os.path.join(folder, f"w{number:03d}.h5"), "arrays": "none"}}
    job.update(work.job)
    job["name"] = f"w{number:03d}"
    return json.dumps(job, indent=1)


def write_jobs(list_of_works, folder):
    files = []
    for number, work in enumerate(list_of_works):
        files.append(os.path.join(folder, f"w{number:03d}.yaml"))
        with open(files[-1], "w", encoding="utf-8") as file:
            file.write(job_text(work, number, folder))
    return files


def run_ours(kernelbatch, list_of_works, folder, device):
    """{work: {style: seconds}}, {work: {style: what is wrong}}, ceilings in B/s."""
    for old in glob.glob(os.path.join(glob.escape(folder), "w*.h5")):
        os.remove(old)  # of other works, perhaps
    files = write_jobs(list_of_works, folder)
    done = subprocess.run([kernelbatch, "run", "-q", "--device", device, *files], capture_output=True, text=True,
                          check=False)
    with open(os.path.join(folder, "ours.txt"), "w", encoding="utf-8") as file:
        file.write(done.stdout + done.stderr)
    times, wrong, ceilings = {}, {}, {"copy": [], "read": []}
    for number, work in enumerate(list_of_works):
        result_file = os.path.join(folder, f"w{number:03d}.h5")
        if not os.path.exists(result_file):
            wrong[work.name] = {"": "no result file"}
            continue
        exported = subprocess.run([kernelbatch, "export", result_file, "--format", "json"], capture_output=True,
                                  text=True, check=True).stdout
        file = json.loads(exported)
        for result in file["results"]:
            if result["variant"] == "reference":
                continue
            if result["status"] == "ok" and "cold_median" in result:
                times.setdefault(work.name, {})[result["variant"]] = result["cold_median"]
            elif result["status"] != "skipped":
                wrong.setdefault(work.name, {})[result["variant"]] = result.get("reason", result["status"])
        for row in file["calibration"]:
            for kind, values in ceilings.items():
                if row.get(f"{kind}_bandwidth"):
                    values.append(row[f"{kind}_bandwidth"])
    return times, wrong, {kind: statistics.median(values) if values else math.nan
                          for kind, values in ceilings.items()}


def run_cupy(arguments):
    """{work: {style: seconds}}"""
    done = subprocess.run([sys.executable, os.path.join(HERE, "cupy_side.py"), *arguments], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        print(done.stderr[-2000:], file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def in_words(seconds):
    if seconds is None:
        return "-"
    return f"{seconds * 1e3:.4g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.4g} us"


def compare_works(options, list_of_works, cupy_arguments, folder):
    os.makedirs(folder, exist_ok=True)
    ours, wrong, ceilings = run_ours(options.kernelbatch, list_of_works, folder, options.device)
    theirs = {}
    if not options.ours:
        for line in run_cupy([*cupy_arguments, options.only]):
            if "seconds" in line:
                theirs.setdefault(line["work"], {})[line["style"]] = line["seconds"]
            else:
                print(f"CuPy: {line['work']}: {line['error']}")
    print(f"ceilings: copy {ceilings['copy'] / 1e12:.3f} TB/s, read {ceilings['read'] / 1e12:.3f} TB/s")
    print(f"{'work':52} {'style':12} {'CuPy':>10} {'ours':>10} {'faster':>8} {'ceiling':>8}  target")
    behind, rows, shares = [], 0, []
    for work in list_of_works:
        own = ours.get(work.name, {})
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
    """The first result of a new process. What a launch costs is printed by the tests' benchmarks."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernelbatch")
    parser.add_argument("--set", default="all", choices=("table", "random", "latency", "all"))
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--out", default="results/peers")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only", default="", help="works whose name contains this")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--ours", action="store_true")
    options = parser.parse_args()
    options.kernelbatch = os.path.abspath(options.kernelbatch)
    sets = {"table": (works.table(), ["table"]),
            "random": (works.random_works(options.seed), ["random", str(options.seed)])}
    for name, (list_of_works, cupy_arguments) in sets.items():
        if options.set not in (name, "all"):
            continue
        chosen = [work for work in list_of_works if options.only in work.name]
        folder = os.path.abspath(os.path.join(options.out, name))
        os.makedirs(folder, exist_ok=True)
        print(f"== {name}" + (f", seed {options.seed}" if name == "random" else ""))
        if options.check:
            files = write_jobs(chosen, folder)
            subprocess.run([options.kernelbatch, "check", *files], check=True, stdout=subprocess.DEVNULL)
            print(f"{len(files)} jobs are valid")
        else:
            compare_works(options, chosen, cupy_arguments, folder)
    if options.set in ("latency", "all") and not options.check:
        compare_latency(options)


if __name__ == "__main__":
    main()
