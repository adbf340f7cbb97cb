"""`kernelbatch import --triton`: import_triton_test.py KERNELBATCH TREE"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


class ImportTritonTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def add_kernel(self, folder):
        """A kernel as Triton keeps it: KEY/NAME.ptx, KEY/NAME.json."""
        place = self.folder / "cache" / folder
        place.mkdir(parents=True)
        for extension in ("ptx", "json"):
            shutil.copy(f"{tree}/jobs/inline/triton_softmax.{extension}", place / f"softmax_rows.{extension}")

    def run_command(self, *words):
        return subprocess.run(
            [kernelbatch, *words], cwd=self.folder, capture_output=True, text=True, timeout=300, check=False
        )

    def test_a_kernel_becomes_a_valid_job(self):
        self.add_kernel("KEY")
        self.assertEqual(self.run_command("import", "--triton", "cache", "-o", "job.yaml").returncode, 0)
        job = (self.folder / "job.yaml").read_text()
        # Without the two pointers that Triton appends.
        self.assertIn("args: [p0, p1, {scalar: n, dtype: int32}, {scalar: n, dtype: int32}]", job)
        self.assertEqual(self.run_command("check", "job.yaml").returncode, 0)

    def test_several_kernels_need_a_choice(self):
        self.add_kernel("A")
        self.add_kernel("B")
        done = self.run_command("import", "--triton", "cache")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has 2 compiled kernels (softmax_rows)", done.stderr)
        done = self.run_command("import", "--triton", "cache", "--kernel", "softmax_row")
        self.assertIn("did you mean 'softmax_rows'", done.stderr)
        self.assertEqual(self.run_command("import", "--triton", "cache/A").returncode, 0)

    def test_bad_folders(self):
        (self.folder / "empty").mkdir()
        self.assertIn("there is no kernel of Triton", self.run_command("import", "--triton", "empty").stderr)
        self.assertEqual(self.run_command("import", "--triton", "missing").returncode, 2)
        self.assertEqual(self.run_command("import").returncode, 2)
        self.add_kernel("A")
        (self.folder / "cache/A/softmax_rows.ptx").unlink()
        self.assertIn("softmax_rows.ptx' is missing", self.run_command("import", "--triton", "cache").stderr)


if __name__ == "__main__":
    kernelbatch, tree = str(Path(sys.argv[1]).resolve()), str(Path(sys.argv[2]).resolve())
    unittest.main(argv=sys.argv[:1], verbosity=2)
