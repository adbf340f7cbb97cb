"""`devices --verbose` on simulated machines: doctor_test.py KERNELBATCH BUILD"""
import json
import os
import stat
import subprocess
import sys
import tempfile

kernelbatch, build = map(os.path.abspath, sys.argv[1:3])


def examine(*more, **environment):
    base = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
    done = subprocess.run([kernelbatch, "devices", "--verbose", *more], capture_output=True, text=True, timeout=1800,
                          env={**base, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **environment})
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


def findings(**environment):
    text = examine("--json", **environment)
    return {section["section"]: {each["name"]: (each["good"], each["text"]) for each in section["findings"]}
            for section in json.loads(text)["sections"]}


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    # This machine, in both formats.
    text = examine()
    for section, found in findings().items():
        assert f"\n{section}\n" in text, section
        for name, (good, said) in found.items():
            assert said and "\n" not in said, (section, name)
            assert f"  {'+' if good else '-'} {name} " in text, (section, name)

    # An empty machine: no home, no PATH, an unwritable folder, invalid plugins.
    os.makedirs("plugins")
    with open("plugins/broken.so", "w", encoding="utf-8") as file:
        file.write("no library")
    nothing = findings(HOME="/nowhere", PATH="/nowhere", KERNELBATCH_PLUGIN_PATH=f"{folder}/plugins",
                       KERNELBATCH_CACHE_SHARED="/nowhere/shared", CUDA_HOME="/nowhere", LC_ALL="C")
    assert not nothing["kernel cache"]["user's"][0]
    assert nothing["kernel cache"]["site's"] == (False, "/nowhere/shared is not a folder (KERNELBATCH_CACHE_SHARED)")
    good, said = nothing["plugins"]["broken"]
    assert not good and "broken.so" in said, said
    assert nothing["plugins"]["mse"][0] and "variants" in nothing["plugins"]["mse"][1]
    assert nothing["Slurm"]["sbatch"] == (False, "not found")
    assert nothing["Slurm"]["allocation"] == (True, "not inside one")
    assert not nothing["GPU"]["host compiler"][0]
    assert "not UTF-8" in nothing["terminal"]["locale"][1]

    # A cache, an allocation, Slurm's commands.
    os.makedirs("bin")
    with open("bin/sbatch", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho slurm 99.1\n")
    os.chmod("bin/sbatch", stat.S_IRWXU)
    there = findings(KERNELBATCH_CACHE_DIR=f"{folder}/cache", PATH=f"{folder}/bin:/usr/bin:/bin",
                     SLURM_JOB_ID="77", SLURM_JOB_GPUS="0", HDF5_USE_FILE_LOCKING="FALSE")
    assert there["kernel cache"]["user's"] == (True, f"{folder}/cache: 0 entries, 0 B of 2.00 GiB")
    assert not os.path.exists("cache"), "looking made a folder"
    assert there["Slurm"]["sbatch"] == (True, f"{folder}/bin/sbatch: slurm 99.1")
    assert there["Slurm"]["allocation"] == (True, "job 77, with GPUs")
    assert there["results"]["HDF5's locks"] == (True, "HDF5_USE_FILE_LOCKING=FALSE")
    assert there["results"]["locks here"][0] and there["results"]["HDF5"][1].count(".") == 2
    assert findings(KERNELBATCH_CACHE_MAX_SIZE="lots")["kernel cache"]["user's"][0] is False

    # A driver and slices.
    fakes = f"{build}/tests"
    if os.path.exists(f"{fakes}/fake_cuda/libcuda.so.1"):
        gpu = findings(LD_LIBRARY_PATH=f"{fakes}/fake_cuda:{fakes}/fake_nvml", FAKE_GPUS="seven")["GPU"]
        assert gpu["driver"][0] and f"{fakes}/fake_cuda/libcuda.so.1" in gpu["driver"][1], gpu
        assert gpu["NVML"][0] and "driver 580.65.06, 1 GPUs, " in gpu["NVML"][1], gpu
        assert f"{fakes}/fake_nvml/libnvidia-ml.so.1" in gpu["NVML"][1], gpu
        alone = findings(LD_LIBRARY_PATH=f"{fakes}/fake_cuda", FAKE_GPUS="seven")["GPU"]
        assert alone["driver"][0] and alone["NVML"][0] == os.path.exists("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1")
        off = findings(KERNELBATCH_CUPTI="0")["GPU"]
        assert off["CUPTI"] == (False, "switched off (KERNELBATCH_CUPTI=0)"), off
        both = json.loads(examine("--json", LD_LIBRARY_PATH=f"{fakes}/fake_cuda:{fakes}/fake_nvml", FAKE_GPUS="seven"))
        assert both["devices"][0]["slice"] == "1g.10gb" and both["devices"][-1]["device"] != "", both["devices"]
print("existing and missing parts are reported")
