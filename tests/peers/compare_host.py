#!/usr/bin/env python3
"""Compares kernels on the host device with handwritten OpenMP loops (host_loops.cpp), on one CPU, in one run.

Usage: compare_host.py KERNELBATCH [--only TEXT] [--out FOLDER] [--check]

Prints for each work the loop's time, ours by style, the ratio, and for reductions the share of the speed at which
this run's own calibration read memory. Needs g++ (or $CXX). `--check` only has kernelbatch check the jobs, and the
compiler the loops."""
import argparse
import json
import os
import subprocess
import tempfile

import ours
import works
from report import in_words

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS, COLUMNS, SIDE, MANY, SOME = 10_000, 5_000, 8_192, 50_000_000, 10_000_000


def uniform(shape, dtype, seed):
    return {"random": "uniform", "shape": list(shape), "dtype": dtype, "seed": seed}


def inline_elementwise(name, dtype, operation, reference, inputs):
    return {"name": name, "workload": "inline", "inputs": inputs,
            "variants": {"elementwise": {"kind": "elementwise", "in": "T x, T y", "out": "T out",
                                         "operation": operation}},
            "reference": {"cpp": reference},
            "verify": {"tolerance": {"rtol": 1e-5 if dtype == "float32" else 1e-12, "atol": 1e-6}}}


def host_works():
    """The works of host_loops.cpp."""
    size = {"float32": 4, "float64": 8}
    for dtype, each in size.items():
        n = ROWS * COLUMNS

        def work(name, job, moved, reads_only=False, styles=("elementwise",)):
            if job["workload"] != "inline":
                job["variants"] = list(styles)
            return works.Work(f"{name} {dtype}", job, None, moved, reads_only)

        yield work("vector_add", works.plugin("vector_add", n=MANY, dtype=dtype), 3 * each * MANY)
        for kind, moved in (("none", 3 * n), ("row", 2 * n), ("column", 2 * n)):
            name = "squared_diff" + ("" if kind == "none" else f", {kind} broadcast")
            yield work(name, works.plugin("squared_diff", rows=ROWS, cols=COLUMNS, dtype=dtype, broadcast=kind),
                       moved * each)
        yield work("squared_diff, one transposed", works.inline_squared_diff(
            "transposed", {"base": uniform((SIDE, SIDE), dtype, 1), "x": {"of": "base", "transpose": [1, 0]},
                           "y": uniform((SIDE, SIDE), dtype, 2)}, (SIDE, SIDE), dtype), 3 * each * SIDE * SIDE)
        yield work("squared_diff, every second", works.inline_squared_diff(
            "strided", {"base": uniform((n,), dtype, 1), "x": {"of": "base", "slice": "::2"},
                        "y": uniform((n // 2,), dtype, 2)}, (n // 2,), dtype), 4 * each * n // 2)
        yield work("hypotenuse", inline_elementwise(
            "hypotenuse", dtype, "out = sqrt(x * x + y * y)",
            f"for (long long k = 0; k < {n}LL; ++k) out[k] = sqrt(x[k] * x[k] + y[k] * y[k]);",
            {"x": uniform((n,), dtype, 1), "y": uniform((n,), dtype, 2)}), 3 * each * n)
        yield work("sin_exp", works.plugin("sin_exp", n=SOME, dtype=dtype), 2 * each * SOME)
        yield work("mse", works.plugin("mse", n=MANY, dtype=dtype), 2 * each * MANY, True, ("reduction",))
        for rows, columns, axis in ((ROWS, ROWS, "all"), (ROWS, ROWS, "1"), (ROWS, ROWS, "0"), (10**6, 64, "1"),
                                    (10**6, 64, "0")):
            where = axis if axis == "all" else f"axis {axis}"
            yield work(f"l2norm {rows}x{columns}, {where}",
                       works.plugin("l2norm", rows=rows, cols=columns, axis=axis, dtype=dtype),
                       each * rows * columns, True, ("reduction",))


def compile_loops(folder):
    program = os.path.join(folder, "host_loops")
    subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-O3", "-march=native", "-fno-math-errno",
                    "-fopenmp", os.path.join(HERE, "host_loops.cpp"), "-o", program], check=True)
    return program


def time_loops(program):
    """{work: seconds}"""
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line["work"]: line["seconds"] for line in map(json.loads, lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernelbatch")
    parser.add_argument("--only", default="", help="works whose name contains this")
    parser.add_argument("--out", default="results/peers")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    chosen = [work for work in host_works() if options.only in work.name]
    folder = os.path.abspath(os.path.join(options.out, "host"))
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as build:
        program = compile_loops(build)
        if options.check:
            files = ours.write_jobs(chosen, folder)
            subprocess.run([options.kernelbatch, "check", *files], check=True, stdout=subprocess.DEVNULL)
            with open(os.path.join(HERE, "host_loops.cpp"), encoding="utf-8") as file:
                text = file.read()
            # A work and its loop have the same name, except for the type.
            missing = {work.name.rsplit(" ", 1)[0] for work in chosen if f'"{work.name.rsplit(" ", 1)[0]}"' not in text}
            assert not missing, f"no loop for {missing}"
            print(f"{len(files)} jobs are valid, and so are their loops")
            return
        loops = time_loops(program)
    times, wrong, ceilings = ours.run_ours(os.path.abspath(options.kernelbatch), chosen, folder, "host")
    print(f"read at {ceilings['read'] / 1e9:.1f} GB/s, copied at {ceilings['copy'] / 1e9:.1f} GB/s")
    print(f"{'work':44} {'style':12} {'loop':>10} {'ours':>10} {'ours/loop':>10} {'GB/s':>7} {'ceiling':>8}")
    slower = 0
    for work in chosen:
        for style, seconds in sorted(times.get(work.name, {}).items()):
            ceiling = ceilings["read" if work.reads_only else "copy"]
            ratio = seconds / loops[work.name]
            slower += ratio > 1.2
            print(f"{work.name[:44]:44} {style:12} {in_words(loops[work.name]):>10} "
                  f"{in_words(seconds):>10} {ratio:10.2f} {work.bytes / seconds / 1e9:7.1f} "
                  f"{100 * work.bytes / seconds / ceiling:6.0f} %")
        for style, reason in wrong.get(work.name, {}).items():
            print(f"{work.name[:44]:44} {style:12} wrong or failed: {reason}")
    print(f"{slower} of {len(chosen)} take more than 1.2 times the loop's time")


if __name__ == "__main__":
    main()
