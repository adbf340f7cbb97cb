"""`kernelbatch import`: import_test.py KERNELBATCH

import/many.py has a kernel for each way in which CuPy's users define one. The job that is made of it runs on the
host, on inputs that are made here, and its outputs are NumPy's.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

kernelbatch = pathlib.Path(sys.argv[1]).absolute()
many = pathlib.Path(__file__).parent / "import" / "many.py"


def run(*words, **more):
    return subprocess.run([kernelbatch, *map(str, words)], capture_output=True, text=True, timeout=3000, **more)


def line_of(text):
    lines = many.read_text(encoding="utf-8").splitlines()
    return next(k for k, line in enumerate(lines, 1) if text in line)


# Constants of any size, and files that never end.
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "wide.py"
    source.write_text('''import cupy as cp
N = 3
a = cp.ElementwiseKernel("float32 x", "float32 y", f"y = x * {N:10000000000d}", "a")
b = cp.ElementwiseKernel("float32 x", "float32 y", "y = x * {:{}d}".format(N, 9999999999), "b")
c = cp.ElementwiseKernel("float32 x", "float32 y", "y = x * %10000000000d" % N, "c")
d = cp.ElementwiseKernel("float32 x", "float32 y", "y = x * {:d} + 100000".format(N), "d")
''', encoding="utf-8")
    done = run("import", source)
    assert done.returncode == 0 and len(re.findall(r":[345]: left out: ", done.stderr)) == 3, done.stderr
    assert "y = x * 3 + 100000" in done.stdout, done.stdout
    pipe = pathlib.Path(folder) / "pipe"
    os.mkfifo(pipe)
    for endless in (pipe, "/dev/zero"):
        done = run("import", endless)
        assert done.returncode == 2 and "not a regular file" in done.stderr, done

# Skipped kernels, with their lines.
done = run("import", many)
assert done.returncode == 0, done
left_out = re.findall(r"^(.*?):(\d+): left out: (.*)$", done.stderr, flags=re.M)
assert len(left_out) == len(done.stderr.splitlines()) == 6, done.stderr
expected = [("*LISTS", r"\* or \*\*"), ("textured =", "texture"), ("open(", "not a constant"),
            ("kernels.cubin", "is a file"), ("def branching", "if x > 0"), ("def copy", "kind: jit")]
for (place, line, why), (text, pattern) in zip(left_out, expected):
    assert place == str(many) and int(line) == line_of(text) and re.search(pattern, why), (place, line, why)

# One kernel keeps its names.
one = run("import", many, "--kernel", "norm").stdout
assert "  x: {random: uniform, shape: [n, 16], dtype: float32, seed: 1}\n" in one and "axis: 1" in one, one

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    # CuPy's documented kernels. A job never has a kernel that its own sanitizer rejects.
    job = folder / "documented.yaml"
    done = run("import", many.parent / "documented.py", "-o", job)
    assert done.returncode == 0 and done.stdout.endswith(": 14 kernels\n"), done
    assert re.search(r"left out: last_thread: .* race error: a thread writes y\[0\]", done.stderr), done.stderr
    assert re.search(r"^  n: 1024$", job.read_text(encoding="utf-8"), flags=re.M)
    for size in (1024, 1000):
        done = run("run", "--sanitize", "-q", "-o", folder / f"documented{size}.h5", "-p", f"n={size}", job)
        assert done.returncode == 0 and "unsafe" not in done.stdout, done

    job = folder / "many.yaml"
    assert run("import", many, "-o", job).returncode == 0
    assert run("check", job).returncode == 0
    done = run("run", "--sanitize", "-q", "-o", folder / "sanitized.h5", job)
    assert done.returncode == 0, done
    head, *entries = re.split(r"(?m)^  - ", job.read_text(encoding="utf-8"))
    total, = [int(value) for value in re.findall(r"^  n: (\d+)$", head, flags=re.M)]
    inputs = {}
    values = np.random.default_rng(3)

    def with_files(entry):
        """A workload with inputs from files instead of random ones."""
        kernel = re.search(r"^    variants:\n      (\w+):", entry, flags=re.M)[1]

        def made(found):
            name, dtype = f"{kernel}_{found[1]}", found[3]
            known = {"n": total, "ceil": np.ceil}
            shape = [int(eval(str(x), known)) for x in eval(f"[{found[2]}]", known)]
            x = values.integers(0, 10, shape) if "int" in dtype else values.integers(-40, 41, shape) / 8
            inputs[name] = (x + 1j * x[::-1] if "complex" in dtype else x).astype(dtype)
            np.save(folder / f"{name}.npy", inputs[name])
            return f"      {found[1]}: {{file: {name}.npy}}"

        return re.sub(r"^      (\w+): \{random: .*shape: \[(.*?)\], dtype: (\w+).*$", made, entry, flags=re.M)

    job.write_text("  - ".join([head, *map(with_files, entries)]), encoding="utf-8")
    done = run("run", "--device", "host", "-q", "-o", folder / "many.h5", "-s", "measure.preset=quick", "-s",
               "measure.calibrate=false", "-s", "measure.stop.max_samples=1", "-s", "measure.stop.min_samples=1", job)
    assert done.returncode == 0, done.stdout + done.stderr

    def x(name):
        return inputs[name]

    def start(count, dtype="f4"):
        return np.zeros(count, dtype)

    def padded(array, total):
        return np.concatenate([array, np.zeros(total - len(array), array.dtype)])

    rows = int(np.ceil(total**0.5))
    wanted = {
        "gap": {"z": (x("gap_x") - x("gap_y")) * 2},
        "generic_mid": {"w": ((x("generic_mid_u") + x("generic_mid_v")) / 2)**2},
        "two_outputs": {"y": 2 * x("two_outputs_x") + 3, "big": x("two_outputs_x") > 0.5},
        "raw_ends": {"y": x("raw_ends_x") + x("raw_ends_table")[::-1]},
        "all_raw": {"y": 4 * x("all_raw_x")},
        "ramp": {"r": np.arange(total)**2},
        "looped": {"y": x("looped_x") * 0.25},
        "scaled": {"y": x("scaled_x") * 2.5},
        "norm": {"y": np.sqrt((x("norm_x")**2).sum(1))},
        "largest": {"top": x("largest_x").max()},
        "kept": {"y": x("kept_x").sum(0, keepdims=True)},
        "my_add": {"y": x("my_add_x1") + x("my_add_x2")},
        "bounded": {"y": x("bounded_x")},
        "turn": {"t": x("turn_m").reshape(rows, rows).T.ravel()},
        "rotate": {"b": x("rotate_a") * 1j},
        "negate_float": {"y": padded(-x("negate_float_x")[:256], 1024)},
        "negate_double": {"y": padded(-x("negate_double_x")[:256], 1024)},
        "scale": {"v": start(32) + np.float32(0.5)},
        "modulo": {"y": x("modulo_x") % 7},
        "triple_float": {"v": start(total) + 1},
        "plus_one": {"y": padded(x("plus_one_x")[:256] + 1, 1024)},
        "minus_one": {"y": padded(x("minus_one_x")[:256] - 1, 1024)},
        "spread": {
            "out0": np.sqrt((x("spread_x") - x("spread_y"))**2 + 1), "out1": np.maximum(x("spread_x"), x("spread_y"))
        },
        "first_of_name": {"y": x("first_of_name_x") + 1},
        "second_of_name": {"y": x("second_of_name_x") - 2},
        "steps": {"y": (x("steps_x") * (2 / 1024)).astype("f4")},
        "bounded_ratio": {"out": np.minimum(x("bounded_ratio_x") / (np.abs(x("bounded_ratio_y")) + 1), 1)},
        "row_sums": {"out": (x("row_sums_x")**2).sum(1)},
    }
    with h5py.File(folder / "many.h5") as file:
        cases = {name: case for one in file["outputs"].values() for name, case in one.items()}
        assert set(cases) == set(wanted), set(cases) ^ set(wanted)
        for variant, outputs in wanted.items():
            for name, answer in outputs.items():
                array = cases[variant][name]
                dtype = np.dtype(array.attrs["device_dtype"])
                got = np.ascontiguousarray(array[()]).view(dtype)[...,
                                                                  0] if dtype.kind == "c" else array[()].astype(dtype)
                answer = np.asarray(answer)
                assert dtype == answer.dtype and got.shape == answer.shape, (variant, name, dtype, answer.dtype,
                                                                             got.shape, answer.shape)
                assert np.allclose(got, answer, rtol=1e-6), (variant, name, got, answer)

    # The file is read, not run; errors have their place.
    source = folder / "own.py"

    def refused(text, pattern):
        source.write_text(text, encoding="utf-8")
        done = run("import", source)
        assert done.returncode == 2 and not done.stdout and re.search(pattern, done.stderr), (text, done)

    refused("import cupy\nx = (\n", r"own\.py:2: ")
    refused("import cupy\n\0", r"own\.py:(1:)? .*null bytes")
    refused(f"x = {'-' * 50000}1\n", r"own\.py: ")
    refused("import numpy\n", "no kernel that can be turned")
    refused(f"import cupy\nopen({str(folder / 'ran')!r}, 'w')\nk = cupy.RawKernel(code, 'f')\n",
            r"own\.py:3: left out: RawKernel: 'code' is not known")
    assert not (folder / "ran").exists()
    for text, pattern in (("k = cupy.ElementwiseKernel('T x', 'T y', 'y = x', loop_perp='')",
                           "no argument 'loop_perp'"), ("k = cupy.ElementwiseKernel('T x, float33 q', 'T y', 'y = x')",
                                                        "float33"),
                          ("k = cupy.ElementwiseKernel('T i', 'T y', 'y = i', 'k')",
                           r"left out: ElementwiseKernel k: in_params: .*'i'"),
                          ("k = cupy.RawKernel('extern \"C\" __global__ void f(Cell* c) { c[0].x = 1; }', 'f')",
                           "no dtype for 'Cell'"),
                          ("k = cupy.RawKernel('extern \"C\" __global__ void f(int* c) { c[0] = 1; }', 'g')",
                           "no kernel 'g'"), ("n = n\nk = cupy.ElementwiseKernel('T x', 'T y', n)", "left out"),
                          ("k = cupy.fuse(1)\n@cupy.fuse\ndef f(x):\n  return x @ x", "left out"),
                          ("s = 'y = x'\ns += '1'\nk = cupy.ElementwiseKernel('T x', 'T y', s)",
                           "'s' is not one constant"), ("def f(s):\n  return cupy.ElementwiseKernel('T x', 'T y', s)",
                                                        "'s' is not one constant")):
        refused(f"import cupy\n{text}\n", pattern)
    done = run("import", folder / "missing.py")
    assert done.returncode == 2 and "missing.py" in done.stderr, done
    done = run("import", many, "-o", folder)
    assert done.returncode == 2 and done.stderr.endswith(f"kernelbatch: {folder}: Is a directory\n"), done
    done = run("import", many, env={**os.environ, "PATH": str(folder)})
    assert done.returncode == 2 and re.search(r"python3 \(3\.9 or newer\).*import", done.stderr), done
print(f"{len(wanted)} kernels turned into a job that runs and is right")
