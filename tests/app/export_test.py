"""Reads what `kernelbatch export` writes with csv, json, NumPy and pandas.

Usage: export_test.py KERNELBATCH SAMPLE_FILE_EXECUTABLE. Exits 77 without NumPy, pandas or h5py.
"""
import csv
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import h5py
    import numpy as np
    import pandas as pd
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

kernelbatch, sample_file = sys.argv[1:3]


def export(*arguments, status=0):
    done = subprocess.run([kernelbatch, "export", *map(str, arguments)], capture_output=True)
    assert done.returncode == status, (arguments, done)
    return done.stdout if status == 0 else done.stderr.decode()


def check_csv(path):
    text = export(path)
    assert text.count(b"\r\n") == 7 and b"\n" not in text.replace(b"\r\n", b"")
    rows = list(csv.DictReader(io.StringIO(text.decode(), newline="")))
    assert [row["case_id"] for row in rows] == ["c1", "c1", "c2", "c2", "c3", "c3"]
    assert rows[2]["status"] == "failed" and rows[2]["reason"] == "größer als erlaubt"
    assert rows[0]["cold_median"] == "0.001" and rows[0]["param_dtype"] == "float64"
    assert rows[0]["host_median"] == "" and rows[5]["param_alpha"] == ""
    frame = pd.read_csv(io.BytesIO(text))
    assert frame.speedup.tolist() == [1.5] * 6 and frame.param_n.tolist()[0] == 1000000
    samples = pd.read_csv(io.BytesIO(export(path, "--table", "samples", "--case", "c1")))
    assert len(samples) == 20 and set(samples.kind) == {"cold", "hot"}
    assert samples.time[1] == 1e-3 + 1e-6
    launches = pd.read_csv(io.BytesIO(export(path, "--table", "launches")))
    assert launches.kernel.tolist() == ["saxpy"] * 6 and launches.grid_x[0] == 7
    assert len(pd.read_csv(io.BytesIO(export(path, "--table", "checks")))) == 11
    assert len(pd.read_csv(io.BytesIO(export(path, "--table", "kernels")))) == 6


def check_json(path):
    data = json.loads(export(path, "--format", "json", "--variant", "raw"))
    assert data["kernelbatch_schema"] == 2 and len(data["results"]) == 3
    result = data["results"][0]
    assert result["variant"] == "raw" and len(result["samples"]) == 10
    assert result["params"]["n"] == 1000000 and data["jobs"][result["job"]]["name"] == "demo"
    assert data["environments"][result["environment"]]["host"] == "node1"
    assert data["calibration"][0]["noise_floor"] == 0.005


def check_t4(path):
    data = json.loads(export(path, "--format", "t4"))
    assert data["schema_version"] == "1.0.0" and len(data["results"]) == 6
    for result in data["results"]:
        for key in ("configuration", "times", "invalidity", "correctness", "measurements"):
            assert key in result
        assert result["invalidity"] in ("timeout", "compile", "runtime", "correctness",
                                        "constraints", "correct")
        assert result["objectives"] == ["time"]
        assert all(isinstance(m["value"], float) for m in result["measurements"])
    first, failed = data["results"][0], data["results"][2]
    assert first["configuration"] == {"workload": "saxpy", "variant": "elementwise", "n": 1000000,
                                      "alpha": 0.5, "dtype": "float64", "in_place": True}
    assert first["times"]["runtimes"][0] == 1.0 and first["times"]["compilation_time"] == 250.0
    assert first["measurements"][0] == {"name": "time", "value": 1.0, "unit": "ms"}
    assert first["timestamp"].startswith("2023-11-14T")
    assert failed["invalidity"] == "runtime" and failed["correctness"] == 0


def check_npy(path, folder):
    assert "-o" in export(path, "--format", "npy", status=2)
    export(path, "--format", "npy", "-o", folder)
    z = np.load(folder / "c1/raw/z.npy")
    assert z.shape == (3, 4) and z.dtype == np.float64 and z[2, 3] == 11.5
    half = np.load(folder / "c2/raw/half.npy")
    assert half.dtype == np.float16 and half.tolist() == [1, 2]
    wave = np.load(folder / "c2/raw/wave.npy")
    assert wave.dtype == np.complex64 and wave.tolist() == [1 + 2j, 3 + 4j, 5 + 6j]
    flags = np.load(folder / "c2/raw/flags.npy")
    assert flags.dtype == bool and flags.tolist() == [True, False, True, True]
    assert np.load(folder / "c2/raw/large.npy").shape == (100, 1000)
    assert np.load(folder / "c2/raw/total.npy").shape == ()


def check_table(path, flat):
    assert "-o" in export(path, "--format", "table", status=2)
    export(path, "--format", "table", "-o", flat)
    with h5py.File(flat) as file:
        rows = file["cases/table"][...]
        assert rows["case_id"][2] == b"c2" and np.isnan(rows["host_median"]).all()
        assert rows["param_n"].dtype == np.int64 and rows["reason"][2].decode() == "größer als erlaubt"
    try:
        import tables  # noqa: F401
    except ImportError:
        print("no PyTables: pandas.read_hdf skipped")
        return
    frame = pd.read_hdf(flat)
    assert frame.equals(pd.read_hdf(flat, "cases"))
    assert len(frame) == 6 and frame.cold_median.tolist() == [1e-3] * 6
    assert frame.variant.tolist() in (["elementwise", "raw"] * 3, [b"elementwise", b"raw"] * 3)


with tempfile.TemporaryDirectory() as name:
    path = Path(name) / "r.h5"
    subprocess.run([sample_file, path, Path(name) / "empty.h5"], check=True)
    before = path.read_bytes()
    check_csv(path)
    check_json(path)
    check_t4(path)
    check_npy(path, Path(name) / "arrays")
    check_table(path, Path(name) / "flat.h5")
    assert "did you mean" in export(path, "--variant", "rwa", status=2)
    assert "onto itself" in export(path, "--format", "table", "-o", path, status=2)
    assert path.read_bytes() == before
print("csv, json, t4, npy and table are as their readers expect")
