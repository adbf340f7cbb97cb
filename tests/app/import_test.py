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
    job = folder / "many.yaml"
    assert run("import", many, "-o", job).returncode == 0
    assert run("check", job).returncode == 0
    text = job.read_text(encoding="utf-8")
    params = {name: int(value) for name, value in re.findall(r"^  (n_\w+): (\d+)$", text, flags=re.M)}
    inputs = {}
    values = np.random.default_rng(3)

    def made(found):
        """An input from a file instead of a random one."""
        name, shape, dtype = found[1], eval(f"[{found[2]}]", {}, params), found[3]
        shape = [eval(x, {}, params) if isinstance(x, str) else x for x in shape]
        x = values.integers(0, 10, shape) if "int" in dtype else values.integers(-40, 41, shape) / 8
        inputs[name] = (x + 1j * x[::-1] if "complex" in dtype else x).astype(dtype)
        np.save(folder / f"{name}.npy", inputs[name])
        return f"  {name}: {{file: {name}.npy}}"

    text = re.sub(r"^  (\w+): \{random: .*shape: \[(.*?)\], dtype: (\w+).*$", made, text, flags=re.M)
    job.write_text(text, encoding="utf-8")
    done = run("run", "--device", "host", "-q", "-o", folder / "many.h5", "-s", "measure.preset=quick", "-s",
               "measure.calibrate=false", "-s", "measure.stop.max_samples=1", "-s", "measure.stop.min_samples=1", job)
    assert done.returncode == 0, done.stdout + done.stderr

    def x(name):
        return inputs[name]

    def start(count, dtype="f4"):
        return np.zeros(count, dtype)

    def padded(array, total):
        return np.concatenate([array, np.zeros(total - len(array), array.dtype)])

    rows, total = params["n_turn"], params["n_plus_one"]
    wanted = {
        "gap": {"z": (x("gap_x") - x("gap_y")) * 2},
        "generic_mid": {"w": ((x("generic_mid_u") + x("generic_mid_v")) / 2)**2},
        "two_outputs": {"y": 2 * x("two_outputs_x") + 3, "big": x("two_outputs_x") > 0.5},
        "raw_ends": {"y": x("raw_ends_x") + x("raw_ends_table")[::-1]},
        "all_raw": {"all_raw_y": 4 * x("all_raw_x")},
        "ramp": {"ramp_r": np.arange(1024)**2},
        "looped": {"y": x("looped_x") * 0.25},
        "scaled": {"y": x("scaled_x") * 2.5},
        "norm": {"y": np.sqrt((x("norm_x")**2).sum(1))},
        "largest": {"top": x("largest_x").max()},
        "kept": {"y": x("kept_x").sum(0, keepdims=True)},
        "my_add": {"my_add_y": x("my_add_x1") + x("my_add_x2")},
        "bounded": {"bounded_y": x("bounded_x")},
        "turn": {"turn_t": x("turn_m").reshape(rows, rows).T.ravel()},
        "rotate": {"rotate_b": x("rotate_a") * 1j},
        "negate_float": {"negate_float_y": padded(-x("negate_float_x")[:256], 1024)},
        "negate_double": {"negate_double_y": padded(-x("negate_double_x")[:256], 1024)},
        "scale": {"scale_v": start(32) + np.float32(0.5)},
        "modulo": {"y": x("modulo_x") % 7},
        "triple_float": {"triple_float_v": start(10) + 1},
        "plus_one": {"plus_one_y": padded(x("plus_one_x")[:256] + 1, total)},
        "minus_one": {"minus_one_y": padded(x("minus_one_x")[:256] - 1, total)},
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
        (case,) = file["outputs"].values()
        assert set(case) == set(wanted), set(case) ^ set(wanted)
        for variant, outputs in wanted.items():
            for name, answer in outputs.items():
                array = case[variant][name]
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
