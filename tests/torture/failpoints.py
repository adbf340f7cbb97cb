#!/usr/bin/env python3
"""Fails and kills a run at each step of persistence that has a failpoint (core/base/failpoint.hpp):
results that were printed as done are on disk, nothing is damaged, and a resumed run completes the rest. Needs
a build with KERNELBATCH_FAILPOINTS, such as the preset `dev`.

    failpoints.py KERNELBATCH [--each K] [--seconds T]
"""

import argparse
import collections
import sys
import time

from harness import Failure, Job, acknowledged_in, add_budget, check_exit


def reached(command):
    """The number of times a run reaches each failpoint."""
    job = Job(command)
    listed = job.folder / "failpoints"
    run_with(job, f"list:{listed}")
    counts = collections.Counter(listed.read_text().split()) if listed.exists() else {}
    job.close()
    return counts


def run_with(job, failpoint):
    """A task of an array, whose shards wait, and then the whole job, which merges twice."""
    environment = dict(job.environment, KERNELBATCH_FAILPOINT=failpoint)
    part = job.run("run", job.job, "--shard", "1/2")
    if part.returncode != 0:
        raise Failure(f"the first task ended with {part.returncode}: {part.stderr}")
    run = job.run("run", "--resume", job.job, environment=environment)
    return run, {**acknowledged_in(part.stderr), **acknowledged_in(run.stderr)}


def attempt(command, name, number, action):
    job = Job(command)
    try:
        run, acknowledged = run_with(job, f"{name}:{number}:{action}")
        if action == "kill" and run.returncode != -9:
            raise Failure(f"it was not killed, but ended with {run.returncode}: {run.stderr}")
        if action == "fail":
            check_exit(run)
        job.check(acknowledged)
        job.check_whole()
        job.finish()
    except Failure as failure:
        print(f"{name}, time {number}, {action}, in {job.folder}: {failure}")
        return False
    job.close()
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    add_budget(parser, "each", 3, "number of the times that a failpoint is reached, of each")
    options = parser.parse_args()
    counts = reached(options.command)
    if not counts:
        print("this build has no failpoints: configure with -DKERNELBATCH_FAILPOINTS=ON")
        return 77
    end = time.monotonic() + options.seconds
    done = failed = 0
    # First the first occurrence of each, then the last, then the others, so that a short run covers every name.
    for k in range(options.each):
        for name, count in sorted(counts.items()):
            number = [1, count, (count + 1) // 2, count // 3, 2][k % 5]
            if number < 1 or number > count or time.monotonic() > end:
                continue
            for action in ("fail", "kill"):
                done += 1
                failed += not attempt(options.command, name, number, action)
    for name, count in sorted(counts.items()):
        print(f"  {name}: reached {count} times")
    print(f"{len(counts)} failpoints, {done} failures and kills, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
