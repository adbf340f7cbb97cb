"""Opens a merged results file with h5py, xarray, pandas, ncdump and h5dump and checks what they see.

Usage: readers.py SAMPLE_FILE_EXECUTABLE. Exits 77 where a reader is not installed.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import h5netcdf  # noqa: F401
    import h5py
    import netCDF4
    import numpy as np
    import xarray as xr
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
for tool in ("ncdump", "h5dump"):
    if shutil.which(tool) is None:
        print(f"skipped: no {tool}")
        sys.exit(77)

TABLES = {
    "cases": ("case", 6),
    "samples": ("sample", 80040),
    "launches": ("launch", 6),
    "kernels": ("kernel", 6),
    "checks": ("check", 11),
    "findings": ("finding", 0),
    "counters": ("counter", 12),
    "calibration": ("device", 1),
    "environments": ("environment", 1),
    "jobs": ("job", 1),
}
Z = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11.5]).reshape(3, 4)


def check_h5py(path):
    with h5py.File(path, "r") as file:
        assert file.attrs["kernelbatch_schema"] == "2"
        assert file.attrs["Conventions"] == "CF-1.11"
        assert file.attrs["source"] == "kernelbatch test"
        for table, (dimension, rows) in TABLES.items():
            assert file[table][dimension].shape == (rows,), table
            for name, column in file[table].items():
                assert column.shape == (rows,), (table, name)
                assert column.dtype in (np.int64, np.float64, np.int8) or h5py.check_string_dtype(
                    column.dtype
                ), (table, name, column.dtype)
        z = file["outputs/c1/raw/z"]
        assert (z[...] == Z).all()
        assert [d[0].name.split("/")[-1] for d in z.dims] == ["row", "column"]
        assert z.attrs["units"] == "m" and z.attrs["device_dtype"] == "float64"
        large = file["outputs/c2/raw/large"]
        assert large.compression == "gzip" and large.shuffle and large.fletcher32
        assert (large[...] == 2.5).all()


def check_cases(cases):
    assert cases.sizes["case"] == 6
    assert cases.case_id.values.tolist() == ["c1", "c1", "c2", "c2", "c3", "c3"]
    assert cases.variant.values.tolist() == ["elementwise", "raw"] * 3
    assert cases.status.values.tolist() == ["ok", "ok", "failed", "ok", "ok", "ok"]
    assert cases.reason.values[2] == "größer als erlaubt"
    assert cases.cold_median.values.tolist() == [1e-3] * 6
    assert cases.cold_median.attrs["units"] == "s" and cases.cold_median.dtype == np.float64
    assert np.isnan(cases.host_median.values).all()
    assert np.isnan(cases.bandwidth.values[2]) and cases.bandwidth.values[0] == 24e6 / 1e-3
    assert cases.verified.dtype == bool and cases.verified.values.all()
    assert cases.deterministic.values.tolist() == [1] * 6
    assert cases.deterministic.attrs["flag_meanings"] == "unknown no yes"
    assert cases.start_time.values[0] == np.datetime64(1_700_000_000_000_000_002, "ns")
    assert cases.param_n.values.tolist() == [1000000] * 4 + [5, 5]
    assert cases.param_n.dtype == np.int64
    assert cases.param_alpha.values[0] == 0.5 and np.isnan(cases.param_alpha.values[5])
    assert cases.param_dtype.values.tolist() == ["float64"] * 4 + ["", ""]
    assert cases.sample_start.values.tolist() == [0, 10, 20, 30, 40, 40040]
    assert cases.max_ulp.values[0] == 2
    frame = cases.to_dataframe()
    assert len(frame) == 6 and frame.loc[0, "workload"] == "saxpy"
    assert frame.groupby("variant").cold_median.min()["raw"] == 1e-3


def check_xarray(path, engine):
    def opened(group):
        return xr.open_dataset(path, group=group, engine=engine)

    with opened("cases") as cases:
        check_cases(cases.load())
    for table, (dimension, rows) in TABLES.items():
        with opened(table) as data:
            assert data.sizes[dimension] == rows, table
            assert len(data.to_dataframe()) == rows
    with opened("samples") as samples:
        assert samples.time.values[1] == 1e-3 + 1e-6
        assert samples.kind.attrs["flag_meanings"] == "cold hot host"
        assert samples.kind.values[:3].tolist() == [0, 1, 0]
        assert samples["case"].values[[0, 39, -1]].tolist() == [0, 3, 5]
        assert samples.repetition.values[-1] == 39999
    with opened("launches") as launches:
        assert launches.kernel.values[0] == "saxpy" and launches.grid_x.values[0] == 7
    with opened("environments") as environments:
        assert environments.host.values[0] == "node1" and environments.cores.values[0] == 64
        assert environments.mps.values[0] == False  # noqa: E712
    with opened("jobs") as jobs:
        assert jobs.spec_written.values[0] == "workload: saxpy\n"
    with opened("outputs/c1/raw") as outputs:
        assert outputs.z.dims == ("row", "column") and (outputs.z.values == Z).all()
    with opened("outputs/c2/raw") as outputs:
        assert outputs.half.values.tolist() == [1, 2]
        assert outputs.half.attrs["device_dtype"] == "float16"
        assert outputs.wave.dims[-1] == "re_im" and outputs.wave.values[2].tolist() == [5, 6]
        assert outputs.flags.dtype == bool
        assert outputs.flags.values.tolist() == [True, False, True, True]
        assert outputs.large.shape == (100, 1000) and float(outputs.large.mean()) == 2.5
        assert float(outputs.total) == 7.25


def check_netcdf(path):
    with netCDF4.Dataset(path) as file:
        assert set(file.groups) == set(TABLES) | {"outputs"}
        assert not file.dimensions
        assert not file.groups["cases"].dimensions["case"].isunlimited()


def check_empty(path):
    for engine in ("netcdf4", "h5netcdf"):
        for table, (dimension, _) in TABLES.items():
            with xr.open_dataset(path, group=table, engine=engine) as data:
                rows = 1 if table in ("cases", "environments", "jobs") else 0
                assert data.sizes[dimension] == rows, (engine, table)
        with xr.open_dataset(path, group="cases", engine=engine) as cases:
            assert cases.reason.values.tolist() == ["no such device"]


def check_tools(path):
    for command in (["ncdump", "-h", path], ["h5dump", "-H", path]):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, (command, done.stderr)
        for name in [*TABLES, "outputs", "c2", "elementwise", "wave"]:
            assert name in done.stdout, (command, name)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "r.h5")
        empty = str(Path(folder) / "empty.h5")
        subprocess.run([sys.argv[1], path, empty], check=True)
        check_h5py(path)
        for engine in ("netcdf4", "h5netcdf"):
            print(f"xarray, {engine}")
            check_xarray(path, engine)
        check_netcdf(path)
        check_tools(path)
        check_empty(empty)


main()
