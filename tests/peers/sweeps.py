#!/usr/bin/env python3
"""Wall time of jobs with many kernels, with the preset `quick`, an empty kernel cache and a full one.

Usage: sweeps.py KERNELBATCH [COUNT] [--only KIND:FORM ...]     (COUNT kernels, 100; --device host works, too)
A line for each kind of kernel and form of the job: COUNT variants of one case, or COUNT cases of one variant with a
reference each. Behind it, the share of the wall time for which results waited for their kernels (`load_time` of the
records: loading, and waiting for processes that compile), without the harness's own kernels."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time


def factor_text(k):
    """A text that differs with k and equals 3."""
    return f"(T(3.0{k:03d}1) - T(0.0{k:03d}1))"


def raw_text(factor):
    return ('extern "C" __global__ void r(const float* x, const float* y, float* z, long long n) {\n'
            "  typedef float T;\n  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"  if (i < n) z[i] = x[i] * {factor} + y[i];\n}}\n")


def variant_of(kind, factor):
    if kind == "elementwise":
        return {"kind": kind, "in": "T x, T y", "out": "T z", "operation": f"z = x * {factor} + y", "name": "e"}
    if kind == "reduction":
        return {"kind": kind, "in": "T x, T y", "out": "T z", "map": f"x * {factor} + y", "reduce": "a + b",
                "post_map": "z = a", "identity": "0", "name": "s"}
    return {"kind": "raw", "source": raw_text(factor), "entry": "r", "grid": "ceil(n / 256)", "block": 256,
            "args": ["x", "y", "z", {"scalar": "n", "dtype": "int64"}]}


def job_of(kind, form, count, size):
    inputs = {name: {"random": "uniform", "shape": ["n"], "dtype": "float32", "seed": seed}
              for seed, name in enumerate("xy", 1)}
    job = {"kernelbatch": 1, "workload": "inline", "inputs": inputs, "params": {"n": size},
           "outputs": {"z": {"shape": [] if kind == "reduction" else ["n"], "dtype": "float32"}},
           "measure": {"preset": "quick"}, "output": {"arrays": "none"}}
    if form == "variants":
        job["variants"] = {f"v{k}": variant_of(kind, factor_text(k)) for k in range(count)}
        factor = "3"
    else:
        job["params"]["k"] = list(range(1, count + 1))
        job["variants"] = {"v": dict(variant_of(kind, "T(K)"), options=["-DK={k}"])}
        factor = "k"
    loop = "for (long long i = 0; i < x.size(); ++i) "
    text = f"x[i] * (float){factor} + y[i];"
    job["reference"] = {"cpp": f"double s = 0; {loop}s += {text} z[0] = s;" if kind == "reduction"
                        else f"{loop}z[i] = {text}"}
    return job


def waited_seconds(kernelbatch, results):
    table = subprocess.run([kernelbatch, "export", results], capture_output=True, text=True, check=True).stdout
    return sum(float(row["load_time"] or 0) for row in csv.DictReader(table.splitlines(True)))


def measure(kernelbatch, job, folder, device):
    """(wall seconds, share of them for which results waited for kernels)"""
    environment = dict(os.environ, KERNELBATCH_CACHE_DIR=os.path.join(folder, "cache"),
                       CUDA_CACHE_PATH=os.path.join(folder, "cuda"))
    begin = time.perf_counter()
    results = os.path.join(folder, "results.h5")
    done = subprocess.run([kernelbatch, "run", job, "--device", device, "-o", results, "--overwrite"],
                          env=environment, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return wall, waited_seconds(kernelbatch, results) / wall


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernelbatch", type=os.path.abspath)
    parser.add_argument("count", type=int, nargs="?", default=100)
    parser.add_argument("--size", type=float, default=1e6, help="elements of an array")
    parser.add_argument("--device", default="cuda")
    sweeps = [f"{kind}:{form}" for kind in ("elementwise", "reduction", "raw") for form in ("variants", "cases")]
    parser.add_argument("--only", nargs="+", choices=sweeps, default=sweeps, metavar="KIND:FORM")
    options = parser.parse_args()
    for sweep in options.only:
        kind, form = sweep.split(":")
        with tempfile.TemporaryDirectory() as folder:
            job = os.path.join(folder, "job.yaml")
            with open(job, "w", encoding="utf-8") as file:
                json.dump(job_of(kind, form, options.count, options.size), file)
            (cold, waited), (warm, loaded) = (measure(options.kernelbatch, job, folder, options.device)
                                              for _ in range(2))
        print(f"{options.count} {kind} kernels as {form}: {cold:.2f} s ({100 * waited:.1f} % waiting), from the cache "
              f"{warm:.2f} s ({100 * loaded:.1f} %)", flush=True)


if __name__ == "__main__":
    main()
