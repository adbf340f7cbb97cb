"""`kernelbatch capture` with a program that writes records as the injected library does: capture_test.py KERNELBATCH TREE"""

import array
import importlib.util
import json
import math
import os
import random
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROWS, COLUMNS = 64, 781
X, Y = 0x7F1200000000, 0x7F1200400000


def npy(raw):
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(raw)
    return b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117).encode() + b"\n" + raw


def cubin_of(kernel, operation):
    """An ELF file with one instruction."""
    names = b"\0.text." + kernel.encode() + b"\0.names\0"
    code = struct.pack("<QQ", operation | 0x7000, 0)
    sections = [(0, 0, 0), (1, 64, len(code)), (len(names) - 7, 64 + len(code), len(names))]
    table = 64 + len(code) + len(names)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 190, 1, 0, 0, table, 0, 64, 0, 0, 64, 3, 2)
    rows = [struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, at, size, 0, 0, 1, 0) for name, at, size in sections]
    return header + code + names + b"".join(rows)


def softmax(values):
    result = []
    for row in range(ROWS):
        part = values[row * COLUMNS : (row + 1) * COLUMNS]
        powers = [math.exp(value - max(part)) for value in part]
        result += [power / sum(powers) for power in powers]
    return result


def write_record(changes):
    """What the library writes; `changes` replace parts of the launch's description."""
    folder = Path(json.loads(Path(os.environ["KERNELBATCH_CAPTURE"]).read_text())["folder"])
    record = folder / "1-0.launch"
    record.mkdir()
    random.seed(1)
    x = [random.gauss(0, 1) for _ in range(ROWS * COLUMNS)]
    y = softmax(array.array("f", x))
    (record / "memory0.npy").write_bytes(npy(array.array("f", x).tobytes()))
    (record / "memory1.npy").write_bytes(npy(bytes(4 * len(y))))
    (record / "memory1_after.npy").write_bytes(npy(array.array("f", y).tobytes()))
    ptx = Path(changes.pop("ptx")).read_bytes()
    (record / "image.ptx").write_bytes(ptx)
    (record / "ptx0").write_bytes(ptx)
    if times := changes.pop("times", None):
        (record / "times.json").write_text(json.dumps(times))
    size = 4 * len(x)
    launch = {
        "kernel": "softmax_rows",
        "name": "softmax_rows",
        "device": "fake",
        "reason": "",
        "grid": [ROWS, 1, 1],
        "block": [128, 1, 1],
        "cluster": [1, 1, 1],
        "shared_bytes": 16,
        "cooperative": False,
        "image": "image.ptx",
        "images_of_name": 1,
        "bytes": struct.pack("<QQiiQQ", X, Y, COLUMNS, COLUMNS, 0, 0).hex(),
        "parameters": [{"offset": o, "size": s} for o, s in ((0, 8), (8, 8), (16, 4), (20, 4), (24, 8), (32, 8))],
        "pointers": [X, Y],
        "memory": [
            {"address": X, "bytes": size, "before": "memory0.npy"},
            {"address": Y, "bytes": size, "before": "memory1.npy", "after": "memory1_after.npy"},
        ],
    }
    if fatbin := changes.pop("fatbin", None):
        (record / "image.fatbin").write_bytes(bytes.fromhex(fatbin))
        launch |= {"image": "image.fatbin", "ptx": changes.pop("ptx_parts")}
    launch.update(changes)
    (record / "launch.json").write_text(json.dumps(launch))


def launch_softmax():
    """A function that a Python program captures."""
    write_record({"ptx": f"{Path(__file__).absolute().parents[2]}/jobs/inline/triton_softmax.ptx"})


def write_seen():
    folder = json.loads(Path(os.environ["KERNELBATCH_CAPTURE"]).read_text())["folder"]
    kernels = [
        {"kernel": "_Z1av", "name": "a()", "launches": 3, "in_graphs": 0},
        {"kernel": "_Z1bv", "name": "b()", "launches": 0, "in_graphs": 7},
    ]
    (Path(folder) / "1-seen.json").write_text(json.dumps(kernels))


class CaptureTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def run_command(self, *words):
        return subprocess.run(
            [kernelbatch, *words], cwd=self.folder, capture_output=True, text=True, timeout=300, check=False
        )

    def capture(self, *options, program="record", changes=None, code=0):
        words = [sys.executable, __file__, kernelbatch, tree, program, json.dumps(changes or {}), str(code)]
        return self.run_command("capture", "-o", "softmax.yaml", *options, "--", *words)

    def test_a_captured_job_runs_and_is_verified(self):
        done = self.capture("--dtype", "float32")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "output of the program\n")
        job = (self.folder / "softmax.yaml").read_text()
        self.assertIn("p1: {fill: p1_before, dtype: float32, shape: [49984]}", job)
        self.assertIn('addresses: {p0: "0x7f1200000000", p1: "0x7f1200400000"}', job)
        for file in (self.folder / "softmax.data").iterdir():
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file)
        # Only the job and its data remain.
        self.assertEqual({"softmax.yaml", "softmax.data"}, {path.name for path in self.folder.iterdir()})
        run = self.run_command("run", "softmax.yaml", "--device", "host", "-o", "r.h5", "-s", "measure.preset=quick")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("captured  ok", run.stdout)

    def test_wrong_expected_values_are_detected(self):
        self.capture("--dtype", "float32", changes={"grid": [ROWS - 1, 1, 1]})
        run = self.run_command("run", "softmax.yaml", "--device", "host", "-o", "r.h5", "-s", "measure.preset=quick")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)

    def test_times_of_the_program_are_in_the_comment(self):
        self.capture(changes={"times": {"cold": [12340, 12400], "warm": [], "later": [11000]}})
        job = (self.folder / "softmax.yaml").read_text()
        self.assertIn("# Times in the program, L2 cache flushed: 12.34 12.40 us\n", job)
        self.assertIn("# Times in the program, later launches: 11.00 us\n", job)
        self.assertNotIn("memory in the L2 cache", job)

    def test_ptx_of_the_program_runs_on_the_host_device(self):
        # The image is machine code, which no fake can be; the host device does not read it.
        part = {"file": "ptx0", "compression": 0, "bytes": 0, "capability": 80}
        fatbin = "50ed55ba010010000000000000000000"
        done = self.capture(changes={"ptx_parts": [part], "fatbin": fatbin})
        self.assertEqual(done.returncode, 0, done.stderr)
        job = (self.folder / "softmax.yaml").read_text()
        self.assertIn("# Element types of the loads and stores in the kernel's PTX: p0 float32 p1 float32.\n", job)
        self.assertIn("p1: {fill: p1_before, dtype: float32, shape: [49984]}", job)
        self.assertIn("image: softmax.data/image.fatbin\n    ptx: softmax.data/kernel.ptx", job)
        self.assertEqual(stat.S_IMODE((self.folder / "softmax.data/kernel.ptx").stat().st_mode), 0o600)
        run = self.run_command("run", "softmax.yaml", "--device", "host", "-o", "r.h5", "-s", "measure.preset=quick")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_ptx_of_triton_is_found_in_its_cache(self):
        image = cubin_of("softmax_rows", 0x021)
        cached = self.folder / "cache" / "HASH"
        cached.mkdir(parents=True)
        shutil.copy(f"{tree}/jobs/inline/triton_softmax.ptx", cached / "softmax_rows.ptx")
        os.environ["TRITON_CACHE_DIR"] = str(cached.parent)
        self.addCleanup(os.environ.pop, "TRITON_CACHE_DIR")
        for content, expected in ((image[:-1] + b"?", False), (image, True)):
            (cached / "softmax_rows.cubin").write_bytes(content)
            self.capture(changes={"fatbin": image.hex(), "ptx_parts": []})
            self.assertEqual("ptx: softmax.data/kernel.ptx" in (self.folder / "softmax.yaml").read_text(), expected)

    def test_types_that_the_ptx_does_not_determine_are_bytes(self):
        part = {"file": "ptx0", "compression": 0, "bytes": 0, "capability": 80}
        changes = {"ptx_parts": [part], "fatbin": "50ed55ba010010000000000000000000"}
        self.capture("--dtype", "p1=int32", changes=dict(changes))
        job = (self.folder / "softmax.yaml").read_text()
        self.assertIn("PTX: p0 float32.\n", job)
        self.assertIn("p1: {fill: p1_before, dtype: int32,", job)
        self.capture(changes=changes | {"kernel": "other"})
        job = (self.folder / "softmax.yaml").read_text()
        self.assertIn("# Bytes of unknown type, which --dtype states: p0 p1 (the program gave the driver no PTX).", job)
        self.assertIn("p1: {fill: p1_before, dtype: uint8,", job)

    def test_pointers_in_structs_need_the_address(self):
        # The two pointers are in one struct.
        changes = {"parameters": [{"offset": 0, "size": 16}] + [{"offset": 16, "size": 4}]}
        self.assertEqual(self.capture(changes=changes).returncode, 0)
        job = (self.folder / "softmax.yaml").read_text()
        self.assertIn('{bytes: "00000000127f000000004000127f0000"}', job)
        self.assertIn('addresses: {m0: "0x7f1200000000", m1: "0x7f1200400000"}', job)
        run = self.run_command("run", "softmax.yaml", "--device", "host", "-o", "r.h5", "-s", "measure.preset=quick")
        self.assertIn("0x7f1200000000 is not available here", run.stdout + run.stderr)

    def test_wrong_addresses_are_reported(self):
        self.capture()
        job = self.folder / "softmax.yaml"
        job.write_text(job.read_text().replace("0x7f1200000000", "7f12"))
        done = self.run_command("check", "softmax.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'7f12' is not an address: it begins with 0x", done.stderr)

    def test_arrays_have_the_given_form(self):
        done = self.capture("--dtype", "float32", "--dtype", f"p1=float32[{ROWS},{COLUMNS}]")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"dtype: float32, shape: [{ROWS}, {COLUMNS}]", (self.folder / "softmax.yaml").read_text())
        self.assertEqual(self.run_command("check", "softmax.yaml").returncode, 0)
        done = self.capture("--dtype", "p1=float32[3,5]")
        self.assertEqual(done.returncode, 2)
        self.assertIn("float32 (3, 5) are not its 199936 bytes", done.stderr)

    def test_the_programs_exit_code_is_kept(self):
        self.assertEqual(self.capture(code=7).returncode, 7)
        self.assertTrue((self.folder / "softmax.yaml").exists())

    def test_without_a_match_the_kernels_are_listed(self):
        done = self.capture("--kernel", "none", program="seen")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no launch matches --kernel 'none'", done.stderr)
        self.assertRegex(done.stderr, r"3  a\(\)\n")
        self.assertRegex(done.stderr, r"7  b\(\)  \(in CUDA graphs: --graphs\)\n")
        self.assertEqual([], list(self.folder.iterdir()))
        done = self.capture("--kernel", "^a", "--profiler-range", program="seen")
        self.assertIn("no launch matches --kernel '^a' between cudaProfilerStart and cudaProfilerStop", done.stderr)
        done = self.capture("--kernel", "^a", "--nth", "5", program="seen")
        self.assertIn("--nth is 5, and only 3 launches match", done.stderr)

    def test_a_program_without_cuda(self):
        done = self.run_command("capture", "-o", "a.yaml", "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("launched no kernel through the CUDA driver", done.stderr)

    def test_separate_arrays_leave_the_allocator_that_graphs_of_pytorch_need(self):
        for options, text in (([], "1\n"), (["--graphs"], "\n")):
            words = ["sh", "-c", "echo $PYTORCH_NO_CUDA_MEMORY_CACHING"]
            done = self.run_command("capture", "-o", "a.yaml", "--separate-arrays", *options, "--", *words)
            self.assertEqual(done.stdout, text)

    def test_a_killed_program(self):
        done = self.capture(program="killed")
        self.assertEqual(done.returncode, 128 + 9)
        self.assertIn("killed by signal 9", done.stderr)
        self.assertTrue((self.folder / "softmax.yaml").exists())

    def test_an_incomplete_record_makes_no_job(self):
        done = self.capture(changes={"reason": "above the limit", "memory": []})
        self.assertEqual(done.returncode, 2)
        self.assertIn("no job of 'softmax_rows': above the limit", done.stderr)
        self.assertFalse((self.folder / "softmax.yaml").exists())

    def test_textures_make_no_job(self):
        for operation, code in ((0x160, 2), (0x021, 0)):  # TEX, FADD
            image = cubin_of("softmax_rows", operation).hex()
            done = self.capture(changes={"fatbin": image, "ptx_parts": []})
            self.assertEqual(done.returncode, code, done.stderr)
        done = self.capture(changes={"fatbin": cubin_of("softmax_rows", 0x199).hex(), "ptx_parts": []})
        self.assertIn("no job of 'softmax_rows': it uses textures or surfaces", done.stderr)

    def test_launch_attributes_that_the_job_lacks_are_named(self):
        self.capture("--dtype", "float32", changes={"attributes": [6, 99], "carveout": 50})
        job = (self.folder / "softmax.yaml").read_text()
        self.assertIn("\n    carveout: 50\n", job)
        run = self.run_command("run", "softmax.yaml", "--device", "host", "-o", "r.h5", "-s", "measure.preset=quick")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for wrong in ("101", "half"):
            (self.folder / "wrong.yaml").write_text(job.replace("carveout: 50", f"carveout: {wrong}"))
            self.assertEqual(self.run_command("check", "wrong.yaml").returncode, 2)
        self.assertIn("# The job's launch lacks attributes of the program's: programmatic stream serialization, 99.\n", job)

    def test_a_python_function_is_captured(self):
        spec = importlib.util.spec_from_file_location("capture", f"{tree}/core/packaging/python/capture.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        output = self.folder / "function.yaml"
        job = module.capture(launch_softmax, "softmax", output, program=kernelbatch, dtype=["float32"], deep=True)
        self.assertEqual(job, output)
        self.assertIn("dtype: float32", output.read_text())
        with self.assertRaises(TypeError):
            module.capture(lambda: None, program=kernelbatch)
        with self.assertRaises(subprocess.CalledProcessError):
            module.capture(write_seen, "nothing", output, program=kernelbatch)

    def test_wrong_options(self):
        for options, message in (
            (["--kernel", "("], "is no regular expression"),
            (["--dtype", "float31"], "arrays of 'float31' cannot be stored"),
            (["--limit", "many"], "many"),
            (["-o", "softmax.txt"], "a job's name ends with .yaml"),
        ):
            output = [] if options[0] == "-o" else ["-o", "a.yaml"]
            done = self.run_command("capture", *output, *options, "--", "true")
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(message, done.stderr)
        done = self.capture("--dtype", "p7=float32")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the captured arrays are p0, p1", done.stderr)


if __name__ == "__main__":
    kernelbatch, tree = str(Path(sys.argv[1]).resolve()), str(Path(sys.argv[2]).resolve())
    if len(sys.argv) > 3:
        kind, facts, exit_code = sys.argv[3], json.loads(sys.argv[4]), int(sys.argv[5])
        print("output of the program", flush=True)
        if kind != "seen":
            write_record({"ptx": f"{tree}/jobs/inline/triton_softmax.ptx"} | facts)
        else:
            write_seen()
        if kind == "killed":
            os.kill(os.getpid(), 9)
        sys.exit(exit_code)
    unittest.main(argv=sys.argv[:1], verbosity=2)
