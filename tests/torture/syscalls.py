#!/usr/bin/env python3
"""Fails the system calls of a run's supervisor, one at a time:
syscalls.py KERNELBATCH [--count N] [--seconds T] [--seed S] [--only CALL] [--verbose]

strace lists the calls that a small run on the host makes after its libraries are loaded; then the run is repeated,
each time with another call that fails with a suitable errno. The workers are not traced. After each run: the exit
code is a documented one, there was no signal and no endless wait; `show` works, with every result that was printed;
no temporary file is left; and `run --resume` completes the job. Calls take turns, so that a short run covers all of
them. Exits with 77 if strace is missing or may not trace.
"""

import argparse
import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import add_budget

JOB = """
workload: inline
name: torture
device: host
params: {n: [4, 8]}
measure: {preset: quick, warmup: 0, hot: false, calibrate: false, stop: {min_samples: 1, max_samples: 1}}
inputs: {x: {arange: 8, dtype: float64}}
outputs: {y: {shape: [8], dtype: float64}}
variants:
  twice: {kind: elementwise, in: T x, out: T y, operation: y = 2 * x}
  added: {kind: elementwise, in: T x, out: T y, operation: y = x + x}
reference: {cpp: "for (long i = 0; i < 8; ++i) y[i] = 2 * x[i];"}
limits: {timeout: 60s, retries: 1}
output: {file: "out.h5"}
"""
RESULTS = 6
CODES = (0, 1, 2, 3, 4, 6, 75)
LIMIT_S = 900
# Errors of each call that this program can encounter. Calls that are not listed cannot fail in a way that a program
# could handle, such as kill() of a child or a futex; strace cannot inject the failure of brk().
ERRORS = {
    "openat": ["EMFILE", "EACCES", "EIO", "ENOSPC"], "read": ["EIO", "EINTR"], "pread64": ["EIO"],
    "write": ["ENOSPC", "EIO", "EINTR"], "pwrite64": ["ENOSPC", "EIO"], "fsync": ["EIO", "ENOSPC"],
    "rename": ["EACCES", "ENOSPC", "EIO"], "renameat2": ["EACCES", "ENOSPC"], "unlink": ["EACCES", "EIO"],
    "unlinkat": ["EACCES"], "rmdir": ["EACCES"], "mkdir": ["ENOSPC", "EACCES"], "newfstatat": ["EIO", "ENOMEM"],
    "fstat": ["EIO"], "lstat": ["EIO"], "stat": ["EIO"], "statx": ["EIO"], "mmap": ["ENOMEM"],
    "poll": ["EINTR", "ENOMEM"], "socketpair": ["EMFILE"], "pipe2": ["EMFILE"], "clone": ["EAGAIN"],
    "clone3": ["EAGAIN", "ENOMEM"], "vfork": ["EAGAIN"], "wait4": ["EINTR"], "waitid": ["EINTR"],
    "sendmsg": ["EPIPE", "EINTR", "ENOMEM"], "sendto": ["EPIPE", "EINTR", "ENOMEM"],
    "recvmsg": ["EINTR", "ECONNRESET", "ENOMEM"], "flock": ["ENOLCK", "EINTR", "EWOULDBLOCK"],
    "ftruncate": ["EIO", "ENOSPC"], "getdents64": ["EIO"], "fcntl": ["EMFILE"], "readlink": ["EACCES"],
    "access": ["EACCES"], "getcwd": ["ENOENT"], "lseek": ["EIO"], "close": ["EIO"], "ioctl": ["ENOTTY"],
    "prlimit64": ["EPERM"], "prctl": ["EINVAL"], "link": ["EPERM"], "fdatasync": ["EIO"], "chmod": ["EPERM"],
    "utimensat": ["EACCES"], "getrandom": ["EINTR", "ENOSYS"], "fallocate": ["ENOSPC"], "dup": ["EMFILE"], "pidfd_open": ["EMFILE"],
}
# If these fail, files that they should have removed or found may stay.
REMOVING = ("unlink", "unlinkat", "rmdir", "getdents64", "openat", "newfstatat", "flock", "lstat", "fstat")


class Torture:
    def __init__(self, kernelbatch, scratch):
        self.kernelbatch, self.scratch = kernelbatch, Path(scratch)
        self.folder, self.temporary = self.scratch / "job", self.scratch / "tmp"
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.scratch), "LANG": "C.UTF-8",
                            "TMPDIR": str(self.temporary), "KERNELBATCH_CACHE_DIR": str(self.scratch / "cache")}

    def start_anew(self):
        for folder in (self.folder, self.temporary):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        (self.folder / "job.yaml").write_text(JOB)

    def execute(self, words):
        """Status (None: it did not end), standard output and standard error."""
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment, text=True, errors="replace",
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        try:
            out, err = process.communicate(timeout=LIMIT_S)
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return None, out, err

    def run(self, *options, strace=()):
        # --profile: no calibration of the device, which would take most of the time.
        command = [self.kernelbatch, "run", "--profile", *options, "job.yaml"]
        return self.execute([*strace, *command])

    def calls(self):
        """The number of occurrences of each call before main(), and in total."""
        self.start_anew()
        status, _, err = self.run()  # compiles
        assert status == 0, err
        self.start_anew()
        log = self.scratch / "calls.log"
        status, _, err = self.run(strace=["strace", "-qq", "-e", "signal=none", "-o", str(log)])
        assert status == 0, err
        names = [match[1] for match in re.finditer(r"^(\w+)\(", log.read_text(errors="replace"), re.M)]
        lines = [line for line in log.read_text(errors="replace").splitlines() if re.match(r"\w+\(", line)]
        # The first thing that main() does.
        first = next(k for k, line in enumerate(lines) if line.startswith("fcntl(0, F_GETFD"))
        return collections.Counter(names[:first]), collections.Counter(names)

    def shown(self):
        """Results by n and variant; None if there are none, a text if they cannot be read."""
        output = self.folder / "out.h5"
        if not output.exists() and not list(self.folder.glob("out.h5.d/*/*.h5")):
            return None
        status, out, err = self.execute([self.kernelbatch, "show", "--json", str(output)])
        if status != 0:
            return f"show ends with {status}: {err}"
        return {(str(each["params"]["n"]), each["variant"]): each["status"] for each in json.loads(out)}

    def leftovers(self):
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return [str(path) for path in files if path.suffix in (".tmp", ".raw")] + [
            str(path) for path in self.temporary.iterdir()]

    def fail_one(self, call, number, error):
        """The problems of the run in which that occurrence failed, as texts."""
        self.start_anew()
        inject = f"inject={call}:error={error}:when={number}"
        status, out, err = self.run(strace=["strace", "-qq", "-e", "signal=none", "-e", f"trace={call}", "-o",
                                            "/dev/null", "-e", inject])
        wrong = []
        if status not in CODES:
            wrong.append(f"ends with {status}")
        printed = set(re.findall(r"^\[\d+/\d+\] torture n=(\d+) (\w+): ok", err, re.M))
        shown = self.shown()
        if isinstance(shown, str):
            wrong.append(shown)
        elif (lost := printed - set(shown or {})) and not (status == 6 and list(self.folder.glob("out.h5.d/*/*.bad"))):
            # An unreadable shard is set aside, and this is reported.
            wrong.append(f"printed and lost: {sorted(lost)}")
        if call not in REMOVING and (left := self.leftovers()):
            wrong.append(f"left behind: {left}")
        if status == 0 and (shown is None or len(shown) != RESULTS):
            wrong.append(f"ends with 0 without all results: {shown}")
        again, _, why = self.run("--resume")
        if again != 0:
            wrong.append(f"--resume ends with {again}: {why}")
        else:
            whole = self.shown()
            if not isinstance(whole, dict) or len(whole) != RESULTS or set(whole.values()) != {"ok"}:
                wrong.append(f"--resume leaves {whole}")
            if call not in REMOVING and (left := self.leftovers()):
                wrong.append(f"left behind by --resume: {left}")
        if wrong:
            wrong.append(f"status {status}, stderr: {err.strip()[-600:]}")
        return wrong


def points(before, total, chooser, only):
    """Occurrences and errors, with the calls taking turns."""
    queues = []
    for call in sorted(total):
        if call not in ERRORS or (only and call != only):
            continue
        queue = [(call, number, error) for number in range(before[call] + 1, total[call] + 1)
                 for error in ERRORS[call]]
        chooser.shuffle(queue)
        if queue:
            queues.append(queue)
    while queues:
        chooser.shuffle(queues)
        for queue in queues:
            yield queue.pop()
        queues = [queue for queue in queues if queue]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernelbatch", type=Path)
    add_budget(parser, "count", 10**9, "number of calls that fail")
    parser.add_argument("--only", help="only this call")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if shutil.which("strace") is None:
        print("skipped: strace is not installed")
        return 77
    if subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: this machine does not let strace trace")
        return 77
    end = time.monotonic() + options.seconds
    failures, done = 0, collections.Counter()
    with tempfile.TemporaryDirectory(prefix="kernelbatch-syscalls-") as scratch:
        torture = Torture(options.kernelbatch.resolve(), scratch)
        before, total = torture.calls()
        for call, number, error in points(before, total, random.Random(options.seed), options.only):
            if time.monotonic() > end or done.total() == options.count:
                break
            wrong = torture.fail_one(call, number, error)
            done[call] += 1
            if options.verbose:
                print(f"{call} #{number} {error}", flush=True)
            if wrong:
                failures += 1
                print(f"FAILED: {call} #{number} {error} (seed {options.seed})", *wrong, sep="\n  ", flush=True)
    for call in sorted(done):
        print(f"{call}: {done[call]} of {(total[call] - before[call]) * len(ERRORS[call])}")
    left_out = sorted(call for call in total if call not in ERRORS and total[call] > before[call])
    print(f"not failed: {', '.join(left_out)}")
    print(f"{sum(done.values())} system calls failed, {failures} times wrongly")
    return 1 if failures or not done else 0


if __name__ == "__main__":
    sys.exit(main())
