#!/usr/bin/env python3
"""kernelbatch inside a real Slurm: submitted, sharded, stopped, requeued, killed, resumed, merged.

    tests/slurm/slurm_test.py KERNELBATCH SOURCE_FOLDER [TEST…]

The host device does the work. KERNELBATCH_TEST_FULL=1 adds what takes minutes: a job over several time
limits, and the sizes that the short tests cut down.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import cluster  # noqa: E402

try:
    import h5py
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

IS_FULL = "KERNELBATCH_TEST_FULL" in os.environ
LONG_SAMPLES = 1500  # about five seconds of a case
# Of the gates in kernels and references.
WAITING = 'extern "C" int access(const char*, int); extern "C" int usleep(unsigned);'
FINISHED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE")


class SlurmCase(unittest.TestCase):
    """Starts a Slurm for its tests, and helps them."""
    slurm = None
    command = source = None
    settings = {}  # of slurm.conf

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="kernelbatch-slurm-"))
        cls.home.chmod(0o755)  # munge wants every folder above its socket to be open
        cls.slurm = cluster.Cluster(cls.home / "cluster", **cls.settings)
        cls.slurm.environment["KERNELBATCH_DATA_DIR"] = f"{cls.source}/data"
        cls.slurm.environment["KERNELBATCH"] = cls.command
        # Kernels and references wait for a file.
        cls.slurm.environment["KERNELBATCH_NO_SANDBOX"] = "1"
        cls.slurm.start()

    @classmethod
    def tearDownClass(cls):
        cls.slurm.stop()
        shutil.rmtree(cls.home, ignore_errors=True)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.home))

    # ------------------------------------------------------------------ helpers
    def kernelbatch(self, *words, code=0, **more):
        done = self.slurm.run(self.command, *words, check=False, cwd=self.folder, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def job(self, text, name="job",
            measure="measure: {preset: quick, hot: false, calibrate: false, stop: {min_samples: 2, max_samples: 2}}\n"):
        file = self.folder / f"{name}.yaml"
        file.write_text(f"kernelbatch: 1\nname: {name}\ndevice: host\n{measure}{text}")
        return file

    def status_with(self, pattern, code=0, file="out.h5"):
        """The status of a file, once Slurm, whose accounting lags, has what `pattern` describes."""
        texts = []

        def has_it():
            texts.append(self.kernelbatch("status", file, code=code))
            return re.search(pattern, texts[-1])
        cluster.wait_until(has_it, f"{pattern} in the status")
        return texts[-1]

    def sbatch(self, *words, folder=None):
        return self.slurm.run("sbatch", "--parsable", *words, cwd=folder or self.folder).stdout.strip().split(";")[0]

    def states(self, job):
        """State of every task of a job, by the controller."""
        listed = self.slurm.run("squeue", "-h", "-a", "-r", "-t", "all", "-j", job, "-o", "%i %T", check=False).stdout
        return dict(line.split() for line in listed.splitlines())

    def wait(self, job, seconds=120):
        """Waits until all of a job's tasks have ended; returns their states."""
        def has_ended():
            states = self.states(job)
            return states and all(state in FINISHED for state in states.values())
        cluster.wait_until(has_ended, f"job {job}: {self.states(job)}", seconds)
        return self.states(job)

    def submit(self, file, *words):
        """Submits with kernelbatch; returns the IDs of the array and of the merge job ("" if there is none)."""
        output = self.kernelbatch("submit", file, *words)
        ids = re.findall(r"submitted job (\d+)", output)
        return ids[0], ids[1] if len(ids) > 1 else ""

    @staticmethod
    def text(value):
        return value.decode() if isinstance(value, bytes) else str(value)

    def results(self, file):
        """(case, variant) → status and the hashes of its outputs, from a merged file."""
        found = {}
        with h5py.File(file, locking=False) as data:
            cases = data["cases"]
            for case, variant, status in zip(cases["case_id"], cases["variant"], cases["status"]):
                key = (self.text(case), self.text(variant))
                self.assertNotIn(key, found, "a result stands twice")
                found[key] = self.text(status)
            outputs = {}
            data["outputs"].visititems(
                lambda name, item: outputs.update({name: item[()].tobytes()})
                if isinstance(item, h5py.Dataset) and item.parent.name.count("/") == 3 else None) \
                if "outputs" in data else None
        return found, outputs

    def environment_of(self, file):
        """The environments' rows of a merged file, as a dictionary of lists."""
        with h5py.File(file, locking=False) as data:
            return {name: [self.text(value) for value in column[()]]
                    for name, column in data["environments"].items()}

    def gate(self, condition):
        """Statements that wait for let_go() if the condition is true, so that no test has to act within a time."""
        return f'while (({condition}) && access("{self.folder}/go", 0) != 0) usleep(20000);'

    def let_go(self):
        (self.folder / "go").touch()

    def gated_job(self, free, cases, more="", samples=2, name="slow"):
        """A job whose cases, all but the first `free` ones, wait for let_go()."""
        numbers = ", ".join(str(n) for n in range(cases))
        kernel = 'extern "C" __global__ void f(int* y, int n) { y[threadIdx.x] = n + threadIdx.x; }'
        return self.job(
            f"workload: inline\nparams: {{n: [{numbers}]}}\noutputs: {{y: {{shape: [32], dtype: int32}}}}\n"
            f"variants: {{raw: {{kind: raw, source: '{kernel}', entry: f, grid: 1, block: 32, "
            "args: [y, {scalar: n, dtype: int32}]}}\n"
            f"reference:\n  preamble: |\n    {WAITING}\n  cpp: |\n    {self.gate(f'n >= {free}')}\n"
            "    for (int k = 0; k < 32; ++k) y[k] = n + k;\n"
            "limits: {timeout: 10h}\n" + more,
            name, f"measure: {{preset: quick, hot: false, calibrate: false, stop: {{noise: 0.0001%, "
            f"min_samples: {samples}, max_samples: {samples}, timeout: 100h}}}}\n")


class SlurmTest(SlurmCase):
    def test_a_setting_is_one_value_for_sbatch_and_nothing_else(self):
        comment = "my long run # with 'quotes' \"and\" back\\slash --hold"
        quoted = comment.replace("\\", "\\\\").replace('"', '\\"')
        job = self.job("workload: mse\nparams: {n: 1000}\n"
                       f'slurm: {{comment: "{quoted}", job_name: "other # name", begin: "now+1hour", exclusive: true, nice: 5, '
                       "mem_per_cpu: 10M, contiguous: true, hold: false}\n")
        script = self.folder / "script"
        script.write_text(self.kernelbatch("submit", job, "--dry-run"))
        number = self.sbatch(script)
        shown = self.slurm.run("scontrol", "show", "job", number).stdout
        self.slurm.run("scancel", number)
        self.assertIn(f"Comment={comment}", shown)
        self.assertIn("JobName=other # name\n", shown)
        self.assertIn("Reason=BeginTime", shown)
        for setting in ("Nice=5", "OverSubscribe=NO", "MinMemoryCPU=10M", "Contiguous=1"):
            self.assertIn(setting, shown)

    def test_array_gives_what_a_single_run_gives(self):
        if IS_FULL:
            file = pathlib.Path(self.source) / "jobs/sweep.yaml"
            more = ["--device", "host", "-s", "output.arrays=all"]
            tasks = ["-s", "slurm.array=6%4"]
        else:
            file = self.job("workload: copy\nparams: {n: [1e3, 2e3, 3e3, 4e3, 5e3], dtype: [float32, float64]}\n")
            more, tasks = [], ["-s", "slurm.array=4"]
        array, _ = self.submit(file, "-o", "array.h5", *more, *tasks)
        states = self.wait(array, 900)
        self.assertEqual(set(states.values()), {"COMPLETED"})
        self.assertEqual(len(states), 6 if IS_FULL else 4)
        self.kernelbatch("run", file, "-o", "single.h5", "-q", *more)
        array_results, array_outputs = self.results(self.folder / "array.h5")
        single_results, single_outputs = self.results(self.folder / "single.h5")
        self.assertEqual(array_results, single_results)
        self.assertGreater(len(single_outputs), 0)
        self.assertEqual(array_outputs, single_outputs)
        self.assertFalse((self.folder / "array.h5.d").exists())

    def test_tasks_share_a_search_whatever_becomes_of_some(self):
        tasks, budget = 4, 24
        # A sixth of the combinations wait, so that every task is soon in the middle of one.
        kernel = (f'{WAITING} extern "C" __global__ void f(int* y, int work, int shift) {{ {self.gate("shift > 10")} '
                  "unsigned a = shift; for (int k = 0; k < work; ++k) a = a * 1664525u + 1013904223u; y[threadIdx.x] = 1 + (a == 7u); }")
        file = self.job(
            "workload: inline\nparams: {n: 32}\n"
            f"tune: {{params: {{work: [1000, 2000, 4000, 6000], shift: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}}, "
            f"search: random, racing: false, budget: {budget}}}\n"
            "outputs: {y: {shape: [n], dtype: int32}}\n"
            f"variants: {{raw: {{kind: raw, source: '{kernel}', entry: f, grid: 1, block: 32, "
            "args: [y, {scalar: work, dtype: int32}, {scalar: shift, dtype: int32}]}}\n"
            'reference: {cpp: "for (long long i = 0; i < y.size(); ++i) y[i] = 1;"}\n'
            "slurm: {requeue: true, cpus: 1}\n", name="search")
        array, _ = self.submit(file, "-o", "out.h5", "-s", f"slurm.array={tasks}")
        shards = self.folder / "out.h5.d"
        cluster.wait_until(lambda: len(list(shards.rglob("*.h5"))) >= 1, "the first try", 120)
        running = sorted(task for task, state in self.states(array).items() if state == "RUNNING")
        self.slurm.run("scancel", "-s", "KILL", running[0], check=False)
        if len(running) > 1:
            self.slurm.run("scontrol", "requeue", running[1], check=False)
        self.let_go()
        self.wait(array, 600)
        results, _ = self.results(self.folder / "out.h5")
        tries = [status for (_, variant), status in results.items() if variant == "raw"]
        self.assertEqual(set(tries), {"ok"})
        self.assertGreaterEqual(len(tries), budget)
        self.assertLess(len(tries), budget + tasks)  # at its end each may be at one
        state = json.loads(self.kernelbatch("status", "out.h5", "--json"))
        self.assertTrue(state["searches"][0]["done"])
        with h5py.File(self.folder / "out.h5", locking=False) as data:
            hosts = collections.Counter(data["cases"]["run"][()].tolist())
        self.assertGreaterEqual(len(hosts), 3, "the tries of one task")
        print(f"\n{len(tries)} tries for a budget of {budget}, by {len(hosts)} runs of {tasks} tasks, one of them killed, one requeued",
              file=sys.stderr)

    def tasks_by_node(self, array):
        listed = self.slurm.run("squeue", "-h", "-r", "-j", array, "-t", "R", "-o", "%N %i").stdout
        found = collections.defaultdict(list)
        for node, task in sorted(line.split() for line in listed.splitlines()):
            found[node].append(task)
        return found

    def test_an_array_survives_what_happens_to_tasks_and_nodes(self):
        tasks, cases = 8, 24
        # Two tasks on each of three nodes; two wait for a place.
        file = self.gated_job(2, cases, "slurm: {requeue: true, cpus: 3, time: 1h, array: 8, mail_type: END, "
                              "mail_user: ann}\n", name="storm")
        array, _ = self.submit(file, "-o", "out.h5")
        claims = self.folder / "out.h5.d"
        cluster.wait_until(lambda: len(list(claims.glob(".claims-*/*.alive"))) == 6 and
                           len(list(claims.glob("*/*.h5"))) == 2, "six tasks and two cases", 60)
        on = self.tasks_by_node(array)
        self.assertEqual({node: len(running) for node, running in on.items()}, {"n1": 2, "n2": 2, "n3": 2})
        (requeued, cancelled), (expired, killed), lost = on["n1"], on["n2"], on["n3"]
        self.slurm.run("scontrol", "update", f"JobId={expired}", "EndTime=now+1minute")  # checked every 30 s
        self.slurm.run("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=test")
        self.slurm.run("scontrol", "requeue", requeued)
        self.slurm.run("scancel", cancelled)
        self.slurm.run("scancel", "-s", "KILL", killed)
        self.slurm.kill_node("n3")
        cluster.wait_until(lambda: self.states(array)[expired] == "PENDING", "the time limit", 90)
        self.let_go()

        def is_over():
            # A task that was starting on a lost node comes back held.
            waiting = self.slurm.run("squeue", "-h", "-r", "-j", array, "-t", "PD", "-o", "%i %r", check=False).stdout
            for task, reason in (line.split(" ", 1) for line in waiting.splitlines()):
                if "held" in reason:
                    self.slurm.run("scontrol", "release", task, check=False)
            return not waiting and all(state in FINISHED for state in self.states(array).values())
        cluster.wait_until(is_over, f"array {array}", 600)
        self.slurm.start_node("n3")
        for node in ("n2", "n3"):
            self.slurm.run("scontrol", "update", f"NodeName={node}", "State=RESUME", check=False)
        cluster.wait_until(lambda: len(self.slurm.idle_nodes()) == 3, "the nodes to be idle")
        ended = collections.Counter(self.states(array).values())
        self.assertEqual(ended, {"CANCELLED": 2, "COMPLETED": tasks - 2})
        # Others have taken over what the dead tasks had claimed; the last one merged.
        results, _ = self.results(self.folder / "out.h5")
        self.assertEqual((len(results), set(results.values())), (2 * cases, {"ok"}))
        self.assertFalse(claims.exists())
        exits = [(self.folder / f"storm.logs/{task}.exit").read_text() for task in (requeued, expired, *lost)]
        self.assertEqual(exits, ["0 75\n1 0\n", "0 75\n1 0\n", "1 0\n", "1 0\n"])
        text = self.status_with(rf"Slurm {array}  2 cancelled, 6 completed(.*\n)+.*NODE_FAIL")
        for task, why in {requeued: "REQUEUED", expired: "REQUEUED", lost[0]: "NODE_FAIL", lost[1]: "NODE_FAIL"}.items():
            self.assertRegex(text, rf"{task}  COMPLETED .*; begun again 1 time: {why}")
        print("\n" + text[text.index("  Slurm"):], end="", file=sys.stderr)
        # One mail for the array, after the merge.
        cluster.wait_until(self.slurm.mails, "the mail")
        (words, files), = self.slurm.mails()
        self.assertRegex(words, rf"^-s Slurm Array Summary Job_id={array}_\* .* Ended, Mixed, .* ann$")
        self.assertIn("out.h5", files.split())
        self.assertNotIn("out.h5.d", files.split())

    def test_a_signalled_job_is_requeued_and_goes_on(self):
        file = self.gated_job(2, 8, "slurm: {requeue: true}\n")
        job, _ = self.submit(file, "-o", "out.h5")
        cluster.wait_until(lambda: len(list(self.folder.glob("out.h5.d/*/*.h5"))) >= 2, "two cases", 60)
        self.slurm.run("scancel", "-b", "-s", "USR1", job)
        cluster.wait_until(lambda: self.states(job).get(job) == "PENDING", "the requeue", 30)
        self.let_go()
        self.assertEqual(set(self.wait(job).values()), {"COMPLETED"})
        log = next(self.folder.glob("slow.logs/*.log")).read_text()
        self.assertRegex(log, r"\d+ of 16 results are from earlier runs")
        self.assertIn("Stopped early", log)
        self.assertEqual(len(self.results(self.folder / "out.h5")[0]), 16)
        counts = self.environment_of(self.folder / "out.h5")["slurm_restart_count"]
        self.assertEqual(set(counts), {"", "1"})

    def test_restarts_without_a_new_result_end(self):
        file = self.gated_job(0, 1, "slurm: {requeue: true, time: 2min}\n")
        job, _ = self.submit(file, "-o", "out.h5")
        lock = self.folder / "out.h5.d/0/.run.lock"
        for run in range(3):
            cluster.wait_until(lambda: self.states(job).get(job) == "RUNNING" and lock.exists(), f"run {run}", 60)
            self.slurm.run("scancel", "-b", "-s", "USR1", job)
            cluster.wait_until(lambda: not lock.exists(), f"the end of run {run}", 60)
        self.assertEqual(set(self.wait(job).values()), {"FAILED"})
        log = (self.folder / f"slow.logs/{job}.log").read_text()
        # The variant is named if it had begun.
        stopped = r"no new result: slow n=0(?:, variant \w+)?: stopped "
        self.assertEqual(len(re.findall(rf"kernelbatch: {stopped}after", log)), 3, log)
        self.assertRegex(log, rf"not requeued, two restarts gave {stopped}"
                              r"after \S+ .*without a result; the case is estimated to take .*Raise slurm.time to more than")
        self.let_go()
        job, _ = self.submit(file, "-o", "out.h5")
        self.assertEqual(set(self.wait(job).values()), {"COMPLETED"})

    def test_a_cancelled_job_is_not_requeued(self):
        file = self.gated_job(1, 3, "slurm: {requeue: true}\n")
        job, _ = self.submit(file, "-o", "out.h5")
        cluster.wait_until(lambda: len(list(self.folder.glob("out.h5.d/*/*.h5"))) >= 1, "a case", 60)
        self.slurm.run("scancel", job)
        self.assertEqual(set(self.wait(job).values()), {"CANCELLED"})
        time.sleep(2)
        self.assertEqual(set(self.states(job).values()), {"CANCELLED"})
        self.assertGreaterEqual(len(self.results(self.folder / "out.h5")[0]), 2)

    @unittest.skipUnless(IS_FULL, "takes five minutes: KERNELBATCH_TEST_FULL=1")
    def test_a_job_longer_than_its_limit_finishes_over_restarts(self):
        file = self.gated_job(36, 36, "slurm: {requeue: true, time: 1min, array: 2}\n", samples=LONG_SAMPLES)
        job, _ = self.submit(file, "-o", "out.h5")
        self.assertEqual(set(self.wait(job, 900).values()), {"COMPLETED"})
        log = "".join(file.read_text() for file in sorted(self.folder.glob("slow.logs/*_*.log")))
        print("\n" + "\n".join(line for line in log.splitlines() if not line.startswith(("  ", "slow", "["))),
              file=sys.stderr)
        environments = self.environment_of(self.folder / "out.h5")
        restarts = sorted({int(count or 0) for count in environments["slurm_restart_count"]})
        print(f"restart counts seen: {restarts}", file=sys.stderr)
        self.assertGreater(max(restarts), 2)
        self.assertEqual(len(self.results(self.folder / "out.h5")[0]), 72)
        # No case was finished twice: its last result is reported once. Only the case that was running when
        # the time was up, of which nothing was stored, is repeated.
        finished = re.findall(r"slow (n=\d+) raw: ok", log)
        self.assertEqual(len(finished), len(set(finished)))
        self.assertEqual(len(finished), 36)

    def test_what_an_allocation_grants_is_seen_and_recorded(self):
        file = self.job("workload: copy\nparams: {n: 1000}\nvariants: [reference, raw]\n")
        requests = {
            "slice": (["--gpus=2g.10gb:1"], r"MIG-c100000\d-0001-000[23]-8000-00000000000[23]"),
            "two": (["--gres=gpu:h100:2"], r"0,1"),
            "none": ([], r""),
        }
        for name, (words, visible) in requests.items():
            with self.subTest(name):
                output = self.folder / f"{name}.h5"
                job = self.sbatch(*words, "-o", self.folder / f"{name}.log", "--wrap",
                                  f"{self.command} run {file} -o {output}")
                self.assertEqual(set(self.wait(job).values()), {"COMPLETED"})
                row = {key: values[0] for key, values in self.environment_of(output).items()}
                self.assertEqual(row["slurm_job_id"], job)
                self.assertRegex(row["slurm_node"], "n[12]")
                self.assertRegex(row["cuda_visible_devices"], f"^{visible}$")
                self.assertEqual(row["slurm_gpus"] != "", name != "none")

    def test_automatic_choice_needs_the_gpu_that_was_granted(self):
        file = self.job("workload: copy\nparams: {n: 1000}\nvariants: [reference, raw]\n")
        file.write_text(file.read_text().replace("device: host\n", ""))
        job = self.sbatch("--gres=gpu:2g.10gb:1", "-o", self.folder / "log", "--wrap", f"{self.command} run {file}")
        self.assertEqual(set(self.wait(job).values()), {"FAILED"})
        log = (self.folder / "log").read_text()
        self.assertRegex(log, r"Slurm granted GPU [23] \(CUDA_VISIBLE_DEVICES=MIG-.*\), but it cannot be used: ")
        def exit_code():
            return self.slurm.run("sacct", "-n", "-X", "-j", job, "-o", "ExitCode").stdout.strip()
        cluster.wait_until(lambda: exit_code() == "4:0", f"the exit code of {job} in the accounting: {exit_code()}")
        job = self.sbatch("-o", self.folder / "host.log", "--wrap", f"{self.command} run {file} -o host.h5")
        self.assertEqual(set(self.wait(job).values()), {"COMPLETED"})
        self.assertIn("was granted no GPU; running on the host", (self.folder / "host.log").read_text())
        job = self.sbatch("--gres=gpu:h100:1", "-o", self.folder / "gone.log", "--wrap",
                          f"{self.command} run {file} --device MIG-c1000009-0001-0002-8000-000000000009")
        self.assertEqual(set(self.wait(job).values()), {"FAILED"})
        self.assertIn("MIG-c1000009", (self.folder / "gone.log").read_text())

    def test_ranks_of_a_step_share_the_cases(self):
        file = self.job("workload: copy\nparams: {n: [1000, 2000, 3000, 4000, 5000]}\nvariants: [reference, raw]\n")
        job = self.sbatch("--ntasks=3", "-o", self.folder / "log", "--wrap",
                          f"srun {self.command} run {file} -o out.h5 -q && {self.command} merge out.h5")
        self.assertEqual(set(self.wait(job).values()), {"COMPLETED"}, (self.folder / "log"))
        self.assertEqual(len(self.results(self.folder / "out.h5")[0]), 10)
        steps = set(self.environment_of(self.folder / "out.h5")["slurm_step_id"])
        self.assertEqual(steps, {"0"})

    def test_nodes_and_ranks_of_a_job_share_the_cases(self):
        jobs = {"nodes": ("nodes: 2", 2), "ranks": ("ntasks: 3", 3), "gpus": ('gpus: "h100:3"', 2)}
        ids = {}
        for name, (key, _) in jobs.items():
            file = self.gated_job(0, 8, f"slurm: {{{key}, cpus: 1}}\n", name=name)
            ids[name] = self.submit(file, "-o", f"{name}.h5")[0]
        for name, (_, processes) in jobs.items():
            lives = self.folder / f"{name}.h5.d"
            cluster.wait_until(lambda: len(list(lives.glob(".claims-*/*.alive"))) == processes and
                               len(list(lives.glob(".claims-*/*/*.1"))) == processes, f"{name}: {processes} processes", 60)
        self.let_go()
        for name, (_, processes) in jobs.items():
            with self.subTest(name):
                log = self.folder / f"{name}.logs/{ids[name]}.log"
                self.assertEqual(set(self.wait(ids[name]).values()), {"COMPLETED"}, log.read_text())
                results, _ = self.results(self.folder / f"{name}.h5")
                self.assertEqual(len(results), 16)
                nodes = set(self.environment_of(self.folder / f"{name}.h5")["slurm_node"])
                self.assertEqual(nodes, {"n1", "n2"} if name != "ranks" else nodes)
                self.assertEqual((self.folder / f"{name}.logs/{ids[name]}.exit").read_text(), "0 0\n")

    def test_a_merge_lists_missing_cases(self):
        file = self.gated_job(1, 2, "slurm: {requeue: false, cpus: 1, array: 2, merge: {job: {comment: joins}}}\n")
        array, merge = self.submit(file, "-o", "out.h5")
        cluster.wait_until(lambda: list(self.folder.glob("out.h5.d/*/*.h5")), "a case", 60)
        self.assertIn("Comment=joins", self.slurm.run("scontrol", "show", "job", merge).stdout)
        self.slurm.run("scancel", array)
        self.wait(array)
        self.assertEqual(set(self.wait(merge).values()), {"FAILED"})
        log = (self.folder / f"slow.logs/merge-{merge}.log").read_text()
        self.assertRegex(log, r"missing +1 case\n.* slow  n=1: ")

    def test_templates_run_as_they_are(self):
        templates = sorted((pathlib.Path(self.source) / "slurm").glob("*.sbatch"))
        self.assertEqual(len(templates), 7)
        shellcheck = shutil.which("shellcheck")
        self.assertIsNotNone(shellcheck, "shellcheck is not installed")
        subprocess.run([shellcheck, *templates], check=True)
        # Each one's job is long on the host: a small one replaces it.
        file = self.job("workload: copy\nparams: {n: [1000, 2000, 3000, 4000]}\nvariants: [reference, raw]\n")
        jobs = {}
        for template in templates:
            (self.folder / template.stem).mkdir()
            jobs[template.stem] = self.sbatch(template, file, folder=self.folder / template.stem)
        for name, job in jobs.items():
            with self.subTest(name):
                states = set(self.wait(job).values())
                log = "".join(log.read_text() for log in (self.folder / name).glob(f"*{job}*"))
                self.assertEqual(states, {"COMPLETED"}, log)
                self.assertTrue(list((self.folder / name).glob("results/**/*.h5*")), log)

    def test_status_tells_what_slurm_knows(self):
        file = self.gated_job(0, 6, "slurm: {requeue: true, array: \"6%3\", merge: job}\n")
        job, merge = self.submit(file, "-o", "out.h5")
        cluster.wait_until(lambda: list(self.states(job).values()).count("RUNNING") >= 2, "two tasks", 60)
        self.slurm.run("scontrol", "hold", f"{job}_5")
        early = self.kernelbatch("status", "out.h5", code=75)
        self.assertRegex(early, rf"Slurm {job}  .*\d running")
        self.assertIn(f"Slurm {merge}  1 pending (Dependency)", early)
        running = [task for task, state in self.states(job).items() if state == "RUNNING"]
        self.slurm.run("scontrol", "requeue", running[0])
        self.slurm.run("scancel", "-s", "KILL", running[-1])
        self.slurm.run("scontrol", "release", f"{job}_5", check=False)
        self.let_go()
        self.wait(job)
        self.wait(merge)
        text = self.status_with(rf"Slurm {job}  1 cancelled, 5 completed")
        self.assertRegex(text, rf"Slurm {job}  1 cancelled, 5 completed")
        self.assertRegex(text, rf"{running[-1]}  CANCELLED .*on n[12]")
        self.assertRegex(text, rf"{running[0]}  COMPLETED .*; begun again 1 time: REQUEUED")
        tasks = {task["id"]: task for task in json.loads(self.kernelbatch("status", "--json", "out.h5"))["slurm"]}
        self.assertEqual(tasks[running[0]]["restarts"], 1)
        self.assertEqual(tasks[merge]["state"], "COMPLETED")
        # Outside Slurm the status shows only the file's content.
        outside = subprocess.run([self.command, "status", "out.h5"], cwd=self.folder, text=True, capture_output=True,
                                 env=dict(self.slurm.environment, PATH="/nowhere"), check=False)
        self.assertEqual(outside.returncode, 0)
        self.assertNotIn("Slurm", outside.stdout + outside.stderr)

    def test_submit_says_what_it_would_do(self):
        file = self.job("workload: copy\nparams: {n: [1000, 2000]}\nslurm: {gpus: \"2g.10gb:1\", time: 1h30min, "
                        "partition: main, account: a-b, extra: [\"--nice=5\"], array: \"2%1\"}\n")
        script = self.kernelbatch("submit", file, "--dry-run")
        for line in ("#SBATCH --array=0-1%1", "#SBATCH --gpus=2g.10gb:1", "#SBATCH --time=01:30:00",
                     "#SBATCH --account=a-b", "#SBATCH --nice=5", "#SBATCH --open-mode=append"):
            self.assertIn(line + "\n", script)
        self.assertIn(" --jobs auto ", script)
        self.assertIn("kernelbatch status ", script)
        written = self.folder / "script"
        written.write_text(script)
        subprocess.run(["shellcheck", written], check=True)
        self.assertFalse((self.folder / "results").exists())
        self.slurm.run("sacctmgr", "-i", "add", "qos", "short", "set", "maxwall=00:30:00")
        self.assertIn("slurm.time 1h30min is above the limit 00:30:00 of QOS short",
                      self.kernelbatch("submit", file, "--dry-run", "-s", "slurm.qos=short"))
        bad = self.job("workload: copy\nslurm: {array: \"many\"}\n", "bad")
        self.assertIn("slurm.array 'many'", self.kernelbatch("submit", bad, code=2))
        queued, _ = self.submit(self.job("workload: copy\nparams: {n: 1000}\nslurm: {clusters: tests, hold: true}\n", "named"),
                                "-o", "out.h5")
        self.assertIn(f"Slurm {queued}  1 pending (JobHeldUser)", self.kernelbatch("status", "out.h5", code=75))
        self.slurm.run("scancel", queued)
        refused = self.job("workload: copy\nslurm: {gpus: \"9g.90gb:1\"}\n", "refused")
        self.assertIn("no GPU of type '9g.90gb'", self.kernelbatch("submit", refused, code=2))

    @unittest.skipUnless(cluster.JOB_SUBMIT, "Slurm is without job_submit/lua")
    def test_an_array_is_known_if_the_site_refuses_the_merge_job(self):
        file = self.job("workload: copy\nparams: {n: [1000, 2000]}\n"
                        "slurm: {gpus: \"2g.10gb:1\", account: gpu-only, array: 2, merge: job}\n")
        output = self.kernelbatch("submit", file, "-o", "out.h5")
        array, = re.findall(r"submitted job (\d+)", output)
        self.assertIn("jobs of account gpu-only must request a GPU", output)
        self.assertRegex(output, rf"array {array} is queued\. When it has ended, run `\S+ merge \S+out.h5`")
        self.assertEqual(set(self.wait(array).values()), {"COMPLETED"})
        self.status_with(rf"Slurm {array}  2 completed")
        self.kernelbatch("merge", "out.h5")
        results, _ = self.results(self.folder / "out.h5")
        self.assertEqual(len({case for case, _ in results}), 2)


def main():
    if len(sys.argv) < 3:
        sys.exit(sys.modules["__main__"].__doc__)
    SlurmCase.command, SlurmCase.source = sys.argv[1:3]
    try:
        cluster.Cluster("/nowhere").require()
    except cluster.Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)


if __name__ == "__main__":
    main()
