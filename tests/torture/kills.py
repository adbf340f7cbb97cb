#!/usr/bin/env python3
"""Kills the real command at random instants: results that it printed as done are on disk, and a
resumed run completes the rest.

    kills.py KERNELBATCH [--kills N] [--seed S] [--seconds T]

The command is killed after a random number of results and up to 50 ms more, so that every stage of a run is hit
on slow and fast machines, including the merge at its end.
"""

import argparse
import random
import sys
import time

from harness import Failure, Job, acknowledged_in, add_budget


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    add_budget(parser, "kills", 200, "number of kills")
    options = parser.parse_args()
    choose = random.Random(options.seed)
    end = time.monotonic() + options.seconds
    kills = printed = jobs = 0
    while kills < options.kills and time.monotonic() < end:
        job = Job(options.command)
        jobs += 1
        acknowledged = {}
        try:
            for _ in range(8):
                left = 3 * job.cases - len(acknowledged)
                log, code = job.killed(choose.randint(0, left), choose.uniform(0, 0.05), "run", "--resume", job.job)
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
