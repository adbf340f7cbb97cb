#!/usr/bin/env python3
"""Time to compile the same kernels with kernelbatch and with CuPy, each with an empty cache.

Usage: compile_time.py KERNELBATCH     (needs a GPU and CuPy; prints medians and their ratio)
CuPy's time is its first call minus its second; kernelbatch's is the one that `kernelbatch compile` prints. The last
line is NVRTC's own time for an empty kernel, the lower bound for both."""
import ctypes
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

# Different kernels of each style: neither side may find one in its cache.
ELEMENTWISE = ["z = (x - y) * (x - y)", "z = x + y", "z = x * y + x", "z = max(x, y) - min(x, y)",
               "z = sqrt(x * x + y * y)", "z = x > y ? x : y * 2", "T d = x - y; z = d * d * d", "z = exp(x) * y"]
REDUCTION = ["x * y", "(x - y) * (x - y)", "x + y", "x > y ? x : y", "x * x + y", "abs(x - y)", "x * y * y", "x - y"]


def raw_text(k):
    return (f'extern "C" __global__ void r{k}(const float* x, const float* y, float* z, long long n) {{\n'
            "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"  if (i < n) z[i] = x[i] * {k}.5f + y[i];\n}}\n")


def ours(kernelbatch, target):
    """{style: [milliseconds]}."""
    # In memory, as CuPy's cache is here: neither's disk is to be timed.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    styles = {
        "elementwise": {f"e{k}": {"kind": "elementwise", "in": "T x, T y", "out": "T z", "name": f"e{k}",
                                  "operation": text} for k, text in enumerate(ELEMENTWISE)},
        "reduction": {f"s{k}": {"kind": "reduction", "in": "T x, T y", "out": "T z", "map": text, "reduce": "a + b",
                                "post_map": "z = a", "identity": "0", "name": f"s{k}"}
                      for k, text in enumerate(REDUCTION)},
        "raw": {f"r{k}": {"kind": "raw", "source": raw_text(k), "entry": f"r{k}", "grid": "ceil(n / 256)",
                          "block": 256, "args": ["x", "y", "z", {"scalar": "n", "dtype": "int64"}]} for k in range(8)},
    }
    times = {}
    for style, variants in styles.items():
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            job = os.path.join(folder, "job.yaml")
            array = {"ones": [1000], "dtype": "float32"}
            shape = {"z": {"shape": [] if style == "reduction" else [1000], "dtype": "float32"}}
            with open(job, "w", encoding="utf-8") as file:
                json.dump({"workload": "inline", "params": {"n": 1000}, "inputs": {"x": array, "y": array},
                           "outputs": shape, "variants": variants}, file)
            environment = dict(os.environ, KERNELBATCH_CACHE_DIR=os.path.join(folder, "cache"))
            done = subprocess.run([kernelbatch, "compile", job, "--target", target], env=environment, check=False,
                                  capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(done.stdout + done.stderr)
            times[style] = [float(ms) for ms in re.findall(r"compiled +([0-9.]+) ms", done.stdout)]
    return times


def cupys():
    """{style: [milliseconds]}"""
    os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
    import cupy  # after the environment
    import numpy
    x = cupy.ones(1000, dtype=cupy.float32)
    z = cupy.empty_like(x)
    n = numpy.int64(1000)

    def first_less_second(call):
        calls = []
        for _ in range(2):
            cupy.cuda.Stream.null.synchronize()
            start = time.perf_counter()
            call()
            cupy.cuda.Stream.null.synchronize()
            calls.append(time.perf_counter() - start)
        return (calls[0] - calls[1]) * 1e3

    cupy.ElementwiseKernel("T x, T y", "T z", "z = y - x", "warm_up")(x, x)
    cupy.ReductionKernel("T x, T y", "T z", "x", "a + b", "z = a", "0", "warm_sum")(x, x)
    times = {"elementwise": [], "reduction": [], "raw": []}
    for k, text in enumerate(ELEMENTWISE):
        kernel = cupy.ElementwiseKernel("T x, T y", "T z", text, f"e{k}")
        times["elementwise"].append(first_less_second(lambda: kernel(x, x)))
    for k, text in enumerate(REDUCTION):
        kernel = cupy.ReductionKernel("T x, T y", "T z", text, "a + b", "z = a", "0", f"s{k}")
        times["reduction"].append(first_less_second(lambda: kernel(x, x)))
    for k in range(8):
        kernel = cupy.RawKernel(raw_text(k), f"r{k}")
        times["raw"].append(first_less_second(lambda: kernel((4,), (256,), (x, x, z, n))))
    return times


def target_of_cupy():
    import cupy
    return "sm_" + cupy.cuda.Device().compute_capability


def nothing(target):
    """NVRTC's own time for an empty kernel, with its fastest options; None if NVRTC is not found."""
    try:
        nvrtc = ctypes.CDLL(f"libnvrtc.so.{os.environ.get('NVRTC_VERSION', '13')}")
    except OSError:
        return None
    options = (ctypes.c_char_p * 3)(f"-arch={target}".encode(), b"--std=c++20", b"-minimal")
    times = []
    for k in range(8):
        program = ctypes.c_void_p()
        start = time.perf_counter()
        text = f'extern "C" __global__ void nothing{k}() {{}}'.encode()
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"nothing.cu", 0, None, None)
        if nvrtc.nvrtcCompileProgram(program, len(options), options) != 0:
            return None
        times.append((time.perf_counter() - start) * 1e3)
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return statistics.median(times)


def main():
    # NVRTC keeps what it compiled, too.
    os.environ["CUDA_CACHE_DISABLE"] = "1"
    peer = cupys()
    own = ours(os.path.abspath(sys.argv[1]), target_of_cupy())
    for style, times in own.items():
        assert len(times) == len(peer[style]) == 8, (style, times, peer[style])
        mine, theirs = statistics.median(times), statistics.median(peer[style])
        print(f"{style:12} {mine:5.1f} ms against CuPy's {theirs:5.1f} ms: {100 * mine / theirs:3.0f} %")
    floor = nothing(target_of_cupy())
    print("NVRTC only, for an empty kernel:", "not found" if floor is None else f"{floor:.1f} ms")


if __name__ == "__main__":
    main()
