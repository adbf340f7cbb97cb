"""Follows plugins/README.md, section "A workload of your own in ten minutes": readme_test.py SOURCE BUILD

In order: runs its ```sh blocks, writes its ```cpp blocks, and applies its ```diff blocks, each to the last file that
the text before it names. Prints how long the commands took.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

root, build = map(os.path.abspath, sys.argv[1:3])
with open(os.path.join(root, "plugins", "README.md"), encoding="utf-8") as page:
    text = page.read()
steps = text[text.index("## A workload of your own in ten minutes"):text.index("## A workload in this tree")]


def changed(before, diff):
    """`before` with each hunk applied; its old lines must occur once."""
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        assert before.count(old) == 1, f"it occurs {before.count(old)} times: {old}"
        before = before.replace(old, new)
    return before


with tempfile.TemporaryDirectory() as here:
    os.symlink(build, f"{here}/build")
    environment = dict(os.environ, KERNELBATCH_DEVICE="host", KERNELBATCH_SET="measure.stop.timeout=0.02s")
    done, name, start, printed = {"sh": 0, "cpp": 0, "diff": 0}, None, time.monotonic(), ""
    for part in re.split(r"(```\w+\n.*?```)", steps, flags=re.S):
        block = re.match(r"```(\w+)\n(.*)```", part, flags=re.S)
        if not block:
            name = (re.findall(r"`(hypotenuse/[\w.]+)`", part) or [name])[-1]
            continue
        kind, body = block.groups()
        done[kind] += 1
        if kind == "sh":
            ran = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=here, env=environment,
                                 capture_output=True, text=True)
            printed += ran.stdout
            assert ran.returncode == 0, f"{body}\n{ran.stdout[-3000:]}{ran.stderr[-3000:]}"
            continue
        path, before = f"{here}/{name}", ""
        if kind == "diff":
            with open(path, encoding="utf-8") as file:
                before = file.read()
        else:
            assert not os.path.exists(path), f"{name} is there already"
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed(before, body) if kind == "diff" else body)
    took = time.monotonic() - start
    assert done["sh"] == 2 and done["cpp"] == 1 and done["diff"] == 7, f"the README has lost its steps: {done}"
    assert "100% tests passed" in printed, printed
    # Both dtypes of each variant, in the run at the end.
    table = printed[printed.index("hypotenuse  n=1000000"):]
    for variant in ("reference", "elementwise", "jit", "raw", "fused"):
        assert len(re.findall(rf"^ +{variant} +ok ", table, flags=re.M)) == 2, f"{variant} is not right: {table}"
print(f"the workload of plugins/README.md builds, passes its tests and runs: its commands took {took:.0f} s")
