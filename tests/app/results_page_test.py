"""Runs what the section on results in jobs/README.md shows: its commands, then its Python.

Usage: results_page_test.py SOURCE BUILD. Exits 77 without xarray, pandas and h5py.
"""
import os
import re
import subprocess
import sys
import tempfile

try:
    import h5py  # noqa: F401
    import pandas  # noqa: F401
    import xarray  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

root, build = sys.argv[1:3]
page = open(os.path.join(root, "jobs/README.md"), encoding="utf-8").read()
page = page[page.index("\n## Results\n"):]
blocks = re.findall(r"```(\w*)\n(.*?)```", page, flags=re.S)
commands = [line.split("#")[0].split() for kind, body in blocks if kind == "sh"
            for line in body.splitlines() if line.startswith("kernelbatch ")]
programs = [body for kind, body in blocks if kind == "python"]
assert len(commands) >= 9 and len(programs) >= 4, "the page has lost its examples"
# What each program must print, in the page's order.
words = [("reduction", "hillshade"), ("0.50",), ("float",), ("speedup", "mse")]

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    subprocess.run([f"{build}/kernelbatch", "run", "--device", "host", f"{root}/jobs/quickstart.yaml"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for command in commands:
        done = subprocess.run([f"{build}/{command[0]}", *command[1:]], capture_output=True, text=True)
        assert done.returncode == 0, (command, done)
    for written in ("report.html", "cases.csv", "flat.h5", "arrays"):
        assert os.path.exists(written), written
    for program, expected in zip(programs, words):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.returncode == 0, (program, done.stderr)
        for word in expected:
            assert word in done.stdout, (word, done.stdout)
print(f"{len(commands)} commands and {len(programs)} programs of jobs/README.md work")
