"""Captures launches of real programs and repeats them: table.py KERNELBATCH WORK [SECONDS]

Prints one line for each kernel: the program, the bits of a replay with only the driver, CUPTI's times in the program and
in that replay, and the result of `kernelbatch run` on its job (equal bits, or the reason of a miss). Times are medians in
us of two states: `cold`, with the L2 cache flushed, and `warm`, with the launch's memory read into it. In both processes
the injected library prepares the state right before the launch. WORK/table.csv has every time.

Programs start together and warm up; then one after another is measured, and nothing else uses the GPU. WORK/measured
appears after the last replay. WORK/programs is the program of programs.cu, if it was compiled: nvcc -arch=native
-cudart static programs.cu -o WORK/programs
"""
import concurrent.futures
import csv
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
STATES = ("cold", "warm")
TIMER_STEP = 0.032  # us, of CUPTI's time stamps
HALF_CACHE = 25  # MiB; each half of an H200's L2 cache may have its own copy of a line
JAX = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
NOT_RANDOM = "^(?!.*(distribution_|FillFunctor|generate_seed|gen_sequenced|Redzone|Delay|RepeatBuffer))"
EXPANDABLE = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}
# Name, words, rows of the table, kernels to capture, variables.
PROGRAMS = [
    ("inductor", ["torch_program.py", "inductor"], 24, "triton_", {}),
    ("attention", ["torch_program.py", "attention"], 24, "sdpa|fmha|flash", {}),
    ("optimizer", ["torch_program.py", "optimizer"], 24, NOT_RANDOM, {}),
    ("eager", ["torch_program.py", "eager"], 24, NOT_RANDOM, {}),
    ("blas", ["torch_program.py", "blas"], 24, "gemm|nvjet|split|cutlass", {}),
    ("torch graph", ["torch_program.py", "graph"], 24, "triton_", {}),
    ("conv", ["torch_program.py", "conv"], 24, NOT_RANDOM, {}),
    ("triton", ["triton_program.py"], 24, "softmax_rows", {}),
    ("cupy", ["cupy_program.py"], 24, NOT_RANDOM, {}),
    ("jax", ["jax_program.py"], 24, NOT_RANDOM, JAX),
    ("numba", ["numba_program.py"], 24, "", {}),
    ("expandable", ["torch_program.py", "eager"], 3, NOT_RANDOM, EXPANDABLE),
] + [
    (f"c++ {name}", [str(work / "programs"), name], 24, "", {})
    for name in (
        "saxpy struct managed pool batched cooperative cluster atomics tensor_map variables graph graph_variables thrust"
    ).split()
]


def left(share):
    return share * seconds - (time.monotonic() - start)


def settings(folder, kernel, deep):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    values = {"folder": str(folder), "kernel": kernel, "cupti": os.environ.get("CUPTI", ""), "limit": 2 << 30}
    values |= {"nth": 1, "count": 1000, "distinct": True, "range": True}
    values |= {"graphs": "graph" in folder.name, "deep": deep}
    file = folder / "settings.json"
    file.write_text(json.dumps(values))
    return {
        **os.environ,
        "CUDA_INJECTION64_PATH": str(library),
        "KERNELBATCH_CAPTURE": str(file),
        "CAPTURE_GATE": str(folder / "gate"),
        "CAPTURE_LOCK": str(work / "lock"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }


def shape_of(launch):
    return launch["kernel"], str(launch["grid"]), str(launch["block"])


def times_in(folder):
    """Times in us by kernel and shape, then by state."""
    times = {}
    for file in folder.glob("*.launch/times.json"):
        read = json.loads(file.read_text())
        shape = shape_of(json.loads((file.parent / "launch.json").read_text()))
        times[shape] = {state: [ns / 1000 for ns in read[state]] for state in STATES}
    return times


class Program:
    def __init__(self, name, words, rows, kernel, variables):
        self.name, self.most, self.trouble = name, rows, ""
        self.is_deep = "batched" in name
        self.folder = work / "records" / name.replace(" ", "_")
        environment = {**settings(self.folder, kernel, self.is_deep), **variables}
        words = words if words[0].startswith("/") else [sys.executable, str(here / words[0]), *words[1:]]
        self.log = open(f"{self.folder}/log", "w")  # noqa: SIM115 (of the process)
        try:
            self.process = subprocess.Popen(words, env=environment, stdout=self.log, stderr=self.log)
        except OSError as error:
            self.process, self.trouble = None, str(error)

    def is_waiting(self):
        return self.process and self.process.poll() is None and not (self.folder / "gate.ready").exists()

    def measure(self):
        """Lets the program run its measured part. Returns the chosen records: the first of each kernel and shape."""
        if self.process is None:
            return []
        (self.folder / "gate.go").touch()
        try:
            if not (self.folder / "gate.ready").exists() and self.process.poll() is None:
                raise subprocess.TimeoutExpired("warm-up", 0)
            self.trouble = f"exit {code}" if (code := self.process.wait(timeout=max(3, min(25, left(0.5))))) else ""
        except subprocess.TimeoutExpired as error:
            self.process.kill()
            self.trouble = str(error)
        times, rows = times_in(self.folder), {}
        for record in sorted(self.folder.glob("*.launch"), key=lambda path: int(path.stem.split("-")[-1])):
            launch = json.loads((record / "launch.json").read_text())
            shape = shape_of(launch)
            if shape in rows or len(rows) == self.most:
                shutil.rmtree(record)
                continue
            rows[shape] = {"program": self.name, "record": record, "launch": launch, "own": times.get(shape, {})}
        if not rows and not self.trouble:
            self.trouble = "no launch was captured"
        return list(rows.values())

    def replay(self, rows):
        """Adds the bits and times of replays to the rows."""
        rows = [row for row in rows if row["launch"]["memory"] and "image" in row["launch"]]
        attempts = 3
        while rows and attempts > 0 and left(0.7) > 0:
            folder = work / "replays" / self.folder.name
            try:
                done = subprocess.run(
                    [sys.executable, str(here / "replay.py"), *(str(row["record"]) for row in rows)],
                    env=settings(folder, "", self.is_deep),
                    capture_output=True,
                    text=True,
                    timeout=max(5, left(0.72)),
                )
            except subprocess.TimeoutExpired:
                return
            bits = {words[0]: words[1:] for words in (line.split("\t") for line in done.stdout.splitlines())}
            times = times_in(folder)
            for row in [row for row in rows if str(row["record"]) in bits]:
                row["bits"], row["changed"] = bits[str(row["record"])]
                row["replayed"] = times.get(shape_of(row["launch"]), {})
                rows.remove(row)
            shutil.rmtree(folder, ignore_errors=True)
            attempts -= done.returncode == 4
            if rows and done.returncode != 4:  # the first that is left failed
                rows.pop(0)["bits"] = (done.stderr.strip() or f"exit {done.returncode}").splitlines()[-1]
            elif rows and attempts == 0:
                rows[0]["bits"] = done.stdout.strip()


occupied = []  # records whose addresses the first process did not get


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
    words = ["run", "job.yaml", "--device", "cuda", "-o", "r.h5", "-s", "measure.preset=quick", "--overwrite"]
    words += ["-s", "measure.processes=1"]
    for retries in (["-s", "limits.retries=0"], []):
        done = subprocess.run([kernelbatch, *words, *retries], cwd=folder, capture_output=True, text=True, timeout=90)
        if "is not available here" not in done.stdout + done.stderr:
            break
        occupied.append(record)
    (folder / "log").write_text(done.stdout + done.stderr)
    shutil.rmtree(folder / "job.data", ignore_errors=True)
    line = next((line for line in done.stdout.splitlines() if line.startswith("  captured")), "")
    if done.returncode == 0 and " ok " in line and "exact" in line:
        return "equal"
    reason = [line for line in done.stdout.splitlines() if "captured: " in line and " in phase " in line]
    return (reason or [line] or ["?"])[0].strip()[:90] or f"exit {done.returncode}"


def try_job(record):
    if left(0.93) < 0:
        return "not tried: time"
    try:
        return run_job(record)
    except subprocess.TimeoutExpired as error:
        return str(error)[-60:]


def ratio_of(row, state):
    own, replayed = row["own"].get(state), row.get("replayed", {}).get(state)
    return statistics.median(replayed) / statistics.median(own) if own and replayed else None


def text_of(row, state):
    ratio = ratio_of(row, state)
    if not ratio:
        return " " * 23
    return f"{statistics.median(row['own'][state]):8.2f} {statistics.median(row['replayed'][state]):8.2f} {ratio:5.3f}"


def reason_of(row, state):
    """Why a ratio is not within 3 %; empty if it is."""
    ratio = ratio_of(row, state)
    if not ratio or abs(ratio - 1) <= 0.03:
        return ""
    own, replayed = sorted(row["own"][state]), statistics.median(row["replayed"][state])
    size = sum(each["bytes"] for each in row["launch"]["memory"]) / (1 << 20)
    if abs(replayed - statistics.median(own)) <= 2.5 * TIMER_STEP:
        return "at most two steps of the timer (32 ns)"
    if own[0] - TIMER_STEP <= replayed <= own[-1] + TIMER_STEP:
        return f"within the program's times ({own[0]:.2f} to {own[-1]:.2f})"
    if state == "warm" and size > HALF_CACHE:
        return f"its {size:.0f} MiB are in the cache only in part"
    return "not known"


def write_csv(rows):
    with open(work / "table.csv", "w", newline="") as file:
        writer = csv.writer(file)
        times = [f"{side}_{state}_us" for state in STATES for side in ("program", "replay")]
        results = [f"{kind}_{state}" for kind in ("ratio", "miss") for state in STATES]
        words = ["program", "kernel", "bits", "changed_bytes", "command"]
        writer.writerow([*words, *times, *results, "carveout", "attributes"])
        for row in rows:
            listed = [
                " ".join(f"{time:.3f}" for time in row.get(side, {}).get(state, []))
                for state in STATES
                for side in ("own", "replayed")
            ]
            words = [row["program"], row["launch"]["name"]]
            words += [row.get(key, "") for key in ("bits", "changed", "job")]
            attributes = " ".join(map(str, row["launch"]["attributes"]))
            ratios = [f"{ratio:.3f}" if (ratio := ratio_of(row, state)) else "" for state in STATES]
            reasons = [reason_of(row, state) for state in STATES]
            writer.writerow([*words, *listed, *ratios, *reasons, row["launch"]["carveout"], attributes])


def say(text):
    print(f"{text}; {time.monotonic() - start:.0f} s", flush=True)


def main():
    work.mkdir(parents=True, exist_ok=True)
    programs = [Program(*each) for each in PROGRAMS]
    while any(program.is_waiting() for program in programs) and left(0.38) > 0:
        time.sleep(0.05)
    say("warmed up")
    chosen = [program.measure() for program in programs]
    rows = [row for each in chosen for row in each]
    for program in programs:
        if program.trouble:
            print(f"{program.name}: {program.trouble}: {(program.folder / 'log').read_text()[-200:]}")
    say(f"captured {len(rows)} kernels of {sum(map(bool, chosen))} programs")
    with concurrent.futures.ThreadPoolExecutor(6) as pool:  # one at a time uses the GPU
        list(pool.map(lambda each: each[0].replay(each[1]), zip(programs, chosen)))
    (work / "measured").touch()
    for row in rows:
        times = " ".join(text_of(row, state) for state in STATES)
        print(f"{row['program'][:15]:15} {row['launch']['name'][:40]:40} {row.get('bits', 'not tried')[:12]:12} {times}")
    counts = [
        f"{sum(ratio is not None for ratio in ratios)} {state}, {sum(abs(ratio - 1) <= 0.03 for ratio in ratios if ratio)} "
        "of them within 3 %"
        for state, ratios in ((state, [ratio_of(row, state) for row in rows]) for state in STATES)
    ]
    equal = sum(row.get("bits") == "equal" for row in rows)
    say(f"{equal} of {len(rows)} replayed with only the driver with equal bits; ratios of times: {'; '.join(counts)}")
    write_csv(rows)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        jobs = pool.map(try_job, (row["record"] for row in rows))
        for row, job in zip(rows, jobs):
            row["job"] = job
            if reason := row["launch"]["reason"] or (job if job != "equal" else ""):
                print(f"{row['program'][:15]:15} {row['launch']['name'][:40]:40} {reason}", flush=True)
    write_csv(rows)
    say(f"{sum(row['job'] == 'equal' for row in rows)} of {len(rows)} replayed by the command with equal bits, "
        f"{len(set(occupied))} not in the first process: an address was occupied")


main()
