"""Runs works with kernelbatch and reads the times and ceilings from its result files."""
import glob
import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from times import Times


# As for the peers; and only times.
ONE_PROCESS = {"processes": 1}
ONLY_TIMES = {**ONE_PROCESS, "counters": "off", "twins": "off"}


# ---------------------------------------------------------------- a job file for each work

def job_text(work, number, folder, seconds=0.5):
    # JSON is YAML.
    job = {"kernelbatch": 1, "name": f"w{number:03d}", "measure": {**ONLY_TIMES, "stop": {"timeout": f"{seconds}s"}},
           "output": {"file": os.path.join(folder, f"w{number:03d}.h5"), "arrays": "none"}}
    job.update(work.job)
    job["name"] = f"w{number:03d}"
    return json.dumps(job, indent=1)


def write_jobs(list_of_works, folder, seconds=0.5):
    files = []
    for number, work in enumerate(list_of_works):
        files.append(os.path.join(folder, f"w{number:03d}.yaml"))
        with open(files[-1], "w", encoding="utf-8") as file:
            file.write(job_text(work, number, folder, seconds))
    return files


def run_ours(kernelbatch, list_of_works, folder, device, seconds=0.5, limit=1e9):
    """{work: {style: seconds}}, {work: {style: what is wrong}}, ceilings in B/s. After `limit` seconds no work is begun."""
    remove_results(folder, "w*.h5")  # may be of other works
    files = write_jobs(list_of_works, folder, seconds)
    environment, begin = reference_environment(), time.monotonic()
    with open(os.path.join(folder, "ours.txt"), "w", encoding="utf-8") as log:
        for file in files:
            if time.monotonic() - begin < limit:
                subprocess.run([kernelbatch, "run", "-q", "--device", device, file], stdout=log, stderr=log, check=False,
                               env=environment)
    found = Found()
    for number, work in enumerate(list_of_works):
        result_file = os.path.join(folder, f"w{number:03d}.h5")
        if not os.path.exists(result_file):
            found.wrong[work.name] = {"": "no result file"}
            continue
        exported = read_results(kernelbatch, result_file)
        for result in exported["results"]:
            found.take(work, result)
        found.take_ceilings(exported)
    return found.times, found.wrong, found.ceilings()


# ---------------------------------------------------------------- jobs of many works

def groups_of(list_of_works):
    """{name: [(number, work)]}: inline works whose variants have the same names, and plugins' works. The variants are
    chosen on the command line, so that the CPU's reference is run but not timed."""
    groups = {}
    for number, work in enumerate(list_of_works):
        is_inline = work.job["workload"] == "inline"
        name = "-".join(work.job["variants"]) if is_inline else "plugins"
        groups.setdefault(name, []).append((number, work))
    return groups


def write_groups(list_of_works, folder, seconds, input_sets, evidence=False):
    """{group: its job file}; with `evidence`, hardware counters and twins are included."""
    files = {}
    for name, members in groups_of(list_of_works).items():
        entries = []
        for number, work in members:
            entry = dict(work.job)
            if entry["workload"] == "inline":
                entry["params"] = {"work": number}  # identifies its results
            same = next((each for each in entries if each["workload"] != "inline" and is_same_case(each, entry)), None)
            if same:  # the same case of two works is run once
                same["variants"] = same["variants"] + [each for each in entry["variants"] if each not in same["variants"]]
            else:
                entries.append(entry)
        job = {"kernelbatch": 1, "name": name, "workloads": entries,
               "measure": {**(ONE_PROCESS if evidence else ONLY_TIMES), "warmup": 2, "hot": False,
                           "stop": {"min_samples": 7, "max_samples": 200, "timeout": f"{seconds}s"}},
               "verify": {"input_sets": input_sets},
               "output": {"file": os.path.join(folder, f"{name}.h5"), "arrays": "none"}}
        files[name] = os.path.join(folder, f"{name}.yaml")
        with open(files[name], "w", encoding="utf-8") as file:
            json.dump(job, file, indent=1)
    return files


def start_groups(kernelbatch, list_of_works, folder, device, files, limit):
    """Runs the jobs one after another; yields (group, its works by number, its result file or None)."""
    remove_results(folder, "*.h5")
    environment = reference_environment()
    for name, members in groups_of(list_of_works).items():
        command = [kernelbatch, "run", "--device", device, files[name]]
        if name != "plugins":
            command += ["--only", "variant=" + name.replace("-", ",")]
        with open(os.path.join(folder, f"{name}.txt"), "w", encoding="utf-8") as log:
            with subprocess.Popen(command, stdout=log, env=environment) as process:
                try:
                    process.wait(limit)
                except subprocess.TimeoutExpired:
                    print(f"kernelbatch, {name}: stopped after {limit} s", file=sys.stderr)
                    process.send_signal(signal.SIGINT)
                    process.wait()
        result_file = os.path.join(folder, f"{name}.h5")
        exists = os.path.exists(result_file) or os.path.isdir(result_file + ".d")
        yield name, dict(members), result_file if exists else None


def work_of(result, group, by_number):
    if group != "plugins":
        return by_number.get(int(result["params"].get("work", -1)))
    return next((each for each in by_number.values() if is_of(result, each.job)), None)


def run_groups(kernelbatch, list_of_works, folder, device, seconds, input_sets, limit, found=None):
    """As run_ours, and the empty kernel's time; with progress on stderr. Each group may take `limit` seconds. Results
    are added to those of `found`."""
    found = found or Found()
    files = write_groups(list_of_works, folder, seconds, input_sets)
    for group, by_number, result_file in start_groups(kernelbatch, list_of_works, folder, device, files, limit):
        if result_file is None:
            for work in by_number.values():
                found.wrong[work.name] = {"": f"no result file: see {group}.txt"}
            continue
        exported = read_results(kernelbatch, result_file)
        for result in exported["results"]:
            work = work_of(result, group, by_number)
            if work is not None:
                found.take(work, result)
        found.take_ceilings(exported)
    for work in list_of_works:
        if work.name not in found.times and work.name not in found.wrong:
            found.wrong[work.name] = {"": "no result"}
    return found


def reasons_of(kernelbatch, list_of_works, folder, options):
    """{work: {style: sentence of `kernelbatch explain`}}, from runs with evidence."""
    reasons = {}
    os.makedirs(folder, exist_ok=True)
    files = write_groups(list_of_works, folder, options.seconds, 1, evidence=True)
    for group, by_number, result_file in start_groups(kernelbatch, list_of_works, folder, options.device, files,
                                                      options.limit_seconds):
        if result_file is None:
            continue
        explained = subprocess.run([kernelbatch, "explain", "--json", result_file], capture_output=True, text=True,
                                   check=True).stdout
        for result in json.loads(explained):
            work = work_of(result, group, by_number)
            if work is not None and result.get("sentence"):
                reasons.setdefault(work.name, {})[result["variant"]] = result["sentence"]
    return reasons


def is_same_case(one, other):
    return all(one.get(key) == other.get(key) for key in ("workload", "params"))


def is_of(result, job):
    return result["workload"] == job["workload"] and result["variant"] in job["variants"] and all(
        str(result["params"].get(name)) == str(value) for name, value in job["params"].items())


def reference_environment():
    """Makes references divide their rows among the cores, if the host's compiler has OpenMP. Its library is loaded
    from the start, because its threads outlive a reference's code. OpenMP starts threads, which the sandbox refuses."""
    compiler = os.environ.get("CXX") or shutil.which("g++")
    if not compiler:
        return dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "probe.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("void probe(double* x) {\n#pragma omp parallel for\nfor (int k = 0; k < 9; ++k) x[k] = k;\n}\n")
        done = subprocess.run([compiler, "-fopenmp", "-shared", "-fPIC", "-nostdlib", source, "-o",
                               os.path.join(folder, "probe.so")], capture_output=True, check=False)
    loaded = subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libgomp.so.1')"], capture_output=True,
                            check=False)
    if done.returncode != 0 or loaded.returncode != 0:
        print("no OpenMP: references run on one core", file=sys.stderr)
        return dict(os.environ)
    flags = f"{os.environ.get('KERNELBATCH_HOST_CXXFLAGS', '')} -fopenmp".strip()
    preload = f"libgomp.so.1 {os.environ.get('LD_PRELOAD', '')}".strip()
    return dict(os.environ, KERNELBATCH_HOST_CXXFLAGS=flags, LD_PRELOAD=preload, KERNELBATCH_NO_SANDBOX="1")


# ---------------------------------------------------------------- results

class Found:
    def __init__(self):
        self.times, self.wrong = Times(), {}
        self.calibration = {"copy_bandwidth": [], "read_bandwidth": [], "empty_launch": []}

    def take(self, work, result):
        if result["variant"] == "reference":
            if result["status"] != "ok":
                self.wrong.setdefault(work.name, {})["reference"] = result.get("reason", result["status"])
            return
        if result["status"] == "ok" and "cold_median" in result:
            self.times.add(work.name, result["variant"], result["cold_median"])
        elif result["status"] != "skipped":
            self.wrong.setdefault(work.name, {})[result["variant"]] = \
                result.get("reason") or result.get("suspect_reason") or result["status"]

    def take_ceilings(self, exported):
        for row in exported["calibration"]:
            for kind, values in self.calibration.items():
                if row.get(kind):
                    values.append(row[kind])

    def median(self, kind):
        return statistics.median(self.calibration[kind]) if self.calibration[kind] else math.nan

    def ceilings(self):
        return {"copy": self.median("copy_bandwidth"), "read": self.median("read_bandwidth")}


def read_results(kernelbatch, result_file):
    return json.loads(subprocess.run([kernelbatch, "export", result_file, "--format", "json"], capture_output=True,
                                     text=True, check=True).stdout)


def remove_results(folder, pattern):
    for old in glob.glob(os.path.join(glob.escape(folder), pattern)):
        os.remove(old)
    for old in glob.glob(os.path.join(glob.escape(folder), pattern + ".d")):
        shutil.rmtree(old)


def abilities_of(kernelbatch):
    """A function that maps a workload's name to the variants and dtypes that this kernelbatch has for it."""
    def abilities(workload):
        done = subprocess.run([kernelbatch, "describe", workload], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{workload} is left out: {done.stderr.strip()}", file=sys.stderr)
            return [], []
        text = done.stdout
        variants = re.findall(r"^  (\w+) ", text[text.index("\nVariants"):], re.M)[1:]
        dtypes = re.search(r"^  dtype .*$", text, re.M)
        return variants, re.findall(r"\b(?:b?float\d+)\b", dtypes.group(0)) if dtypes else []
    return abilities
