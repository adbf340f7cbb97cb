#!/usr/bin/env python3
"""Fails each write of a merge, one at a time: merge_writes.py KERNELBATCH [--count N] [--seconds T] [--seed S]

HDF5 writes some of its buffers only when an object is closed, and a second try may succeed, so one failed write
is worse than a full disk: the merge has to detect it, keep the shards, and exit with 6. Exits with 77 if strace is
missing or may not trace.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import add_budget
from syscalls import RESULTS, Torture

CALLS = {"pwrite64": ("EIO", "ENOSPC"), "ftruncate": ("EIO",), "write": ("EIO",), "fsync": ("EIO",)}


class Merge:
    """Two shards that are merged repeatedly."""

    def __init__(self, kernelbatch, scratch):
        self.torture = Torture(kernelbatch, scratch)
        self.kept = Path(scratch) / "kept"
        self.log = Path(scratch) / "calls.log"
        self.torture.start_anew()
        for shard in ("1/2", "2/2"):
            status, _, err = self.torture.run("--shard", shard)
            assert status == 0, err
        shutil.copytree(self.torture.folder, self.kept)

    def run(self, *strace):
        command = [self.torture.kernelbatch, "merge", "out.h5"]
        return self.torture.execute(["strace", "-qq", "-e", "signal=none", *strace, *command] if strace else command)

    def run_anew(self, *strace):
        shutil.rmtree(self.torture.folder)
        shutil.copytree(self.kept, self.torture.folder)
        return self.run(*strace)

    def points(self):
        """Calls to fail, by number and error, without writes to the terminal."""
        status, _, err = self.run_anew("-e", f"trace={','.join(CALLS)}", "-o", str(self.log))
        assert status == 0, err
        counts = {}
        for call, target in re.findall(r"^(\w+)\((\d+)", self.log.read_text(errors="replace"), re.M):
            counts[call] = counts.get(call, 0) + 1
            if target not in ("1", "2"):
                for error in CALLS[call]:
                    yield call, counts[call], error

    def has_all(self):
        shown = self.torture.shown()
        return isinstance(shown, dict) and len(shown) == RESULTS and set(shown.values()) == {"ok"}

    def fail_one(self, call, number, error):
        status, _, err = self.run_anew("-e", f"trace={call}", "-o", "/dev/null",
                                       "-e", f"inject={call}:error={error}:when={number}")
        wrong = []
        if status != 6:
            wrong.append(f"ends with {status}")
        if not self.has_all():
            wrong.append(f"shows {self.torture.shown()}")
        again, _, why = self.run()
        if again != 0 or not self.has_all():
            wrong.append(f"a second merge ends with {again}: {why}")
        if left := self.torture.leftovers():
            wrong.append(f"left behind: {left}")
        return wrong + [f"stderr: {err.strip()[-400:]}"] if wrong else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernelbatch", type=Path)
    add_budget(parser, "count", 10**9, "number of writes that fail")
    options = parser.parse_args()
    if shutil.which("strace") is None or subprocess.run(
            ["strace", "-qq", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: strace is missing, or may not trace")
        return 77
    end = time.monotonic() + options.seconds
    done = failures = 0
    with tempfile.TemporaryDirectory(prefix="kernelbatch-merge-writes-") as scratch:
        merge = Merge(options.kernelbatch.resolve(), scratch)
        points = list(merge.points())
        random.Random(options.seed).shuffle(points)
        # Errors that a second try fixes are easily overlooked: a short run includes all of them.
        points.sort(key=lambda point: point[::2] != ("pwrite64", "EIO"))
        for call, number, error in points:
            if time.monotonic() > end or done == options.count:
                break
            done += 1
            if wrong := merge.fail_one(call, number, error):
                failures += 1
                print(f"FAILED: {call} #{number} {error} (seed {options.seed})", *wrong, sep="\n  ", flush=True)
    print(f"{done} of {len(points)} failures of a merge's writes, {failures} wrong")
    return 1 if failures or not done else 0


if __name__ == "__main__":
    sys.exit(main())
