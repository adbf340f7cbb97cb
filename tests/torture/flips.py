#!/usr/bin/env python3
"""Flips bits of shards and merged files: every command refuses the file, none is killed by a signal
or hangs.

    flips.py KERNELBATCH [--flips N] [--seed S] [--seconds T]
"""

import argparse
import random
import shutil
import sys
import time
from pathlib import Path

from harness import Failure, Job, add_budget

READERS = (("show",), ("verify",), ("export", "--format", "json"), ("status",), ("merge",))


def check(job, path, bit, reader):
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[bit // 8] ^= 1 << bit % 8
    copy = job.folder / "flipped" / path.name
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(damaged)
    process = job.run(*reader, copy, limit_s=600)
    if process.returncode not in (1, 2, 6):
        raise Failure(f"{reader} of {path} with bit {bit} flipped ended with {process.returncode}: "
                      f"{process.stdout}{process.stderr}")
    shutil.rmtree(copy.parent)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    add_budget(parser, "flips", 2000, "number of flipped bits")
    options = parser.parse_args()
    choose = random.Random(options.seed)
    end = time.monotonic() + options.seconds
    job = Job(options.command)
    job.run("run", job.job, "--shard", "1/2")
    shards = sorted(Path(str(job.output) + ".d").glob("*/*.h5"))
    kept = job.folder / "kept"
    kept.mkdir()
    files = [Path(shutil.copy(shard, kept / shard.name)) for shard in shards[:2]]
    job.finish()
    files.append(Path(shutil.copy(job.output, kept / "merged.h5")))
    done = 0
    try:
        while done < options.flips and time.monotonic() < end:
            path = files[done % len(files)]
            bits = 8 * path.stat().st_size
            check(job, path, choose.randrange(bits), READERS[done % len(READERS)])
            done += 1
    except Failure as failure:
        print(failure)
        return 1
    job.close()
    print(f"{done} flipped bits: 0 silent, 0 signals, 0 endless")
    return 0 if done > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
