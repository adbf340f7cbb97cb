"""The first hour of a newcomer, as a log: first_hour.py SOURCE ROOT

ROOT is a bare Debian 12 root in which `apt install ./kernelbatch_*.deb` was run, with /proc and /dev mounted.
Every command of README.md and of the guide runs there in order, as it is written, and is printed with its output and the
time that it took. Not a test: what the commands do is tests/docs/docs_test.py's. Left out are those that build
kernelbatch or need a cluster.
"""
import os
import re
import subprocess
import sys
import time

source, root = map(os.path.abspath, sys.argv[1:3])
LEFT_OUT = r"^\./bootstrap |^cmake |^module | submit |\| man -l| --target sm_"
pages = ["README.md", *(f"jobs/guide/{name}" for name in sorted(os.listdir(f"{source}/jobs/guide")) if name != "README.md")]


def inside(command):
    begin = time.monotonic()
    done = subprocess.run(["chroot", root, "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "HOME=/root", "LC_ALL=C.UTF-8", "bash", "-c",
                           f"cd /root/hour && {command}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout, done.returncode, time.monotonic() - begin


inside_folder = f"{root}/root/hour"
os.makedirs(f"{inside_folder}/build", exist_ok=True)
os.makedirs(f"{root}/root/.config/fish/completions", exist_ok=True)
for name, target in (("build/kernelbatch", "/usr/bin/kernelbatch"), ("jobs", "/usr/share/kernelbatch/jobs"),
                     ("data", "/usr/share/kernelbatch/data")):
    if not os.path.lexists(f"{inside_folder}/{name}"):
        os.symlink(target, f"{inside_folder}/{name}")
whole, failed = 0, 0
print(inside("kernelbatch run -q jobs/quickstart.yaml")[0])
for page in pages:
    print(f"=== {page}")
    with open(f"{source}/{page}", encoding="utf-8") as file:
        blocks = re.findall(r"```(\w*)\n(.*?)```", file.read(), flags=re.S)
    jobs = [body for kind, body in blocks if kind == "yaml"]
    if jobs:
        with open(f"{inside_folder}/first.yaml", "w", encoding="utf-8") as job:
            job.write(jobs[0])
        subprocess.run(["rm", "-f", f"{inside_folder}/results/first.h5"], check=True)
    for line in (line for kind, body in blocks if kind == "sh" for line in body.splitlines() if line.strip()):
        if re.search(LEFT_OUT, line):
            print(f"$ {line}\n(left out)\n")
            continue
        text, status, seconds = inside(line)
        whole += seconds
        failed += status not in (0,)
        lines = text.splitlines()
        shown = lines if len(lines) <= 40 else [*lines[:30], f"… {len(lines) - 30} more lines"]
        print(f"$ {line}")
        print("\n".join(shown))
        print(f"({seconds:.1f} s, status {status})\n", flush=True)
print(f"{whole:.0f} s in all, {failed} commands failed")
