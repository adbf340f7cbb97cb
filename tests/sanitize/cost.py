#!/usr/bin/env python3
"""Cost of the host device's checks: runs each kernel of jobs once with and once without them.

Usage: cost.py KERNELBATCH

Prints a line for each variant: the time of its first call on the plain host device, under all checks, and their ratio;
then the memory that checks take beside the arrays of one large case.
"""
import csv
import io
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

JOBS = Path(__file__).resolve().parents[2] / "jobs"
# Jobs and sizes at which a call takes longer than starting its threads.
SIZES = [("vector_add", "n=2e5"), ("squared_diff", "rows=400,cols=399"), ("sin_exp", "n=2e5"), ("mse", "n=2e5"),
         ("clipped_relu", "n=2e5"), ("scaled_add", "n=2e5"), ("sum_of_products", "n=2e5"), ("matmul", "m=128"),
         ("csr_spmv", "n=4000"), ("prime_factor_sum", "n=2e4"), ("inline/mse", "n=2e5"), ("inline/raw_add", ""),
         ("inline/sin_exp", "n=2e5"), ("inline/prime_factor_sum", "n=2e4")]


def run(kernelbatch, job, size, folder, *options):
    """Seconds of the first call, by workload and variant; the largest memory of its processes in bytes."""
    result = folder / "result.h5"
    command = [kernelbatch, "run", "--overwrite", "-q", "--device", "host", "-s", "measure.preset=quick", "-s", "measure.calibrate=false",
               "-s", "output.arrays=none", *([w for each in size.split(",") for w in ("-p", each)] if size else []), *options, "-o", result, job]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not result.exists():
        return None, done.stdout.strip().splitlines()[-1:]
    text = subprocess.run([kernelbatch, "export", result], check=True, capture_output=True, text=True).stdout
    result.unlink()
    rows = list(csv.DictReader(io.StringIO(text)))
    return {(row["workload"], row["variant"], row["case_id"]): float(row["first_launch_time"] or "nan")
            for row in rows if row["kind"] != "reference"}, None


def peak_memory(kernelbatch, folder, *options):
    """Memory in bytes of a worker that adds two vectors of 4e6 float64."""
    code = ("import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n")
    command = [kernelbatch, "run", "--overwrite", "-q", "--device", "host", "-p", "n=4e6", "-p", "dtype=float64", "--only", "variant=raw", "-s", "output.arrays=none",
               "-s", "measure.preset=quick", "-s", "measure.calibrate=false", *options, "-o", folder / "memory.h5",
               JOBS / "vector_add.yaml"]
    answer = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    return 1024 * int(answer.stdout)


def main():
    kernelbatch = os.path.abspath(sys.argv[1])
    ratios = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for job, size in SIZES:
            plain, why = run(kernelbatch, JOBS / f"{job}.yaml", size, folder)
            checked, why_checked = run(kernelbatch, JOBS / f"{job}.yaml", size, folder, "--sanitize")
            if plain is None or checked is None:
                print(f"{job}: not run: {why or why_checked}")
                continue
            for key, seconds in plain.items():
                if key in checked and seconds > 0 and checked[key] > 0:
                    ratios.append(checked[key] / seconds)
                    print(f"{job:24} {key[1]:14} {1e3 * seconds:10.3f} ms {1e3 * checked[key]:10.3f} ms {ratios[-1]:7.1f}")
        plain, checked = peak_memory(kernelbatch, folder), peak_memory(kernelbatch, folder, "--sanitize")
    arrays = 3 * 8 * 4e6
    print(f"{len(ratios)} kernels: median {statistics.median(ratios):.1f}, largest {max(ratios):.1f} times")
    print(f"memory with {arrays / 1e6:.0f} MB of arrays: {plain / 1e6:.0f} MB without checks, {checked / 1e6:.0f} MB with:"
          f" {(checked - plain) / arrays:.1f} times the arrays")


if __name__ == "__main__":
    main()
