#!/usr/bin/env python3
"""NaN, infinity, -0 and subnormal numbers as inputs of every workload of real or complex numbers.

    tests/plugins/nonfinite_test.py KERNELBATCH [DEVICE]

Every variant must be correct, and the reference must match NumPy.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

random = np.random.default_rng(5)
REALS = {"float32": "complex64", "float64": "complex128"}


def special(shape, dtype, one_in):
    """Numbers in [-3, 3), of which some are NaN, infinite, -0 or subnormal."""
    x = random.uniform(-3, 3, shape).astype(dtype)
    if x.dtype.kind == "c":
        x = (x + 1j * random.uniform(-3, 3, shape)).astype(dtype)
    values = [np.nan, np.inf, -np.inf, -0.0, np.finfo(dtype).tiny / 4]
    flat = x.reshape(-1)
    for k in range(max(1, x.size // one_in)):
        value = values[k % len(values)]
        flat[random.integers(x.size)] = value if x.dtype.kind != "c" or k % 2 else complex(0.5, value)
    return x


def product(a, b):
    """Each element as the sum of its products, because BLAS may skip 0 times infinity."""
    return (a[:, :, None] * b[None, :, :]).sum(axis=1)


def times(a, z):
    """By parts, without C's recovery of infinities."""
    result = np.empty_like(z)
    result.real = a.real * z.real - a.imag * z.imag
    result.imag = a.real * z.imag + a.imag * z.real
    return result


def cases_of(dtype):
    """Workload, parameters, inputs, and each output according to NumPy; None: not compared with NumPy."""
    n, rows, cols = 1003, 300, 37

    def elements(workload, names, function, output, kind=dtype):
        arrays = {name: special(n, kind, 8) for name in names}
        yield workload, {"n": n, "dtype": kind}, arrays, {output: function(*arrays.values())}

    yield from elements("vector_add", "ab", lambda a, b: a + b, "c")
    yield from elements("scaled_add", "ab", lambda a, b: (a + b) * 2.5, "out")
    yield from elements("add_reverse", "xy", lambda x, y: x + y[::-1], "z")
    yield from elements("copy", "x", lambda x: x, "y")
    yield from elements("clipped_relu", "x", lambda x: np.minimum(np.maximum(x, 0), 6), "y")
    yield from elements("sin_exp", "x", lambda x: np.sin(x) * np.exp(-x * x), "y")
    yield from elements("square_exp", "x", lambda x: np.exp(x * x), "y")
    kind = REALS[dtype]
    yield from elements("abs2", "z", lambda z: z.real**2 + z.imag**2, "y", kind)
    yield from elements("complex_axpy", ("x1", "x2"), lambda x, y: x + times(0.5 - 1.25j, y), "y", kind)
    x, y = special((rows, cols), dtype, 8), special((rows, cols), dtype, 8)
    yield "squared_diff", {"rows": rows, "cols": cols, "dtype": dtype}, {"x": x, "y": y}, {"z": (x - y) ** 2}
    # For sums, few non-finite values, so that most sums are finite; other sizes make these separate cases.
    for more, value in enumerate((np.nan, np.inf)):
        x = random.uniform(-3, 3, n + more).astype(dtype)
        x[5] = value
        yield ("mse", {"n": n + more, "dtype": dtype}, {"y_true": x, "y_pred": np.zeros_like(x)},
               {"mse": np.mean(x.astype("f8") ** 2)})
    # A sum beyond the largest number of the type.
    x = np.full(n + 2, np.finfo(dtype).max / 4, dtype)
    yield "mse", {"n": n + 2, "dtype": dtype}, {"y_true": x, "y_pred": np.zeros_like(x)}, {"mse": np.inf}
    for more, one_in in enumerate((40, 2000)):
        shape = (rows + more, cols)
        params = {"rows": rows + more, "cols": cols, "dtype": dtype}
        x, y = special(shape, dtype, one_in), special(shape, dtype, one_in)
        yield "sum_of_products", params, {"x": x, "y": y}, {"z": (x * y).sum(axis=1)}
        x = np.where(np.isnan(x), np.inf, x).astype(dtype) if more else x
        for axis, name in ((0, "0"), (1, "1"), (None, "all")):
            yield "l2norm", {**params, "axis": name}, {"x": x}, {"norm": np.sqrt((x * x).sum(axis=axis))}
        m = 64 + more
        p, a, b = special(shape, dtype, one_in), special((m, m), dtype, one_in), special((m, m), dtype, one_in)
        yield "matmul", {"m": m, "n": m, "k": m, "dtype": dtype}, {"a": a, "b": b}, {"c": product(a, b)}
        yield ("overlap", {**params, "m": m}, {"p": p, "a": a, "b": b},
               {"squares": (p * p).sum(axis=1), "product": product(a, b)})
    for workload in ("csr_spmv", "diagonal_spmv"):
        yield workload, {"n": 500, "dtype": dtype}, {"x": special(500, dtype, 40)}, None
        # Most positions of its diagonals have no entry.
        yield (workload, {"n": 501, "dtype": dtype},
               {"A": "data/inputs/west0067.mtx", "x": special(67, dtype, 10)}, None)
    yield ("wave2d", {"rows": 64, "cols": 64, "steps": 3, "dtype": dtype},
           {"start": special((64, 64), dtype, 4000)}, None)
    if dtype == "float32":
        yield ("texture_resample", {"out_rows": 50, "out_cols": 60}, {"grid": special((40, 40), dtype, 400)}, None)


def differs(got, want, dtype):
    """The number of elements that differ from NumPy's by more than rounding errors, or are not equally infinite."""
    rtol = 1e-4 if dtype == "float32" else 1e-11
    parts = [(got[..., 0], want.real), (got[..., 1], want.imag)] if want.dtype.kind == "c" else [(got, want)]
    return sum(int((~np.isclose(g, w, rtol=rtol, atol=rtol, equal_nan=True)).sum()) for g, w in parts)


def main(command, device="host"):
    faults = 0
    count = 0
    for dtype in REALS:
        with tempfile.TemporaryDirectory() as here, np.errstate(all="ignore"):
            cases = list(cases_of(dtype))
            entries = []
            for k, (workload, params, arrays, _) in enumerate(cases):
                inputs = {}
                for name, array in arrays.items():
                    inputs[name] = {"file": array if isinstance(array, str) else f"{k}_{name}.npy"}
                    if not isinstance(array, str):
                        np.save(os.path.join(here, f"{k}_{name}.npy"), array)
                entries.append({"workload": workload, "params": params, "inputs": inputs})
            job = {"kernelbatch": 1, "device": device, "workloads": entries,
                   "measure": {"preset": "quick", "warmup": 0, "hot": False, "calibrate": False,
                               "stop": {"min_samples": 1, "max_samples": 1}},
                   "output": {"file": f"{here}/out.h5", "arrays": "all"}}
            with open(f"{here}/job.yaml", "w", encoding="utf-8") as file:
                json.dump(job, file)
            done = subprocess.run([command, "run", f"{here}/job.yaml"], capture_output=True, text=True)
            if done.returncode != 0:
                print(done.stdout + done.stderr)
                faults += 1
            with h5py.File(f"{here}/out.h5") as results:
                table = results["cases"]
                found = {}
                for place, status in enumerate(table["status"].asstr()):
                    count += status == "ok"
                    found[table["workload"].asstr()[place], table["params_json"].asstr()[place]] = \
                        table["case_id"].asstr()[place]
                for workload, params, _, wanted in cases:
                    matching = [case for (name, text), case in found.items() if name == workload
                                and all(json.loads(text).get(key) == value for key, value in params.items())]
                    assert len(matching) == 1, f"{workload} {params}: {len(matching)} cases in the results"
                    for output, want in (wanted or {}).items():
                        got = results["outputs"][matching[0]]["reference"][output][()]
                        wrong = differs(np.asarray(got), np.asarray(want), dtype)
                        if wrong:
                            print(f"{workload} {params}: {wrong} elements of '{output}' are not NumPy's")
                            faults += 1
    print(f"{count} results ok, {faults} faults")
    return 1 if faults or count < 300 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
