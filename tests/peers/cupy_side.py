"""Times the CuPy side of one set of works; one line of JSON for each work and style.

Usage: cupy_side.py SET [options of side_options.py] | latency"""
import json
import statistics
import subprocess
import sys
import tempfile
import os
import time

import cupy as cp

import side_options

# A spinning kernel holds back the start event, the work and the stop event, so that all are queued before the first
# begins: Python's time for a call is not measured. kernelbatch does the same.
SPIN = cp.RawKernel("""extern "C" __global__ void spin(long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {}
}""", "spin")
READ = cp.RawKernel("""extern "C" __global__ void read(const int4* from, long long count, int* to) {
    int all = 0;
    for (long long k = blockIdx.x * 256LL + threadIdx.x; k < count; k += gridDim.x * 256LL) {
        const int4 four = __ldcg(from + k);
        all ^= four.x ^ four.y ^ four.z ^ four.w;
    }
    if (all == 0x12345678) *to = all;
}""", "read")
FLUSH = None


def flush_l2():
    """The same method as kernelbatch's: written lines would be written back in the timed region, so everything is
    read afterwards, side_options.READINGS times."""
    global FLUSH
    if FLUSH is None:
        FLUSH = cp.zeros(2 * cp.cuda.Device().attributes["L2CacheSize"], cp.uint8), cp.zeros(1, cp.int32)
    memory, result = FLUSH
    memory += 1
    for _ in range(side_options.READINGS):
        READ((1024,), (256,), (memory, memory.size // 16, result))


def gpu_time(call, seconds=0.5, least=7, most=200):
    """Median of cold samples, in seconds."""
    for _ in range(3):
        call()
    cp.cuda.Stream.null.synchronize()
    begin = time.perf_counter()
    call()
    host = time.perf_counter() - begin
    cp.cuda.Stream.null.synchronize()
    whole = time.perf_counter() - begin
    clock_khz = cp.cuda.Device().attributes["ClockRate"]
    hold = int(clock_khz * 1e3 * min(host * 3 + 50e-6, 0.05))
    samples, begin = [], time.perf_counter()
    while len(samples) < least or (len(samples) < most and time.perf_counter() - begin < seconds):
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        flush_l2()
        if whole < 0.02:
            SPIN((1,), (1,), (hold,))
        start.record()
        call()
        stop.record()
        stop.synchronize()
        samples.append(cp.cuda.get_elapsed_time(start, stop) * 1e-3)
    return statistics.median(samples)


def say(**values):
    print(json.dumps(values), flush=True)


def time_empty(seconds):
    """The time of an empty kernel between the same events."""
    nothing = cp.RawKernel('extern "C" __global__ void nothing() {}', "nothing")
    say(empty_kernel=gpu_time(lambda: nothing((1,), (32,), ()), seconds))


def time_works(list_of_works, seconds):
    for work in list_of_works:
        if work.cupy is None:
            continue
        try:
            styles = work.cupy(cp)
        except Exception as error:  # a failure does not hide the others
            say(work=work.name, style="", error=repr(error)[:200])
            continue
        for style, call in styles.items():
            try:
                say(work=work.name, style=style, seconds=gpu_time(call, seconds))
            except Exception as error:
                say(work=work.name, style=style, error=repr(error)[:200])
        del styles, call
        cp.get_default_memory_pool().free_all_blocks()


def host_cost(call, count=2000):
    """Seconds that the host needs to queue a call."""
    call()
    cp.cuda.Stream.null.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        call()
    taken = (time.perf_counter() - begin) / count
    cp.cuda.Stream.null.synchronize()
    return taken


def latency():
    x, y, z = cp.ones(1, "f4"), cp.ones(1, "f4"), cp.empty(1, "f4")
    raw = cp.RawKernel('extern "C" __global__ void nop(const float* a, float* b, int n) '
                       "{ if (threadIdx.x < n) b[0] = a[0]; }", "nop")
    import numpy as np
    one = np.int32(1)
    elementwise = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    reduction = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    say(launch="raw", seconds=host_cost(lambda: raw((1,), (32,), (x, z, one))))
    say(launch="elementwise", seconds=host_cost(lambda: elementwise(x, y, z)))
    say(launch="reduction", seconds=host_cost(lambda: reduction(x)))
    program = ("import cupy as cp; x = cp.arange(10, dtype='f4'); "
               "k = cp.ElementwiseKernel('T x, T y', 'T z', 'z = (x - y) * (x - y)', 'first'); "
               "print(float(k(x, x + 1).get()[0]))")
    with tempfile.TemporaryDirectory() as folder:
        for cache in ("cold", "warm", "warm"):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], env=dict(os.environ, CUPY_CACHE_DIR=folder), check=True,
                           stdout=subprocess.DEVNULL)
            say(first_result=cache, seconds=time.perf_counter() - begin)


def main():
    if sys.argv[1] == "latency":
        latency()
        return
    options, list_of_works = side_options.read()
    time_empty(options.seconds)
    time_works(side_options.within_limit(list_of_works, options, "CuPy"), options.seconds)


if __name__ == "__main__":
    main()
