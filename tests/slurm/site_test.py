#!/usr/bin/env python3
"""submit and status on a real Slurm like those of many sites: no accounting, and limits of its own.

    tests/slurm/site_test.py KERNELBATCH SOURCE_FOLDER [TEST…]
"""
import json
import os
import re
import subprocess
import sys
import unittest

import cluster
from slurm_test import SlurmCase, main

WRONG = 'extern "C" __global__ void f(int* y, int n) { y[threadIdx.x] = n + 1 + threadIdx.x; }'


class SiteTest(SlurmCase):
    settings = {"AccountingStorageType": "accounting_storage/none", "MaxArraySize": 5, "MaxJobCount": 40,
                # Slurm itself ends jobs that use too much memory.
                "SelectTypeParameters": "CR_Core_Memory", "DefMemPerCPU": 450,
                "JobAcctGatherFrequency": 1, "JobAcctGatherParams": "OverMemoryKill"}

    def queued(self, *words, file=None):
        """The ID of a job of `submit`."""
        return re.search(r"submitted job (\d+)", self.kernelbatch("submit", file or self.free, *words))[1]

    def setUp(self):
        super().setUp()
        self.free = self.job("workload: copy\nparams: {n: [1000, 2000]}\nvariants: [reference, raw]\n", "free")

    def forget(self):
        """Slurm drops the records of jobs that have ended."""
        file = self.slurm.folder / "etc/slurm.conf"
        text = file.read_text()
        file.write_text(text.replace("MinJobAge=86400", "MinJobAge=2"))
        self.slurm.run("scontrol", "reconfigure")
        cluster.wait_until(lambda: not self.slurm.run("squeue", "-h", "-t", "all").stdout, "the records to go", 90)
        file.write_text(text)
        self.slurm.run("scontrol", "reconfigure")

    def start(self, name, file, *settings):
        """Submits a job with results of its own, and waits until it runs."""
        more = [word for setting in settings for word in ("-s", f"slurm.{setting}")]
        self.ids[name] = self.queued("-o", f"{name}.h5", *more, file=file)
        cluster.wait_until(lambda: (self.folder / f"{name}.h5.d").exists(), f"{name} to run", 60)

    def test_status_without_accounting(self):
        self.ids = {}
        gated = self.gated_job(0, 2, "slurm: {requeue: false, cpus: 1}\n")
        wrong = self.job("workload: inline\nparams: {n: 1}\noutputs: {y: {shape: [32], dtype: int32}}\n"
                         "variants: {raw: {kind: raw, entry: f, grid: 1, block: 32, args: [y, {scalar: n, dtype: int32}], "
                         f"source: '{WRONG}'}}}}\nreference: {{cpp: 'for (int k = 0; k < 32; ++k) y[k] = n + k;'}}\n", "wrong")
        self.start("TIMEOUT", gated, "nodelist=n1", "time=1h")
        # The limit is checked every 30 s.
        self.slurm.run("scontrol", "update", f"JobId={self.ids['TIMEOUT']}", "EndTime=now")
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
                "CANCELLED": r"CANCELLED .*\n +slurmstepd.*CANCELLED AT.*\n +CANCELLED: .*submit again",
                "TIMEOUT": r"TIMEOUT .* after .*\n +slurmstepd.*DUE TO TIME LIMIT.*\n +TIMEOUT: raise slurm\.time",
                "NODE_FAIL": r"NODE_FAIL .*\n +slurmstepd.*DUE TO NODE FAILURE.*\n +NODE_FAIL: submit again",
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
        for name, folder, code in (("FAILED", "wrong", 1), ("COMPLETED", "slow", 0)):
            file = self.folder / f"{folder}.logs/{self.ids[name]}.exit"
            if not file.exists():
                file.write_text(f"0 {code}\n")
        self.forget()
        for name, job in self.ids.items():
            state = json.loads(self.kernelbatch("status", "--json", f"{name}.h5", code=0 if name in ("FAILED", "COMPLETED") else 75))
            self.assertEqual([(task["id"], task["state"]) for task in state["slurm"]], [(job, name)])

    @unittest.skipUnless(os.geteuid() == 0, "needs a second user")
    def test_two_users_record_their_jobs(self):
        self.folder.chmod(0o777)
        self.queued("-o", "results/out.h5", "-s", "slurm.hold=true")
        command = [self.command, "submit", str(self.free), "-o", "results/out.h5", "-s", "slurm.hold=true"]
        environment = dict(self.slurm.environment, KERNELBATCH_CACHE_DIR=str(self.folder / "cache"), HOME=str(self.folder))

        def other():
            return subprocess.run(command, cwd=self.folder, env=environment, user="nobody", text=True,
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
        self.assertRegex(text, r"JobHeldUser\); user root\n[^$]*JobHeldUser\); user nobody\n")
        self.slurm.run("scancel", "--state=PENDING")


if __name__ == "__main__":
    main()
