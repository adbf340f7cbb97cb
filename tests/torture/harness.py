"""Shared by the scripts of this folder: a small job of the host device, and the comparison of its printed
results with its files."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

CASES = 6
JOB = """\
kernelbatch: 1
name: torture
workload: inline
device: host
params: {n: [%s]}
inputs: {x: {arange: n, dtype: float32}}
variants:
  twice: {kind: elementwise, in: "T x", out: "T y", operation: "y = 2 * x"}
  sum: {kind: elementwise, in: "T x", out: "T y", operation: "y = x + x"}
reference: {cpp: "for (long long k = 0; k < x.size(); ++k) y[k] = 2 * x[k];"}
measure: {preset: quick, warmup: 0, hot: false, calibrate: false, stop: {min_samples: 1, max_samples: 1}}
output: {file: "%s"}
"""
ACKNOWLEDGED = re.compile(r"^\[\d+/\d+\] torture n=(\d+) (\S+): (\S+)", re.MULTILINE)
# The documented exit codes, and that of a closed pipe.
EXIT_CODES = {0, 1, 2, 3, 4, 5, 6, 75, 141}


def add_budget(parser, name, default, meaning):
    """The two limits of a script: --NAME, a number of tries, and --seconds for long runs."""
    parser.add_argument(f"--{name}", type=int, default=default, help=meaning)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after this time as well")


class Failure(Exception):
    """Something that must never happen."""


class Job:
    """A folder with the job, its results, and a run of the command on it."""

    def __init__(self, command, cases=CASES):
        self.command = str(Path(command).resolve())
        self.folder = Path(tempfile.mkdtemp(prefix="kernelbatch-torture-"))
        self.output = self.folder / "out" / "r.h5"
        self.job = self.folder / "job.yaml"
        sizes = ", ".join(str(100 + 10 * k) for k in range(cases))
        self.job.write_text(JOB % (sizes, self.output))
        self.cases = cases
        self.environment = dict(os.environ)
        self.environment.pop("KERNELBATCH_FAILPOINT", None)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words, prefix=(), environment=None, limit_s=900):
        """Runs the command and returns the finished process, with text output. Raises Failure on a timeout."""
        try:
            return subprocess.run(
                [*prefix, self.command, *map(str, words)],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                cwd=self.folder, env=environment or self.environment, timeout=limit_s)
        except subprocess.TimeoutExpired:
            raise Failure(f"no end within {limit_s} s: {words}")

    def killed(self, results, delay_s, *words):
        """Runs the command and kills it `delay_s` after it has printed `results` results.

        Returns its output and exit status; it may have ended by itself before.
        """
        process = subprocess.Popen(
            [self.command, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, errors="replace", cwd=self.folder, env=self.environment)
        printed = ""
        while len(acknowledged_in(printed)) < results and (line := process.stderr.readline()):
            printed += line
        time.sleep(delay_s)
        process.send_signal(signal.SIGKILL)
        printed += process.stderr.read()
        process.stderr.close()
        return printed, process.wait()

    def results(self, path=None):
        """{(n, variant): status} of the results on disk; empty if there are none."""
        shown = self.run("show", "--json", path or self.output)
        if shown.returncode == 2 and "there are no results" in shown.stderr:
            return {}
        if shown.returncode != 0:
            raise Failure(f"show ended with {shown.returncode}: {shown.stderr}")
        if "cannot be read" in shown.stderr:
            raise Failure(f"show: {shown.stderr}")
        found = {}
        for record in json.loads(shown.stdout):
            key = (int(record["params"]["n"]), record["variant"])
            if key in found:
                raise Failure(f"{key} is there twice")
            found[key] = record["status"]
        return found

    def check(self, acknowledged, path=None):
        """Everything that was printed as done is on disk, as it was printed."""
        found = self.results(path)
        for key, status in acknowledged.items():
            if found.get(key) != status:
                raise Failure(f"{key} was printed as {status}, the files have {found.get(key)}")
        return found

    def check_whole(self):
        if not self.output.exists() and not Path(str(self.output) + ".d").exists():
            return
        verified = self.run("verify", self.output)
        if verified.returncode not in (0, 2):
            raise Failure(f"verify: {verified.stdout}{verified.stderr}")

    def finish(self):
        """A resumed run succeeds, with every result, and leaves only the file."""
        resumed = self.run("run", "--resume", self.job)
        if resumed.returncode != 0:
            raise Failure(f"the resumed run ended with {resumed.returncode}: {resumed.stderr}")
        found = self.results()
        if len(found) != 3 * self.cases or set(found.values()) != {"ok"}:
            raise Failure(f"the resumed run left {found}")
        self.check_whole()


def acknowledged_in(printed):
    """{(n, variant): status} of a run's log."""
    return {(int(n), variant): status for n, variant, status in ACKNOWLEDGED.findall(printed)}


def check_exit(process):
    if process.returncode not in EXIT_CODES:
        raise Failure(f"ended with {process.returncode}: {process.stderr}")
