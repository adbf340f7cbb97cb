#!/usr/bin/env python3
"""submit and status on a real Slurm like those of many sites: no accounting, and limits of its own.

    tests/slurm/site_test.py KERNELBATCH SOURCE_FOLDER [TEST…]
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import cluster
from slurm_test import SlurmCase, main

WRONG = 'extern "C" __global__ void f(int* y, int n) { y[threadIdx.x] = n + 1 + threadIdx.x; }'


class SiteTest(SlurmCase):
    settings = {"AccountingStorageType": "accounting_storage/none", "MaxArraySize": 5, "MaxJobCount": 60,
                # Slurm itself ends jobs that use too much memory.
                "SelectTypeParameters": "CR_Core_Memory", "DefMemPerCPU": 450,
                "JobAcctGatherFrequency": 1, "JobAcctGatherParams": "OverMemoryKill"}

    def queued(self, *words, file=None):
        """The ID of a job of `submit`."""
        return re.search(r"submitted job (\d+)", self.kernelbatch("submit", file or self.free, *words))[1]

    def setUp(self):
        super().setUp()
        self.free = self.job("workload: copy\nparams: {n: [1000, 2000]}\nvariants: [reference, raw]\n", "free")

    def start(self, name, file, *settings):
        """Submits a job with results of its own, and waits until it runs."""
        more = [word for setting in settings for word in ("-s", f"slurm.{setting}")]
        self.ids[name] = self.queued("-o", f"{name}.h5", *more, file=file)
        cluster.wait_until(lambda: (self.folder / f"{name}.h5.d").exists(), f"{name} to run", 60)

    def fill_queue(self):
        """Leaves room for three more jobs: Slurm keeps one less than MaxJobCount."""
        kept = len(self.slurm.run("squeue", "-h", "-a", "-r", "-t", "all", "-o", "%i").stdout.split())
        free = self.settings["MaxJobCount"] - 1 - kept - 3
        sizes = [5] * (free // 5) + ([free % 5] if free % 5 else [])
        for size in sizes:
            self.slurm.run("scancel", self.sbatch("--hold", f"--array=0-{size - 1}", "--wrap", "true"))

    def test_status_without_accounting(self):
        self.ids = {}
        gated = self.gated_job(0, 2, "slurm: {requeue: false, cpus: 1}\n")
        wrong = self.job("workload: inline\nparams: {n: 1}\noutputs: {y: {shape: [32], dtype: int32}}\n"
                         "variants: {raw: {kind: raw, entry: f, grid: 1, block: 32, args: [y, {scalar: n, dtype: int32}], "
                         f"source: '{WRONG}'}}}}\nreference: {{cpp: 'for (int k = 0; k < 32; ++k) y[k] = n + k;'}}\n", "wrong")
        self.start("TIMEOUT", gated, "nodelist=n1", "time=1h")
        # The limit is checked every 30 s. A time that has passed when Slurm reads it is refused.
        cluster.wait_until(lambda: self.slurm.run("scontrol", "update", f"JobId={self.ids['TIMEOUT']}", "EndTime=now+1",
                                                  check=False).returncode == 0, "Slurm to take an end of the job", 60)
        early = self.kernelbatch("status", "TIMEOUT.h5", code=75)
        self.assertIn("done       0 of 2 cases", early)
        self.assertRegex(early, rf"Slurm {self.ids['TIMEOUT']}  1 running; user {cluster.user()}")
        self.start("CANCELLED", gated, "nodelist=n1")
        self.start("NODE_FAIL", gated, "nodelist=n2")
        self.slurm.run("scancel", self.ids["CANCELLED"])
        self.slurm.run("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=test")
        self.ids["FAILED"] = self.queued("-o", "FAILED.h5", "-s", "slurm.nodelist=n1", file=wrong)
        self.ids["OUT_OF_MEMORY"] = self.queued("-o", "OUT_OF_MEMORY.h5", "-s", "slurm.nodelist=n1", "-s", "slurm.mem=1M",
                                                file=gated)
        self.wait(self.ids["CANCELLED"])
        self.ids["never"] = self.queued("-o", "never.h5", "-s", f"slurm.dependency=afterok:{self.ids['CANCELLED']}",
                                        file=gated)
        self.status_with(rf"1 pending \(DependencyNeverSatisfied\).*\n +DependencyNeverSatisfied: .*`scancel "
                         rf"{self.ids['never']}`", file="never.h5", code=75)
        for name, pattern in {
                "CANCELLED": r"CANCELLED .*\n +(slurmstepd.*CANCELLED AT|kernelbatch: ).*\n +CANCELLED: .*submit again",
                "TIMEOUT": r"TIMEOUT .* after .*\n +(slurmstepd.*DUE TO TIME LIMIT|kernelbatch: ).*\n +TIMEOUT: raise slurm\.time",
                "NODE_FAIL": r"NODE_FAIL .*\n +(slurmstepd.*DUE TO NODE FAILURE|kernelbatch: ).*\n +NODE_FAIL: submit again",
                "FAILED": r"FAILED 1:0 after .*\n( +kernelbatch: .*\n)? +FAILED 1:0: a result is wrong",
                "OUT_OF_MEMORY": r"OUT_OF_MEMORY .*\n +slurmstepd.*memory limit.*\n +OUT_OF_MEMORY: raise slurm\.mem"}.items():
            self.wait(self.ids[name])
            text = self.kernelbatch("status", f"{name}.h5", code=0 if name == "FAILED" else 75)
            print("\n" + text[text.index("  Slurm"):], end="", file=sys.stderr)
            self.assertRegex(text, pattern)
        self.slurm.run("scontrol", "update", "NodeName=n2", "State=RESUME", check=False)
        self.slurm.run("scancel", self.ids.pop("never"))
        self.let_go()
        self.ids["COMPLETED"] = self.queued("-o", "COMPLETED.h5", file=gated)
        text = self.kernelbatch("status", "COMPLETED.h5", "--watch", "--interval", "0")
        self.assertIn("done       2 of 2 cases", text.rsplit("COMPLETED.h5: job", 1)[1])
        self.wait(self.ids["COMPLETED"])
        self.fill_queue()
        script = self.kernelbatch("submit", self.free, "-o", "full.h5", "-p", "n=1,2,3,4,5,6", "-s", "slurm.time=2s", "--dry-run")
        self.assertIn("#SBATCH --array=0-2\n", script)
        self.slurm.forget_jobs()
        for name, job in self.ids.items():
            state = json.loads(self.kernelbatch("status", "--json", f"{name}.h5", code=0 if name in ("FAILED", "COMPLETED") else 75))
            self.assertEqual([(task["id"], task["state"]) for task in state["slurm"]], [(job, name)])

    def test_an_array_cancelled_before_it_starts_is_cancelled(self):
        array = self.queued("-o", "out.h5", "-s", "slurm.array=2", "-s", "slurm.begin=now+1hour")
        self.slurm.run("scancel", "-u", cluster.user())
        self.status_with(rf"Slurm {array}  2 cancelled; user", code=75)

    def refused(self, *settings, file=None):
        """The message about a job with these settings."""
        words = [word for setting in settings for word in ("-s", f"slurm.{setting}")]
        return self.kernelbatch("submit", file or self.free, "-o", "refused.h5", *words, code=2)

    def test_only_what_is_missing_is_submitted_and_only_once(self):
        file = self.gated_job(1, 8)
        array = self.queued("-o", "out.h5", "-s", "slurm.array=auto", "-s", "slurm.time=2s", file=file)
        # Eight cases; MaxArraySize is 5.
        self.assertEqual(len(self.states(array)), 5)
        text = self.kernelbatch("submit", file, "-o", "out.h5", code=2)
        self.assertRegex(text, rf"Slurm jobs? {array}[, \d]* of user {cluster.user()} will write .*scancel {array}[ \d]*`.*--again")
        again = self.queued("-o", "out.h5", "--again", "-s", "slurm.array=1", "-s", "slurm.hold=true", file=file)
        self.slurm.run("scancel", again)
        cluster.wait_until(lambda: len(list(self.folder.glob("out.h5.d/**/*.h5"))) >= 1, "a case", 60)
        self.slurm.run("scancel", "-u", cluster.user())
        cluster.wait_until(lambda: not self.slurm.run("squeue", "-h").stdout, "the tasks to end", 60)
        script = self.kernelbatch("submit", file, "-o", "out.h5", "-s", "slurm.array=5", "--dry-run")
        self.assertRegex(script, "# Written by .*: 7 cases in 5 tasks")
        self.let_go()
        self.kernelbatch("run", file, "-o", "out.h5", "--resume", "-q")
        self.assertIn("nothing to submit: all 8 cases", self.kernelbatch("submit", file, "-o", "out.h5"))

    def test_limits_of_the_site_are_explained(self):
        sweep = pathlib.Path(self.source) / "jobs/sweep.yaml"
        script = self.kernelbatch("submit", sweep, "-s", "slurm.gpus=1", "-s", "slurm.array=4", "-s", "slurm.time=30min",
                                  "--dry-run")
        for line in ("32 cases in 4 tasks", "#SBATCH --array=0-3\n", "#SBATCH --time=00:30:00\n", "#SBATCH --gpus=1\n"):
            self.assertIn(line, script)
        self.assertRegex(self.refused("array=8", file=sweep), r"takes 5 tasks now \(MaxArraySize 5, .*`array: 5` or `auto`")
        self.slurm.run("scontrol", "update", "PartitionName=low", "MaxTime=60")
        for settings, pattern in {
                ("gpus=h10:1",): r"the cluster has no GPU of type 'h10' \(did you mean 'h100'\?\)",
                ("gpus=1g.10gb",): r"needs a count: '1g\.10gb:1'",
                ("gres=gpu:3g.10gb:1",): r"did you mean '2g\.10gb'",
                ("partition=man",): r"slurm\.partition: .*did you mean 'main'",
                ("segment=4",): r"slurm\.segment: this version .*24\.05 or newer",
                ("licenses=nothing",): r"slurm\.licenses: use one of `scontrol show licenses`",
                ("exclusive=foo",): r"slurm\.exclusive: whole nodes",
                ("mem=900G",): r"slurm\.mem: request less",
                ("gpus=h100:9",): r"no node has the requested GPUs",
        }.items():
            with self.subTest(settings):
                self.assertRegex(self.refused(*settings), pattern)
        self.assertEqual(self.slurm.run("squeue", "-h").stdout, "")
        text = self.kernelbatch("submit", self.free, "-o", "late.h5", "-s", "slurm.partition=low", "-s", "slurm.time=2h")
        self.assertRegex(text, r"slurm\.time 2h is above the limit 01:00:00 of partition low, .*slurm\.partition: main")
        self.status_with(r"PartitionTimeLimit: slurm\.time is above the partition's limit", file="late.h5", code=75)
        self.slurm.run("scancel", "--state=PENDING", "-u", cluster.user())

    @unittest.skipUnless(cluster.JOB_SUBMIT, "Slurm is without job_submit/lua")
    def test_rules_of_the_site_are_explained(self):
        self.assertRegex(self.refused("account=time-only"), r"specify --time\n(.*\n)* +slurm\.time: .*add it, such as `time: 1h`")
        self.assertRegex(self.refused("account=gpu-only"), r"slurm\.gpus: .*add it, such as `gpus: \"h100:1\"`")
        self.slurm.run("scancel", self.queued("-o", "a.h5", "-s", "slurm.account=time-only", "-s", "slurm.time=1h"))

    @unittest.skipUnless(os.geteuid() == 0, "needs a second user")
    def test_two_users_record_their_jobs(self):
        if subprocess.run(["test", "-x", self.command], user="daemon", check=False).returncode != 0:
            self.skipTest("the second user cannot enter the build folder")
        self.folder.chmod(0o777)
        self.queued("-o", "results/out.h5", "-s", "slurm.hold=true")
        command = [self.command, "submit", str(self.free), "-o", "results/out.h5", "-s", "slurm.hold=true", "--again"]
        environment = dict(self.slurm.environment, KERNELBATCH_CACHE_DIR=str(self.folder / "cache"), HOME=str(self.folder))

        def other():
            return subprocess.run(command, cwd=self.folder, env=environment, user="daemon", text=True,
                                  capture_output=True, check=False)
        refused = other()
        self.assertEqual(refused.returncode, 6, refused.stdout + refused.stderr)
        self.assertRegex(refused.stderr, "results")
        for path in (self.folder / "results", self.folder / "results/free.logs"):
            path.chmod(0o777)
        refused = other()
        self.assertRegex(refused.stderr, r"out\.h5\.slurm' lists .* belongs to root: .*-o FILE, or ask root for `chmod a\+w`")
        (self.folder / "results/out.h5.slurm").chmod(0o666)
        done = other()
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.kernelbatch("status", "results/out.h5", code=75)
        self.assertRegex(text, r"JobHeldUser\); user root\n[^$]*JobHeldUser\); user daemon\n")
        self.slurm.run("scancel", "--state=PENDING")


if __name__ == "__main__":
    main()
