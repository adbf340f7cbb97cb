"""A captured kernel of Numba, which gives the driver only a cubin: numba_test.py KERNELBATCH TREE

tests/app/numba has what `capture` wrote on an NVIDIA H200, and the PTX that numba_rows.py wrote, added to the job as `ptx`."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


class NumbaTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name) / "numba"
        shutil.copytree(f"{tree}/tests/app/numba", self.folder)
        self.job = self.folder / "numba_rows.yaml"

    def tearDown(self):
        self.scratch.cleanup()

    def run_command(self, *words):
        return subprocess.run(
            [kernelbatch, *words], cwd=self.folder, capture_output=True, text=True, timeout=300, check=False
        )

    def test_the_ptx_computes_the_same_bytes_on_the_host_device(self):
        done = self.run_command("run", self.job.name, "--device", "host", "-o", "r.h5", "-s", "measure.preset=quick")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("exact", done.stdout)

    def test_a_wrong_element_is_detected(self):
        after = self.folder / "numba_rows.data" / "p13_after.npy"
        content = bytearray(after.read_bytes())
        content[-1] ^= 1
        after.write_bytes(content)
        done = self.run_command("run", self.job.name, "--device", "host", "-o", "r.h5", "-s", "measure.preset=quick")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)


if __name__ == "__main__":
    kernelbatch, tree = str(Path(sys.argv[1]).resolve()), str(Path(sys.argv[2]).resolve())
    unittest.main(argv=sys.argv[:1], verbosity=2)
