#!/usr/bin/env python3
"""Every option of the installed sbatch is a key of `slurm:`, by the schema: options_test.py KERNELBATCH"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# They only change what sbatch prints, or replace the script.
NO_KEYS = {"help", "usage", "version", "verbose", "quiet", "parsable", "test-only", "wait", "wrap", "ignore-pbs"}

if shutil.which("sbatch") is None:
    print("skipped: sbatch not found: apt-get install slurm-client")
    sys.exit(77)
with tempfile.NamedTemporaryFile("w", suffix=".conf") as configuration:
    configuration.write("ClusterName=none\nSlurmctldHost=localhost\n")
    configuration.flush()
    shown = subprocess.run(["sbatch", "--help"], env=dict(os.environ, SLURM_CONF=configuration.name), text=True,
                           capture_output=True, check=True).stdout
options = set(re.findall(r"^ +(?:-\w, +|-\w  +)?--([a-z-]+)", shown, flags=re.M))
assert len(options) > 80, shown
keys = set(json.loads(subprocess.run([sys.argv[1], "schema"], capture_output=True, check=True).stdout)
           ["definitions"]["slurm"]["properties"])
missing = sorted(option for option in options - NO_KEYS if option.replace("-", "_") not in keys and
                 option.removeprefix("no-").replace("-", "_") not in keys)
assert not missing, f"options of sbatch without a key in core/job/keys/slurm_keys.cpp: {', '.join(missing)}"
print(f"{len(options)} options of sbatch, {len(keys)} keys")
