#!/usr/bin/env python3
"""Kills the real command at random instants: what it printed as done is on disk, and a resumed run
completes the rest.

    kills.py KERNELBATCH [--kills N] [--seed S] [--seconds T]
"""

import argparse
import random
import sys
import time

from harness import Failure, Job, acknowledged_in


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600)
    options = parser.parse_args()
    choose = random.Random(options.seed)
    end = time.monotonic() + options.seconds
    kills = printed = jobs = 0
    # Long enough for a whole run, so that the merge at its end is hit as well.
    warm = Job(options.command)
    begin = time.monotonic()
    warm.finish()
    longest = 1.5 * (time.monotonic() - begin)
    warm.close()
    while kills < options.kills and time.monotonic() < end:
        job = Job(options.command)
        jobs += 1
        acknowledged = {}
        try:
            for _ in range(8):
                log, code = job.killed(choose.uniform(0.02, longest), "run", "--resume", job.job)
                acknowledged.update(acknowledged_in(log))
                kills += code == -9
                printed += len(acknowledged_in(log))
                job.check(acknowledged)
                job.check_whole()
                if code == 0:
                    break
            job.finish()
        except Failure as failure:
            print(f"job {jobs}, {kills} kills, in {job.folder}: {failure}")
            return 1
        job.close()
    print(f"{kills} kills in {jobs} jobs, {printed} results printed, 0 lost")
    return 0 if kills > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
