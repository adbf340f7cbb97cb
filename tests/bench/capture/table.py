"""Captures launches of real programs and repeats them: table.py KERNELBATCH WORK [SECONDS]

Prints one line for each kernel: the program, the result of `kernelbatch run` on its job (equal bits, or the reason of a
miss), and the medians of CUPTI's times in the program and in a replay with only the driver. WORK/programs is the
program of programs.cu, if it was compiled: nvcc -arch=native -cudart static programs.cu -o WORK/programs
"""

import concurrent.futures
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

kernelbatch, work = Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 1e9
here, start = Path(__file__).absolute().parent, time.monotonic()
library = next(
    path
    for path in (
        kernelbatch.parent / "lib/libkernelbatch_capture.so",
        kernelbatch.parent.parent / "lib/libkernelbatch_capture.so",
    )
    if path.exists()
)
EXACT = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
JAX = {"XLA_PYTHON_CLIENT_ALLOCATOR": "platform", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
NOT_RANDOM = "^(?!.*(distribution_|FillFunctor|generate_seed|gen_sequenced|Redzone|Delay|RepeatBuffer))"
# Name, words, launches to capture, rows of the table, kernels to capture, variables.
PROGRAMS = [
    ("inductor", ["torch_program.py", "inductor"], 16, 4, "triton_", {}),
    ("attention", ["torch_program.py", "attention"], 10, 3, "sdpa|fmha|flash", {}),
    ("optimizer", ["torch_program.py", "optimizer"], 110, 8, NOT_RANDOM, {}),
    ("eager", ["torch_program.py", "eager"], 70, 9, NOT_RANDOM, {}),
    ("blas", ["torch_program.py", "blas"], 24, 4, "gemm|nvjet|split|cutlass", {}),
    ("torch graph", ["torch_program.py", "graph"], 1, 1, "triton_", {}),
    ("conv", ["torch_program.py", "conv"], 24, 4, NOT_RANDOM, {}),
    ("triton", ["triton_program.py"], 6, 2, "softmax_rows", EXACT),
    ("cupy", ["cupy_program.py"], 60, 8, NOT_RANDOM, {}),
    ("jax", ["jax_program.py"], 90, 6, NOT_RANDOM, JAX),
    ("numba", ["numba_program.py"], 12, 2, "", {}),
    ("expandable", ["torch_program.py", "eager"], 4, 2, NOT_RANDOM, {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}),
] + [
    (f"c++ {name}", [str(work / "programs"), name], 6, 3, "", {})
    for name in ("saxpy struct managed pool batched cooperative cluster atomics tensor_map variables graph thrust".split())
]


def left(share):
    return share * seconds - (time.monotonic() - start)


def settings(folder, count, kernel, deep):
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "settings.json"
    cupti = os.environ.get("CUPTI", "")
    file.write_text(
        json.dumps(
            {
                "folder": str(folder),
                "kernel": kernel,
                "cupti": cupti,
                "nth": 1,
                "count": count,
                "limit": 2 << 30,
                "graphs": "graph" in folder.name,
                "deep": deep,
            }
        )
    )
    return {**os.environ, "CUDA_INJECTION64_PATH": str(library), "KERNELBATCH_CAPTURE": str(file)}


def run_program(program):
    name, words, count, rows, kernel, variables = program
    words = words if words[0].startswith("/") else [sys.executable, str(here / words[0]), *words[1:]]
    folder = work / "records" / name.replace(" ", "_")
    environment = {**settings(folder, count, kernel, "batched" in name), **variables}
    with open(f"{folder}/log", "w") as log:
        try:
            code = subprocess.run(words, env=environment, stdout=log, stderr=log, timeout=max(5, left(0.42))).returncode
        except (OSError, subprocess.TimeoutExpired) as error:
            code = error
    records, seen = [], set()
    for record in sorted(folder.glob("*.launch"), key=lambda path: int(path.stem.split("-")[-1])):
        launch = json.loads((record / "launch.json").read_text())
        key = (launch["kernel"], str(launch["grid"]), str(launch["block"]))
        if key not in seen and len(records) < rows:
            seen.add(key)
            records.append((name, record, launch))
    return records, f"{name}: exit {code}" if code != 0 or not records else ""


def times_of(record):
    """Times of captured launches, all in the same state: after the program's other work, and copies of their memory.
    They are in the first record of a kernel and a shape."""
    file = record / "times.json"
    return [value / 1000 for value in json.loads(file.read_text())["captured"]] if file.exists() else []


def replay(record):
    folder = work / "replays" / f"{record.parent.name}-{record.stem}"
    for attempt in range(3):
        shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run(
            [sys.executable, str(here / "replay.py"), str(record), "9"],
            env=settings(folder, 9, "", False),
            capture_output=True,
            text=True,
            timeout=60,
        )
        if done.returncode != 4:
            break
    text = (done.stdout.strip() or done.stderr.strip() or "?").splitlines()[-1]
    times = [time for each in folder.glob("*.launch") for time in times_of(each)]
    shutil.rmtree(folder, ignore_errors=True)
    return text, times


def run_job(record):
    """Result of the job in words."""
    folder = work / "jobs" / f"{record.parent.name}-{record.stem}"
    folder.mkdir(parents=True, exist_ok=True)
    copy = f'cp -r {record} "$(dirname "$KERNELBATCH_CAPTURE")/1-0.launch"'
    made = subprocess.run(
        [kernelbatch, "capture", "-o", "job.yaml", "--", "sh", "-c", copy],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if made.returncode != 0:
        return "no job: " + made.stderr.strip().splitlines()[-1]
    words = ["run", "job.yaml", "--device", "cuda", "-o", "r.h5", "-s", "measure.preset=quick"]
    done = subprocess.run(
        [kernelbatch, *words, "-s", "measure.processes=1"], cwd=folder, capture_output=True, text=True, timeout=90
    )
    (folder / "log").write_text(done.stdout + done.stderr)
    shutil.rmtree(folder / "job.data", ignore_errors=True)
    line = next((line for line in done.stdout.splitlines() if line.startswith("  captured")), "")
    if done.returncode == 0 and " ok " in line and "exact" in line:
        return "equal"
    reason = [line for line in done.stdout.splitlines() if "captured: " in line and " in phase " in line]
    return (reason or [line] or ["?"])[0].strip()[:90] or f"exit {done.returncode}"


def main():
    work.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        results = list(pool.map(run_program, PROGRAMS))
    rows = []
    for records, trouble in results:
        if trouble:
            print(trouble)
        rows += records
    print(f"captured {len(rows)} kernels of {sum(1 for records, _ in results if records)} programs "
          f"in {time.monotonic() - start:.0f} s")
    replays = {}
    for _, record, launch in rows:
        if left(0.68) < 0:
            break
        if not launch["reason"] and "image" in launch and launch["memory"]:
            replays[record] = replay(record)
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        jobs = dict(zip(
            [record for _, record, _ in rows],
            pool.map(lambda row: run_job(row[1]) if left(0.95) > 0 else "not tried: time", rows),
        ))
    within = 0
    for name, record, launch in rows:
        text, times = replays.get(record, ("not tried", []))
        own = times_of(record)
        ratio = statistics.median(times) / statistics.median(own) if own and times else None
        within += ratio is not None and abs(ratio - 1) <= 0.03
        shown = f"{statistics.median(own):8.2f} {statistics.median(times):8.2f} {ratio:6.3f}" if ratio else " " * 24
        reason = launch["reason"] or ("" if jobs[record] == "equal" else jobs[record])
        print(f"{name[:15]:15} {launch['name'][:44]:44} {text[:22]:22} {shown} {'equal' if not reason else reason}")
    equal = sum(value == "equal" for value in jobs.values())
    print(f"{len(rows)} captured, {equal} replayed by the command with equal bits, "
          f"{sum(text.startswith('equal') for text, _ in replays.values())} of {len(replays)} with only the driver, "
          f"{within} within 3 % of the program's time; {time.monotonic() - start:.0f} s")


main()
