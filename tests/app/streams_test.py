#!/usr/bin/env python3
"""Commands whose standard streams are closed, full or unread:
streams_test.py KERNELBATCH

A run stores everything and ends with its documented code, whatever takes its output: 6 where standard
output is closed or full, 141 where nobody reads it, and standard error changes nothing. No result file gets
the number of a standard stream.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KERNELBATCH = Path(sys.argv[1]).resolve()
JOB = """
workload: inline
name: NAME
device: host
params: {n: [4, 8]}
measure: {preset: quick, warmup: 0, hot: false, calibrate: false, stop: {min_samples: 1, max_samples: 1}}
inputs: {x: {arange: 8, dtype: float64}}
variants:
  twice: {kind: elementwise, in: T x, out: T y, operation: y = OPERATION}
reference: {cpp: "for (long i = 0; i < 8; ++i) y[i] = 2 * x[i];"}
outputs: {y: {shape: [8], dtype: float64}}
output: {file: "NAME.h5"}
"""
FULL, UNREAD = 6, 141


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="kernelbatch-streams-")
        cls.folder = Path(cls.scratch.name)
        for name, operation in (("one", "2 * x"), ("two", "x + x"), ("wrong", "3 * x")):
            (cls.folder / f"{name}.yaml").write_text(
                JOB.replace("NAME", name).replace("OPERATION", operation))
        # Compiles first, so that no run below waits for it.
        for name, code in (("one", 0), ("two", 0), ("wrong", 1)):
            done = cls.shell(f"run {name}.yaml", "")
            assert done.returncode == code, done
        shutil.copy(cls.folder / "one.h5", cls.folder / "sample.h5")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def shell(cls, words, redirection, ignores_pipe=False):
        """A real shell's redirections; the status is the command's own."""
        script = f'"{KERNELBATCH}" {words} {redirection}'
        # A shell inherits the handling of SIGPIPE; Python ignores it by default.
        restore = (lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignores_pipe else signal.SIG_DFL))
        return subprocess.run(["bash", "-c", script], cwd=cls.folder, capture_output=True, text=True,
                              restore_signals=False, preexec_fn=restore, timeout=1800)

    def results(self, name):
        shown = subprocess.run([KERNELBATCH, "show", "--json", self.folder / f"{name}.h5"],
                               capture_output=True, text=True, check=True)
        return json.loads(shown.stdout)

    def forget(self, *names):
        for name in names:
            (self.folder / f"{name}.h5").unlink(missing_ok=True)

    def unread(self, words, stream, ignores_pipe):
        """Like `| head -0`, but the reader is certainly gone before anything is written."""
        read, write = os.pipe()
        os.close(read)
        restore = (lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignores_pipe else signal.SIG_DFL))
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: write}
        done = subprocess.run([KERNELBATCH, *words.split()], cwd=self.folder, text=True, timeout=1800,
                              restore_signals=False, preexec_fn=restore, **streams)
        os.close(write)
        return done

    def test_a_run_keeps_its_results(self):
        for jobs, usual in ((("one",), 0), (("wrong",), 1), (("one", "wrong", "two"), 1)):
            words = "run " + " ".join(f"{name}.yaml" for name in jobs)
            cases = [(lambda r=r: self.shell(words, r), code) for r, code in (
                (">&-", FULL), (">/dev/full", FULL), ("2>&-", usual), ("2>/dev/full", usual), ("<&-", usual),
                (">&- 2>&- <&-", FULL), (">/dev/full 2>/dev/full", FULL), ("2>&- <&-", usual),
                ("-q 2>/dev/full", usual))]
            for ignores in (False, True):
                cases.append((lambda i=ignores: self.unread(words, "stdout", i), UNREAD))
                cases.append((lambda i=ignores: self.unread(words, "stderr", i), usual))
            if len(jobs) > 1:  # what one job shows need not be shown again
                cases = [cases[0], cases[1], cases[6], *cases[-4:-2]]
            elif usual == 1:
                cases = [cases[0], cases[2], cases[3], cases[5], cases[-1]]
            for number, (run, code) in enumerate(cases):
                with self.subTest(jobs=jobs, case=number):
                    self.forget(*jobs)
                    done = run()
                    self.assertEqual(done.returncode, code, (done.stdout, done.stderr))
                    for name in jobs:
                        self.assertEqual(len(self.results(name)), 4)
                        self.assertFalse((self.folder / f"{name}.h5.d").exists())

    def test_every_subcommand_ends_with_its_code(self):
        printing = ["--version", "--help", "list", "describe mse", "devices", "schema", "man", "completion bash",
                    "check one.yaml", "show sample.h5", "show --json sample.h5", "status one.h5",
                    "compare sample.h5 sample.h5", "export sample.h5", "cache", "compile one.yaml",
                    "report sample.h5 -o page.html", "merge sample.h5"]
        for words in printing:
            usual = self.shell(words, "")
            self.assertIn(usual.returncode, (0, 1), (words, usual.stderr))
            if not usual.stdout:
                continue
            for redirection, code in ((">&-", FULL), (">/dev/full", FULL), ("2>&-", usual.returncode),
                                      ("2>/dev/full", usual.returncode), ("<&-", usual.returncode),
                                      (">&- 2>&- <&-", FULL)):
                with self.subTest(words=words, redirection=redirection):
                    done = self.shell(words, redirection)
                    self.assertEqual(done.returncode, code, (done.stdout, done.stderr))
            for ignores in (False, True):
                with self.subTest(words=words, ignores_pipe=ignores):
                    done = self.unread(words, "stdout", ignores)
                    self.assertEqual(done.returncode, UNREAD)
                    self.assertEqual(done.stderr, "")

    def test_a_wrong_command_line_ends_with_2(self):
        for redirection in ("2>&-", "2>/dev/full", ">&- 2>&- <&-"):
            for words in ("run nowhere.yaml", "run --no-such-option", "frobnicate"):
                with self.subTest(words=words, redirection=redirection):
                    self.assertEqual(self.shell(words, redirection).returncode, 2)
        self.assertEqual(self.unread("run nowhere.yaml", "stderr", False).returncode, 2)


if __name__ == "__main__":
    if not os.path.exists("/dev/full"):
        print("skipped: there is no /dev/full")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
