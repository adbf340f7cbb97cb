"""A captured kernel of Numba, which gives the driver only a cubin: numba_test.py KERNELBATCH TREE

tests/app/numba has what `capture` wrote on an NVIDIA H200, and the PTX that numba_rows.py wrote, added to the job as `ptx`."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KERNEL = "_ZN8__main__16subtract_largest"


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

    def replace(self, old, new):
        text = self.job.read_text()
        self.assertIn(old, text)
        self.job.write_text(text.replace(old, new, 1))

    def inspect(self):
        """Compares the job with the image, which needs no GPU."""
        done = self.run_command("compile", self.job.name, "--target", "sm_90")
        if "NVRTC" in done.stderr:
            self.skipTest(done.stderr)
        return done

    def test_the_image_has_the_kernel_and_parameters_of_the_job(self):
        done = self.inspect()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_parameter_of_another_size_is_reported(self):
        self.replace("{scalar: 75, dtype: int64}", "{scalar: 75, dtype: int32}")
        self.assertRegex(self.inspect().stdout, f"argument 7 of '{KERNEL}.*' has 4 bytes, the kernel's parameter 8")

    def test_a_missing_parameter_is_reported(self):
        # The last one: the row's stride of `out`.
        self.replace("      - {scalar: 4, dtype: int64}\n    addresses", "    addresses")
        self.assertRegex(self.inspect().stdout, f"'{KERNEL}.*' takes 18 arguments, 17 were given")

    def test_another_name_is_reported(self):
        self.replace("16subtract_largest", "16subtract_largets")
        self.assertIn("has no kernel named '_ZN8__main__16subtract_largets", self.inspect().stdout)

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
