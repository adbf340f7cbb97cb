"""The measured part of a program: after a warm-up, and one program at a time."""

import ctypes
import os
import time
from pathlib import Path

ROUNDS = 10


def rounds(warm_ups=1, wait=lambda: None):
    """Yields the numbers of warm-up rounds, then those of measured rounds, between cudaProfilerStart and -Stop.
    `wait` waits for the GPU."""
    cuda = ctypes.CDLL("libcuda.so.1")
    yield from range(warm_ups)
    wait()
    if gate := os.environ.get("CAPTURE_GATE"):
        Path(gate + ".ready").touch()
        while not Path(gate + ".go").exists():
            time.sleep(0.01)
    cuda.cuProfilerStart()
    yield from range(warm_ups, warm_ups + ROUNDS)
    wait()
    cuda.cuProfilerStop()
