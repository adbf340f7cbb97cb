"""Times PyTorch on one set of works, run eagerly and by torch.compile; one line of JSON for each work and style.

Usage: torch_side.py SET [options of side_options.py]

The method is cupy_side.py's: L2 flushed, a kernel that spins, start event, work, stop event; medians of cold samples.
All compiled functions of a work (the library's, and the plain expression) are timed. With `--part k/n` the
functions are only compiled, into the cache that the environment names: several processes divide the works."""
import itertools
import json
import statistics
import time

import torch

import side_options

FLUSH = None


def flush_l2():
    global FLUSH
    if FLUSH is None:
        size = torch.cuda.get_device_properties(0).L2_cache_size
        FLUSH = torch.zeros(size // 4, dtype=torch.int64, device="cuda"), torch.zeros((), dtype=torch.int64, device="cuda")
    memory, result = FLUSH
    memory.add_(1)
    for _ in range(side_options.READINGS):
        torch.sum(memory, dim=0, out=result)


def clock_hz():
    properties = torch.cuda.get_device_properties(0)
    return getattr(properties, "clock_rate", 2_000_000) * 1e3


def gpu_time(call, seconds, least=7, most=200):
    """Median of cold samples, in seconds."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call()
    host = time.perf_counter() - begin
    torch.cuda.synchronize()
    whole = time.perf_counter() - begin
    hold = int(clock_hz() * min(host * 3 + 50e-6, 0.05))
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    samples, begin = [], time.perf_counter()
    while len(samples) < least or (len(samples) < most and time.perf_counter() - begin < seconds):
        flush_l2()
        if whole < 0.02:
            torch.cuda._sleep(hold)
        start.record()
        call()
        stop.record()
        stop.synchronize()
        samples.append(start.elapsed_time(stop) * 1e-3)
    return statistics.median(samples)


def say(**values):
    print(json.dumps(values), flush=True)


def compiled_functions(functions):
    """Each function, recompiled for the shapes that it is called with."""
    for number, function in enumerate(functions):
        torch._dynamo.reset()
        yield f"compiled {number}" if number else "compiled", torch.compile(function, fullgraph=True, dynamic=False)


def each_style(work, functions, action):
    """Calls the action with a style and its function; a failure does not hide the others."""
    for style, function in functions:
        try:
            action(style, function)
        except Exception as error:
            say(work=work.name, style=style, error=repr(error)[:300])


def time_work(work, seconds, wanted):
    try:
        inputs, eager, compiled = work.torch(torch)
    except Exception as error:
        say(work=work.name, style="", error=repr(error)[:300])
        return

    def time_function(style, function):
        begin = time.perf_counter()
        function(*inputs)
        torch.cuda.synchronize()
        first = time.perf_counter() - begin
        say(work=work.name, style=style, seconds=gpu_time(lambda: function(*inputs), seconds), first_call=first)

    named = [("eager" if number == 0 else f"eager {number}", function) for number, function in enumerate(eager)]
    each_style(work, itertools.chain(named if "eager" in wanted else [],
                                     compiled_functions(compiled if "compiled" in wanted else [])), time_function)


def compile_work(work):
    """First calls only, whose seconds are the compile time if no cache has the kernels."""
    try:
        inputs, _, compiled = work.torch(torch)
    except Exception:
        return  # reported when it is timed

    def call_first(style, function):
        begin = time.perf_counter()
        function(*inputs)
        torch.cuda.synchronize()
        say(work=work.name, style=style, compile_seconds=time.perf_counter() - begin)

    each_style(work, compiled_functions(compiled), call_first)


def main():
    options, list_of_works = side_options.read()
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch finds no GPU")
    with torch.no_grad():
        if options.part:
            part, parts = map(int, options.part.split("/"))
            for work in list_of_works[part::parts]:
                if work.torch is not None:
                    compile_work(work)
                torch.cuda.empty_cache()
            return
        say(empty_kernel=gpu_time(lambda: torch.cuda._sleep(0), options.seconds))
        for work in side_options.within_limit(list_of_works, options, "PyTorch"):
            if work.torch is not None:
                time_work(work, options.seconds, options.styles.split(","))
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
