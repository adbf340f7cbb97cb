"""Batch runs of GPU kernels in every style, verified and timed.

    kernelbatch run job.yaml                         # the command; also `python -m kernelbatch`

    import kernelbatch
    kernelbatch.run("job.yaml", device="host", output="r.h5")
    cases = kernelbatch.open("r.h5")                 # an xarray.Dataset: one element for each case and variant
    frame = kernelbatch.frame("r.h5")                # the same as a pandas.DataFrame
    with kernelbatch.Judge(reference="ref.cu", inputs={"x": "x.npy"}, outputs=["y"]) as judge:
        judge.submit(source).result()["verdict"]     # verdicts about kernels in a loop
    kernelbatch.capture(train.step, kernel="softmax", output="softmax.yaml")   # a kernel of a function as a job

`open` and `frame` need xarray and h5netcdf or netCDF4: pip install xarray h5netcdf.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys

from .capture import capture
from .judge import Judge

__version__ = "@version@"
__all__ = ["Judge", "capture", "frame", "open", "prefix", "program", "run"]

#: The installed files: bin, lib, include, share. For CMAKE_PREFIX_PATH, and share/kernelbatch/jobs.
prefix = pathlib.Path(__file__).resolve().parent / "installed"
#: The executable.
program = prefix / "bin" / "kernelbatch"


def open(file, group="cases"):
    """A table of a results file as an xarray.Dataset, read completely: "cases", "samples", "launches", "kernels", …

    Stored arrays are groups, too: "outputs/CASE_ID/VARIANT". Raises ImportError where no reader is installed.
    """
    engines = [name for name, module in (("h5netcdf", "h5netcdf"), ("netcdf4", "netCDF4"))
               if importlib.util.find_spec(module)]
    if not engines or not importlib.util.find_spec("xarray"):
        raise ImportError("kernelbatch.open() and frame() read results with xarray, and h5netcdf or netCDF4, of which "
                          'something is not installed: pip install xarray h5netcdf pandas')
    import xarray
    with xarray.open_dataset(file, group=group, engine=engines[0]) as data:
        return data.load()


def frame(file, group="cases"):
    """The same table as a pandas.DataFrame."""
    return open(file, group).to_dataframe()


def run(job, *arguments, **options):
    """Runs `kernelbatch run job`, and returns its exit code: 0 good, 1 a result is wrong or suspect, others as in its manual.

    `run("job.yaml", "--overwrite", set="measure.preset=quick")` is `run job.yaml --overwrite --set measure.preset=quick`.
    """
    words = [str(program), "run", os.fspath(job), *map(str, arguments)]
    for name, value in options.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    return subprocess.run(words, check=False, env=_environment()).returncode


def _environment():
    """This process's environment, in which the loader also finds pip's NVRTC and nvJitLink (nvidia-cuda-nvrtc-cu12)."""
    spec = importlib.util.find_spec("nvidia")
    folders = [str(folder) for place in (spec.submodule_search_locations if spec else ())
               for folder in sorted(pathlib.Path(place).glob("*/lib"))
               if any(folder.glob("libnvrtc.so.*")) or any(folder.glob("libnvJitLink.so.*"))]
    known = os.environ.get("LD_LIBRARY_PATH")
    return {**os.environ, "LD_LIBRARY_PATH": ":".join([known] * bool(known) + folders)} if folders else dict(os.environ)


def main():
    """The command, which replaces this process."""
    os.execve(program, ["kernelbatch", *sys.argv[1:]], _environment())
