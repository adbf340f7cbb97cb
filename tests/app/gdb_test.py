"""gdb attaches to a worker that runs a kernel on the host device and prints its line: gdb_test.py KERNELBATCH

Exits 77 without gdb, or if processes may not be traced here.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

command = os.path.abspath(sys.argv[1])
if not shutil.which("gdb"):
    print("skipped: no gdb")
    sys.exit(77)

# The kernel never ends: gdb finds it running whenever it attaches.
JOB = """\
workload: inline
params: {n: 32}
inputs: {x: {arange: n, dtype: float32}}
outputs: {y: {shape: [n], dtype: float32}}
reference: {cpp: "for (long long k = 0; k < x.size(); ++k) y[k] = x[k];"}
variants:
  raw:
    kind: raw
    source: |
      extern "C" __global__ void spin(const float* x, volatile float* y) {
        while (y[threadIdx.x] != x[threadIdx.x] + 1) y[threadIdx.x] = x[threadIdx.x];
      }
    entry: spin
    grid: 1
    block: 1
    args: [x, y]
measure: {preset: quick, calibrate: false}
limits: {timeout: 3600s}
"""


def workers_of(parent):
    """Processes `kernelbatch __worker` that the run has started."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
            if b"__worker" in words and int((path / "stat").read_text().rsplit(")", 1)[1].split()[1]) == parent:
                yield int(path.name)
        except (OSError, IndexError):
            continue


def gdb_in(folder, *words):
    return subprocess.run(["gdb", "-nx", "-batch", *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def check_debug(folder):
    """`kernelbatch debug` under gdb stops in the kernel and shows its text."""
    (Path(folder) / "once.yaml").write_text(JOB.replace("while (", "if (").replace("block: 1", "block: 32"))
    gdb = gdb_in(folder, "-ex", "set breakpoint pending on", "-ex", "break spin", "-ex", "run", "-ex", "backtrace", "-ex", "list",
                 "-ex", "delete", "-ex", "continue", "--args", command, "debug", "once.yaml", "--variant", "raw")
    text = gdb.stdout + gdb.stderr
    assert re.search(r"#0 +(0x\w+ in )?spin \(.*\) at .*raw\.cu:\d", text), text
    assert "y[threadIdx.x] = x[threadIdx.x];" in text, text
    assert "raw: ok" in text, text


with tempfile.TemporaryDirectory() as folder:
    (Path(folder) / "job.yaml").write_text(JOB)
    run = subprocess.Popen([command, "run", "job.yaml", "--device", "host", "-o", "r.h5"], cwd=folder, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                           env=dict(os.environ, KERNELBATCH_HOST_CXXFLAGS="-O0 -g"))
    try:
        trace = ""
        # Without a limit: how long the kernel compiles depends on the machine.
        while run.poll() is None and "spin" not in trace:
            time.sleep(0.2)
            for worker in workers_of(run.pid):
                gdb = gdb_in(folder, "-p", str(worker), "-ex", "thread apply all backtrace")
                trace = gdb.stdout
                if "not permitted" in gdb.stderr:
                    print("skipped: processes may not be traced here")
                    sys.exit(77)
        frame = re.search(r"spin \(.*\) at .*?:(\d+)", trace)
        assert frame, trace
        assert frame[1] in ("1", "2"), frame[0]  # lines of the text
        print(frame[0])
        check_debug(folder)
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
