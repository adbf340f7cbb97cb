"""Finds the peers, and runs each on a set of works: CuPy, PyTorch eagerly, torch.compile, CUB."""
import json
import os
import shutil
import signal
import subprocess
import tempfile

from times import Times

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {"cupy": "CuPy", "eager": "PyTorch", "compiled": "torch.compile", "cub": "CUB"}


class Peers:
    """What they are asked to do, and the results: `times` {peer: {work: {style: seconds}}}, `errors` the same
    with reasons, `empty` {peer: seconds of an empty kernel}, `missing` {peer: why}, `versions`,
    `compile_seconds` {work: {style: seconds of the first call, without a cache}}."""

    def __init__(self, options, list_of_works, folder):
        self.options, self.folder = options, folder
        self.times = {peer: Times() for peer in NAMES}
        self.errors = {peer: {} for peer in NAMES}
        self.empty, self.missing, self.versions, self.compile_seconds = {}, {}, {}, {}
        wanted = options.peers.split(",")
        self.wanted = [peer for peer in NAMES if peer in wanted]
        for peer in NAMES:
            if peer not in wanted:
                self.missing[peer] = "not requested"
        self.select(list_of_works)
        self.arguments = [options.set, "--seed", str(options.seed), "--names", self.names_file(), "--seconds",
                          str(options.seconds), "--limit-seconds", str(options.limit_seconds)]
        # Nothing compiled earlier is used: kernels and graphs of torch.compile go to a folder of this run.
        self.cache = tempfile.TemporaryDirectory(prefix="kernelbatch-peers-")
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(self.cache.name, "inductor")
        os.environ["TRITON_CACHE_DIR"] = os.path.join(self.cache.name, "triton")
        self.arguments += ["--small"] * options.small + ["--every"] * options.every

    def names_file(self):
        return os.path.join(self.folder, "names.json")

    def select(self, list_of_works):
        """The works of the next run."""
        self.works = list_of_works
        with open(self.names_file(), "w", encoding="utf-8") as file:
            json.dump([work.name for work in list_of_works], file)

    # ------------------------------------------------------------ before timing

    def find(self):
        """The available peers; prints why one is missing."""
        checks = {"cupy": "import cupy; cupy.cuda.Device(0).compute_capability; print(cupy.__version__)",
                  "eager": "import torch; torch.zeros(1, device='cuda'); print(torch.__version__)",
                  "compiled": "import torch, triton; torch.zeros(1, device='cuda'); print(triton.__version__)"}
        for peer, text in checks.items():
            if peer in self.wanted:
                done = subprocess.run([self.options.python, "-c", text], capture_output=True, text=True, check=False)
                lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
                self.note(peer, done.returncode == 0, lines[-1] if lines else f"status {done.returncode}")
        if "cub" in self.wanted:
            nvcc = find_nvcc()
            self.note("cub", nvcc is not None, nvcc or "no nvcc in CUDA_HOME, CUDA_PATH or PATH")

    def note(self, peer, is_there, text):
        if is_there:
            self.versions[peer] = text if peer != "cub" else release_of(text)
        else:
            self.missing[peer] = text
        print(f"{NAMES[peer]}: " + (self.versions[peer] if is_there else f"left out: {text}"), flush=True)

    def has(self, peer):
        return peer in self.wanted and peer not in self.missing

    def prepare(self, more_commands):
        """Compiles in parallel what is timed later: torch.compile's kernels by several processes, CUB's program, and
        as much of `more_commands` as is done by then."""
        running = []
        more = [self.start(command, f"compile{number}.txt") for number, command in enumerate(more_commands)]
        if self.has("cub"):
            running.append(("CUB", self.start(
                [find_nvcc(), "-O3", "-std=c++17", "--expt-extended-lambda", f"-arch={self.options.arch}", "-o",
                 os.path.join(self.folder, "cub_side"), os.path.join(HERE, "cub_side.cu")], "cub_side.txt")))
        if self.has("compiled") and self.options.workers:
            parts = self.options.workers
            for part in range(parts):
                # One compiling thread each: there are enough processes.
                command = ["env", "TORCHINDUCTOR_COMPILE_THREADS=1", self.options.python,
                           os.path.join(HERE, "torch_side.py"), *self.arguments, "--part", f"{part}/{parts}"]
                running.append((f"torch.compile {part}", self.start(command, f"compiled{part}.txt", True)))
        for name, process in running:
            status = process.wait()
            if name == "CUB" and status != 0:
                self.missing["cub"] = "its program does not compile: see cub_side.txt"
                print(f"CUB: left out: {self.missing['cub']}")
            if name.startswith("torch"):
                for line in lines_of(os.path.join(self.folder, f"compiled{name.split()[-1]}.txt")):
                    if "compile_seconds" in line:
                        self.compile_seconds.setdefault(line["work"], {})[line["style"]] = line["compile_seconds"]
        for process in more:
            process.send_signal(signal.SIGINT)
            process.wait()

    def start(self, command, log, apart=False):
        """Writes output to a file, and errors to the same or, with `apart`, to a separate one."""
        with open(os.path.join(self.folder, log), "w", encoding="utf-8") as out, \
                open(os.path.join(self.folder, log + ".err"), "w", encoding="utf-8") as err:
            return subprocess.Popen(command, stdout=out, stderr=err if apart else subprocess.STDOUT)

    # ------------------------------------------------------------ timing

    def run(self):
        """Runs one after another; yields the name of each when it is done. Times are added to those of earlier runs."""
        if self.has("cupy"):
            self.run_python("cupy_side.py", lambda style: "cupy")
            yield NAMES["cupy"]
        if self.has("eager") or self.has("compiled"):
            styles = ",".join(peer for peer in ("eager", "compiled") if self.has(peer))
            self.run_python("torch_side.py", lambda style: "compiled" if style.startswith("compiled") else "eager",
                            "--styles", styles)
            yield " and ".join(NAMES[peer] for peer in styles.split(","))
        if self.has("cub"):
            self.run_cub()
            yield NAMES["cub"]

    def run_python(self, program, peer_of, *more):
        out = os.path.join(self.folder, program.replace(".py", ".jsonl"))
        with open(out, "w", encoding="utf-8") as file:
            done = subprocess.run([self.options.python, os.path.join(HERE, program), *self.arguments, *more],
                                  stdout=file, check=False)
        if done.returncode != 0:
            print(f"{program} ended with status {done.returncode}")
        for line in lines_of(out):
            if "empty_kernel" in line:
                for peer in ("cupy",) if "cupy" in program else filter(self.has, ("eager", "compiled")):
                    self.empty[peer] = line["empty_kernel"]
                continue
            self.take(peer_of(line["style"]), line["work"], line)

    def run_cub(self):
        by_case = {" ".join(map(str, work.cub)): work.name for work in self.works if work.cub}
        out = os.path.join(self.folder, "cub_side.jsonl")
        with open(out, "w", encoding="utf-8") as file:
            done = subprocess.run([os.path.join(self.folder, "cub_side"), str(self.options.seconds)],
                                  input="".join(f"{case}\n" for case in by_case), text=True, stdout=file,
                                  stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            print(f"CUB ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
        for line in lines_of(out):
            if line["case"] == "empty":
                self.empty["cub"] = line["seconds"]
            else:
                self.take("cub", by_case[line["case"]], dict(line, style="device"))

    def take(self, peer, work, line):
        if "seconds" in line:
            self.times[peer].add(work, line["style"], line["seconds"])
            if peer == "compiled":  # if it was not compiled before
                self.compile_seconds.setdefault(work, {}).setdefault(line["style"], line["first_call"])
        else:
            self.errors[peer].setdefault(work, {})[line["style"]] = line["error"]


def lines_of(path):
    """The lines of JSON; an incomplete one is ignored."""
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            try:
                found.append(json.loads(line))
            except ValueError:
                pass
    return found


def find_nvcc():
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH")):
        if home and os.access(os.path.join(home, "bin", "nvcc"), os.X_OK):
            return os.path.join(home, "bin", "nvcc")
    return shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def release_of(nvcc):
    text = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout
    return next((line.strip() for line in text.splitlines() if "release" in line), nvcc)
