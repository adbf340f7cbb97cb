#!/usr/bin/env python3
"""Files and programs that a run uses, traced by strace: containment_test.py KERNELBATCH SOURCE_FOLDER

Files are written in the folders of output, kernel cache and temporary files alone; programs are started by
name, never through a shell; of the files about, only those that the job names are read, plugins too.
Exits 77 where strace is missing or may not trace.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KERNELBATCH, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
# Names with characters that a shell interprets. A line break also ends the job's own words.
HOSTILE = "a; touch PWNED $(touch PWNED) `touch PWNED` 'b' \"c\" & d"
JOB = """
workload: inline
name: contained
device: host
params: {n: [8]}
measure: {preset: quick, warmup: 0, hot: false, calibrate: false, stop: {min_samples: 1, max_samples: 1}}
inputs: {x: {file: "INPUT"}}
outputs: {y: {shape: [n], dtype: float64}}
variants:
  elementwise: {kind: elementwise, in: T x, out: T y, operation: y = 2 * x}
  raw:
    kind: raw
    source: |
      extern "C" __global__ void twice(const double* x, double* y, int n) {
        for (int k = 0; k < n; ++k) y[k] = x[k] + x[k];
      }
    entry: twice
    grid: 1
    block: 1
    args: [x, y, n]
reference: {variant: elementwise}
output: {file: OUTPUT}
"""


def npy(values):
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (117 - len(header)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(
        f"<{len(values)}d", *values)


class Trace:
    """The calls that succeeded: of each open its path and whether for writing; of each exec its words."""

    def __init__(self, text, folder):
        self.opened, self.executed, self.changed = [], [], []
        for line in text.splitlines():
            if re.search(r"= -1 E", line) or "resumed>" in line and "= 0" not in line and "= " not in line:
                continue
            call = re.search(r"\b(\w+)\((.*)", line)
            if call is None:
                continue
            words = [bytes(word, "ascii").decode("unicode_escape").encode("latin-1").decode()
                     for word in re.findall(r'"((?:[^"\\]|\\.)*)"', call[2])]
            if call[1] in ("open", "openat") and words:
                folder_word = re.search(r"(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>", call[2])
                base = Path(folder_word[1].encode().decode("unicode_escape")) if folder_word else folder
                path = os.path.normpath(base / words[0])
                self.opened.append((path, bool(re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", call[2]))))
            elif call[1] == "execve" and words:
                self.executed.append(words)
            elif call[1] in ("creat", "truncate", "rename", "unlink", "mkdir", "rmdir", "symlink", "link"):
                self.changed.extend(os.path.normpath(folder / word) for word in words)


class Containment(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="kernelbatch-contained-"))
        self.addCleanup(shutil.rmtree, self.root, True)
        # Every folder has a name with special characters of a shell.
        self.jobs = self.folder("jobs " + HOSTILE)
        self.output = self.folder("output " + HOSTILE)
        self.cache = self.folder("cache " + HOSTILE)
        self.temporary = self.folder("temporary " + HOSTILE)
        self.here = self.folder("here")

    def folder(self, name):
        folder = self.root / name
        folder.mkdir()
        return folder

    def job(self, input_name, name="job.yaml"):
        quoted = input_name.replace("\\", "\\\\").replace('"', '\\"')
        output = str(self.output / "r.h5").replace("'", "''")
        file = self.jobs / name
        file.write_text(JOB.replace("INPUT", quoted).replace("OUTPUT", f"'{output}'"))
        return file

    def trace(self, *words, code=0, **variables):
        log = self.root / "strace.log"
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.here), "TMPDIR": str(self.temporary),
                       "KERNELBATCH_CACHE_DIR": str(self.cache), **variables}
        calls = "trace=open,openat,creat,truncate,rename,unlink,mkdir,rmdir,symlink,link,execve"
        result = subprocess.run(
            ["strace", "-f", "-qq", "-y", "-s", "4096", "-e", calls, "-e", "signal=none", "-o", log, KERNELBATCH,
             *words], cwd=self.here, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(result.returncode, code, result.stdout)
        self.assertEqual([p for p in self.root.rglob("PWNED*")], [])
        self.said = result.stdout
        return Trace(log.read_text(errors="replace"), self.here)

    def assert_no_shell(self, trace):
        self.assertTrue(trace.executed)
        for words in trace.executed:
            self.assertNotRegex(os.path.basename(words[0]), r"^(sh|bash|dash|ksh|zsh|csh|env|system)$")

    def test_a_run_writes_and_starts_only_what_it_must(self):
        name = HOSTILE + ".npy"
        (self.jobs / name).write_bytes(npy(range(8)))
        trace = self.trace("run", self.job(name, HOSTILE + ".yaml"))
        self.assertIn("ok", self.said)
        written = [path for path, is_written in trace.opened if is_written] + trace.changed
        allowed = [str(each) for each in (self.output, self.cache, self.temporary)]
        outside = {path for path in written
                   if not any(path == each or path.startswith(each + "/") for each in allowed)
                   and path not in ("/dev/null", "/dev/tty", "/proc/self/oom_score_adj")
                   # An open descriptor: its file was created under its own name.
                   and not path.startswith("/proc/self/fd/")}
        self.assertEqual(outside, set())
        self.assertTrue(any(path.startswith(str(self.output)) for path in written))
        self.assertTrue(any(path.startswith(str(self.cache)) for path in written))
        self.assertTrue(any(path.startswith(str(self.temporary)) for path in written))
        self.assert_no_shell(trace)
        # The compiler ran: its arguments passed no shell either.
        self.assertTrue(any("cc1plus" in words[0] for words in trace.executed), trace.executed)
        self.assertEqual(list(self.here.iterdir()), [])
        self.assertEqual(list(self.temporary.iterdir()), [], "temporary files are left")

    def test_only_what_the_job_names_is_read(self):
        """A relative input is searched in the job's folder, then in the current folder, then in the data
        folders; the first existing file is used, and nothing else is opened."""
        for folder in (self.jobs, self.here):
            for name in ("x.npy", "y.npy", "x.npz", "r.h5"):
                (folder / name).write_bytes(npy(range(8)))
        ours = str(self.root)
        read = lambda trace: {path for path, is_written in trace.opened
                              if path.startswith(ours) and not is_written and os.path.isfile(path)}
        job = self.job("x.npy")
        self.assertEqual(read(self.trace("check", job)), {str(job), str(self.jobs / "x.npy")})
        (self.jobs / "x.npy").unlink()
        self.assertEqual(read(self.trace("check", job)), {str(job), str(self.here / "x.npy")})
        (self.here / "x.npy").unlink()
        trace = self.trace("check", job, code=2)
        self.assertEqual(read(trace), {str(job)})
        self.assertIn("there is no file 'x.npy'", self.said)

    def test_a_submission_starts_no_shell(self):
        (self.jobs / "x.npy").write_bytes(npy(range(8)))
        for name in (HOSTILE + ".yaml", "a\ntouch PWNED\n.yaml"):
            trace = self.trace("submit", self.job("x.npy", name), "--dry-run")
            self.assert_no_shell(trace)
            script = self.root / "script"
            script.write_text(self.said)
            # tests/job/sbatch_test.cpp runs the script with such names.
            subprocess.run(["bash", "-n", script], check=True)

    def test_plugins_come_from_their_folders_alone(self):
        """Not from the current folder, nor from the search path of libraries."""
        for name in ("mse.so", "libmse.so", "plugins/mse.so"):
            decoy = self.here / name
            decoy.parent.mkdir(exist_ok=True)
            decoy.write_bytes(b"not a library")
        for path in ("", ":", "nowhere"):
            trace = self.trace("describe", "mse", KERNELBATCH_PLUGIN_PATH=path, LD_LIBRARY_PATH=str(self.here))
            opened = {each for each, _ in trace.opened}
            self.assertIn(str(KERNELBATCH.parent / "plugins" / "mse.so"), opened)
            self.assertEqual({each for each in opened if each.endswith("mse.so") and each.startswith(str(self.root))},
                             set())
        # A given folder is used: the decoys would have been found.
        self.trace("describe", "mse", code=2, KERNELBATCH_PLUGIN_PATH="plugins")
        self.assertIn("mse.so", self.said)


if __name__ == "__main__":
    if shutil.which("strace") is None:
        print("skipped: strace is not installed")
        sys.exit(77)
    if subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: this machine does not let strace trace")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
