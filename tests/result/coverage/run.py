#!/usr/bin/env python3
"""Runs coverage.yaml repeatedly, and prints how many medians are inside the 95 % intervals of the other runs.

tests/result/coverage/run.py [-n RUNS] [-o FOLDER] [OPTION OF `kernelbatch run` ...]
"""
import argparse
import csv
import io
import itertools
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
CLASSES = {"below 10 µs": 1e-5, "below 100 µs": 1e-4, "below 1 ms": 1e-3, "1 ms and more": float("inf")}


def times_of(kernelbatch, results):
    """(workload, parameters, variant) -> median and interval, s."""
    exported = subprocess.run([kernelbatch, "export", results], check=True, capture_output=True, text=True).stdout
    rows = [row for row in csv.DictReader(io.StringIO(exported)) if row["variant"] != "reference"]
    failed = [row for row in rows if row["status"] != "ok"]
    if failed:
        raise SystemExit(f"{results}: {failed[0]['workload']} {failed[0]['variant']} is {failed[0]['status']}")
    parameters = [name for name in rows[0] if name.startswith("param_")]
    return {
        (row["workload"], *(row[name] for name in parameters), row["variant"]): tuple(
            float(row[name]) for name in ("cold_median", "cold_ci95_low", "cold_ci95_high")
        )
        for row in rows
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=20, help="runs")
    parser.add_argument("-o", help="folder of the results; else they are removed")
    parser.add_argument("--kernelbatch", default=ROOT / "build" / "kernelbatch")
    arguments, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments.o or scratch)
        runs, seconds = [], []
        for k in range(arguments.n):
            results = folder / f"run{k}.h5"
            job = pathlib.Path(__file__).with_name("coverage.yaml")
            begin = time.monotonic()
            subprocess.run([arguments.kernelbatch, "run", "-q", "-o", results, *options, job], check=True, stdout=subprocess.DEVNULL)
            seconds.append(time.monotonic() - begin)
            runs.append(times_of(arguments.kernelbatch, results))
    inside, widths = {name: [] for name in CLASSES}, {name: [] for name in CLASSES}
    for kernel in runs[0]:
        median = statistics.median(run[kernel][0] for run in runs)
        name = next(name for name, limit in CLASSES.items() if median < limit)
        for stated, other in itertools.permutations(runs, 2):
            inside[name].append(stated[kernel][1] <= other[kernel][0] <= stated[kernel][2])
        widths[name] += [(high - low) / 2 / value for value, low, high in (run[kernel] for run in runs)]
    print(f"{len(runs)} runs of {statistics.median(seconds):.1f} s, {len(runs[0])} kernels")
    for name in [name for name in CLASSES if inside[name]]:
        share = 100 * sum(inside[name]) / len(inside[name])
        print(f"{name}: {share:.1f} % of {len(inside[name])} inside, half-width {100 * statistics.median(widths[name]):.2f} %")
    everything = sum(inside.values(), [])
    print(f"all: {sum(everything)} of {len(everything)} inside, half-width {100 * statistics.median(sum(widths.values(), [])):.2f} %")


if __name__ == "__main__":
    main()
