"""User-defined kernels from CuPy's tests and documentation, as inline jobs with NumPy's answers.

Usage: cases.py KERNELBATCH [--device host|cuda] [--filter REGEX] [--list] [--keep FOLDER] [--jobs N]

Each case is a job of one kernel, run by a process of its own. Its outputs are read from the HDF5 file and compared
with NumPy's, values, shapes and dtypes; or the job must be refused by `check`. The kernels are our own, the features
are those that CuPy's users have: the tables are elementwise.py, reduction.py, fuse.py, raw.py and jit.py.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

warnings.simplefilter("ignore")
np.seterr(all="ignore")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
import elementwise  # noqa: E402, F401
import fuse  # noqa: E402, F401
import jit  # noqa: E402, F401
import raw  # noqa: E402, F401
import reduction  # noqa: E402, F401
from table import CASES  # noqa: E402

STYLES = ["elementwise", "reduction", "fuse", "raw", "jit"]
TOLERANCE = {"f2": 2e-3, "f4": 4e-6, "c8": 4e-6, "f8": 1e-12, "c16": 1e-12}


def differs(got, wanted, rtol):
    """Why the arrays differ; empty if they agree."""
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"{got.dtype} {got.shape}, not {wanted.dtype} {wanted.shape}"
    if wanted.dtype.kind in "fc":
        rtol = rtol if rtol >= 0 else TOLERANCE[wanted.dtype.str[1:]]
        finite = np.where(np.isfinite(wanted), np.abs(wanted), 0).astype("f8")
        atol = rtol * max(1.0, finite.max(initial=0)) if rtol else 0
        wide = "c16" if wanted.dtype.kind == "c" else "f8"
        fits = np.isclose(got.astype(wide), wanted.astype(wide), rtol=rtol, atol=atol, equal_nan=True)
    else:
        fits = got == wanted
    if np.all(fits):
        return ""
    at = tuple(np.argwhere(~fits)[0])
    return f"{got[at]!r}, not {wanted[at]!r}, at {tuple(map(int, at))}"


def outputs(path):
    """Contents of the result file, by output."""
    found = {}
    with h5py.File(path) as file:
        (case,) = file["outputs"].values()
        for name, array in case["v"].items():
            if "device_dtype" not in array.attrs:
                continue  # an axis
            dtype = np.dtype(array.attrs["device_dtype"])
            x = array[()]
            if dtype.kind == "c":
                x = np.ascontiguousarray(x).view(dtype)[..., 0]
            found[name] = np.asarray(x).astype(dtype)
    return found


def fault(case, command, device, folder):
    """Why a case fails; empty if it passes."""
    job = case.write(folder, device)
    verb = "check" if case.refused else "run"
    try:
        done = subprocess.run([command, verb, job], capture_output=True, text=True, check=False, timeout=1800)
    except subprocess.TimeoutExpired:
        return f"{verb} did not end"
    said = done.stdout + done.stderr
    reason = next((line for line in said.splitlines() if re.search("kernelbatch: | in phase ", line)),
                  said[-300:]).strip()
    if case.refused:
        if done.returncode != 2:
            return f"not refused: {done.returncode}"
        return "" if re.search(case.refused, said) else f"refused for another reason: {reason}"
    if case.fails:
        if done.returncode == 0:
            return "did not fail"
        return "" if re.search(case.fails, said) else f"failed for another reason: {reason}"
    if done.returncode not in (0, 1):
        return f"ended with {done.returncode}: {reason}"
    found, wanted = outputs(folder / f"{case.key}.h5"), case.wanted()
    if "*" in wanted and len(found) == 1:
        wanted = {name: wanted["*"] for name in found}
    faults = [f"{name}: no output, only {', '.join(found)}" for name in wanted if name not in found]
    faults += [
        f"{name}: {why}" for name, x in wanted.items() if name in found for why in [differs(found[name], x, case.rtol)]
        if why
    ]
    return "; ".join(faults)


def judge(case, command, device, folder):
    try:
        return fault(case, command, device, folder)
    except Exception as error:  # an unreadable answer is an error of only this case
        return f"{type(error).__name__}: {error}"


def table(cases, faults):
    """Counts by style."""
    lines = [f"{'style':12} {'cases':>5} {'pass':>5} {'fail':>5} {'marked':>6}"]
    for style in [*STYLES, "all"]:
        these = [case for case in cases if style in ("all", case.style)]
        if these:
            failed = [case for case in these if faults[case.key]]
            marked = sum(1 for case in failed if case.pending)
            lines.append(f"{style:12} {len(these):5} {len(these) - len(failed):5} {len(failed) - marked:5} {marked:6}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", nargs="?", help="the executable")
    parser.add_argument("--device", default="host")
    parser.add_argument("--filter", default="", help="of STYLE.NAME, a regular expression")
    parser.add_argument("--list", action="store_true", help="list the cases and exit")
    parser.add_argument("--keep", help="a folder for the jobs and their results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    kind = "host" if options.device == "host" else "cuda"
    cases = [case for case in CASES if re.search(options.filter, case.key) and case.only in ("", kind)]
    if not cases:
        parser.error(f"no case matches {options.filter}")
    if options.list:
        print("\n".join(f"{case.key:40} {case.feature}{' (refused)' * bool(case.refused)}" for case in cases))
        return 0
    if not options.command:
        parser.error("the executable is missing")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        command = pathlib.Path(options.command).absolute()
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            found = pool.map(lambda case: judge(case, command, options.device, folder), cases)
            faults = {case.key: why for case, why in zip(cases, found)}
    for case in cases:
        if faults[case.key]:
            print(f"{'marked' if case.pending else 'FAIL':6} {case.key}: {case.feature}\n       {faults[case.key]}")
        elif case.pending:
            print(f"passes {case.key}: its mark can go ({case.pending})")
    print(table(cases, faults))
    return 1 if any(faults[case.key] and not case.pending for case in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
