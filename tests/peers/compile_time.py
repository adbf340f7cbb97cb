#!/usr/bin/env python3
"""Time to compile the same elementwise kernels with kernelbatch and with CuPy, each in a fresh cache.

Usage: compile_time.py KERNELBATCH     (needs a GPU and CuPy; prints medians and their ratio)
CuPy's time is its first call minus its second; kernelbatch's is what `kernelbatch compile` prints.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

OPERATIONS = [
    "z = (x - y) * (x - y)",
    "z = x + y",
    "z = x * y + x",
    "z = max(x, y) - min(x, y)",
    "z = sqrt(x * x + y * y)",
    "z = x > y ? x : y * 2",
    "T d = x - y; z = d * d * d",
    "z = exp(x) * y",
]


def ours(kernelbatch):
    # In memory, as CuPy's cache is here: neither's disk is to be timed.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        job = os.path.join(folder, "job.yaml")
        with open(job, "w", encoding="utf-8") as file:
            file.write("workload: inline\ninputs:\n  x: {ones: [1000], dtype: float32}\n"
                       "  y: {ones: [1000], dtype: float32}\nvariants:\n")
            for k, operation in enumerate(OPERATIONS):
                file.write(f"  k{k}: {{kind: elementwise, in: 'T x, T y', out: T z, name: k{k}, "
                           f"operation: '{operation}'}}\n")
        environment = dict(os.environ, KERNELBATCH_CACHE_DIR=os.path.join(folder, "cache"))
        output = subprocess.run([kernelbatch, "compile", job, "--device", "cuda"], env=environment,
                                check=True, capture_output=True, text=True).stdout
    return [float(ms) for ms in re.findall(r"compiled +([0-9.]+) ms", output)]


def cupys():
    os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
    import cupy  # after the environment
    x = cupy.ones(1000, dtype=cupy.float32)
    cupy.ElementwiseKernel("T x, T y", "T z", "z = y - x", "warm_up")(x, x)
    times = []
    for k, operation in enumerate(OPERATIONS):
        kernel = cupy.ElementwiseKernel("T x, T y", "T z", operation, f"k{k}")
        calls = []
        for _ in range(2):
            cupy.cuda.Stream.null.synchronize()
            start = time.perf_counter()
            kernel(x, x)
            cupy.cuda.Stream.null.synchronize()
            calls.append(time.perf_counter() - start)
        times.append((calls[0] - calls[1]) * 1e3)
    return times


def main():
    # NVRTC keeps what it compiled, too.
    os.environ["CUDA_CACHE_DISABLE"] = "1"
    own, peer = ours(sys.argv[1]), cupys()
    assert len(own) == len(peer) == len(OPERATIONS), (own, peer)
    print("kernelbatch ms:", " ".join(f"{t:.0f}" for t in own))
    print("CuPy ms:       ", " ".join(f"{t:.0f}" for t in peer))
    ratio = statistics.median(own) / statistics.median(peer)
    print(f"median {statistics.median(own):.1f} ms against {statistics.median(peer):.1f} ms: "
          f"{100 * ratio:.0f} %")


if __name__ == "__main__":
    main()
