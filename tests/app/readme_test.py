"""Runs what the README shows: its commands on the quickstart, and its Python on the results."""
import os
import re
import subprocess
import sys
import tempfile

try:
    import xarray  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

root, build = sys.argv[1:3]
text = open(os.path.join(root, "README.md"), encoding="utf-8").read()
blocks = re.findall(r"```(\w*)\n(.*?)```", text, flags=re.S)
python = [body for kind, body in blocks if kind == "python"]
jobs = [body for kind, body in blocks if kind == "yaml"]
commands = [line.split("#")[0].split() for kind, body in blocks if kind == "sh"
            for line in body.splitlines() if line.startswith("build/kernelbatch")]
assert len(python) == 1 and len(jobs) == 2 and len(commands) >= 6, "the README has lost its examples"

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.symlink(build, "build")
    os.symlink(os.path.join(root, "jobs"), "jobs")
    # The README's jobs are for a GPU; a thousandth of them is the same here.
    for name, text in zip(("first.yaml", "kernels.yaml"), jobs):
        with open(name, "w", encoding="utf-8") as job:
            job.write(text.replace("1e8", "1e5"))
    commands.append(["build/kernelbatch", "run", "--device", "host", "kernels.yaml"])
    subprocess.run(["build/kernelbatch", "run", "--device", "host", "jobs/quickstart.yaml"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout, f"{command}: {done.stderr}"
    printed = subprocess.run([sys.executable, "-c", python[0]], capture_output=True, text=True)
    assert printed.returncode == 0, printed.stderr
    for word in ("reduction", "hillshade", "cold_median"):
        assert word in printed.stdout, f"{word} is not in what the README's Python prints"
print(f"{len(commands)} commands and the Python of the README work")
