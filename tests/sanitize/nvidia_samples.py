#!/usr/bin/env python3
"""NVIDIA's compute-sanitizer samples under the host device's checks: is each error that is planted in them found?

Usage: nvidia_samples.py FOLDER [KERNELBATCH] [--keep FOLDER]

FOLDER holds a copy of https://github.com/NVIDIA/compute-sanitizer-samples; nothing of it is part of this project.
KERNELBATCH is build/kernelbatch unless given. Device code, launches, sizes of allocations and what memset sets are read
from the samples. Each launch becomes an inline job of kind raw, whose text has the sample's line numbers.

Prints a line for each launch: sample, kernel, what compute-sanitizer reports (the READMEs of the Nvtx samples say it,
and the manual's chapter of examples for the others), what was found. Then what jobs do in another way than the sample,
and what is left out. Ends with 1 if a planted error is missed, or if there is a finding for which the sample gives no
reason. --keep leaves the jobs and results in a folder."""
import argparse
import csv
import dataclasses
import io
import json
import os
import re
import subprocess
import sys
import tempfile

SIZES = {"char": 1, "uint8_t": 1, "int": 4, "unsigned int": 4, "float": 4, "double": 8}
DTYPES = {"uint8_t": "uint8", "int": "int32", "unsigned int": "uint32", "float": "float32", "double": "float64"}


@dataclasses.dataclass
class Launch:
    """One launch of a sample, and what must be found in it."""
    sample: str
    number: int  # of the sample's launches, from 0
    expected: str = ""  # empty: no error is planted
    check: str = ""
    message: str = ""  # a regular expression that the finding's message matches
    count: int = 0  # how often it is found; 0: unknown
    also: str = ""  # matches true findings other than the planted one and its consequences
    memory: dict = dataclasses.field(default_factory=dict)  # {argument: bytes}, where no cudaMalloc says it
    inputs: tuple = ()  # arguments that kernels may only read
    unset: tuple = ()  # arguments whose values no kernel may read before it has written them
    first: str = ""  # a statement before the kernel's own
    instead: str = ""  # what the job does differently from the sample


ELSEWHERE = "v = (uint8_t*)0x7f0047000010;"
LAUNCHES = [
    Launch("Memcheck/memcheck_demo.cu", 0, "misaligned write of 4 bytes", "memory",
           r"&x \+ 1\) = 42.* as 4 bytes at once: the address is no multiple of 4"),
    Launch("Memcheck/memcheck_demo.cu", 1, "write of 4 bytes out of bounds, in a device function", "memory",
           r"writes 4 bytes at 0x87654320"),
    Launch("Racecheck/block_error.cu", 0, "race of a write and reads of smem between warps", "race",
           r"(writes|reads) smem\[.* which thread .* (writes|reads) "),
    Launch("Racecheck/warp_error.cu", 0, "race of a write and reads of smem_first within a warp", "race",
           r"(writes|reads) smem_first\[.* which thread .* (writes|reads) "),
    Launch("Initcheck/memset_error.cu", 0, "48 reads of what memset did not reach", "init",
           r"thread \(16,0,0\) of block \(0,0,0\) reads v\[16\], which is uninitialized", count=48,
           first="{ const int k = blockIdx.x * blockDim.x + threadIdx.x; if (k < 16) v[k] = 0; }",
           instead="an output is filled whole or not at all: the kernel sets the bytes that memset sets"),
    Launch("Suppressions/suppressions_initcheck_demo.cu", 0, "1 read of an element whose last byte is not set", "init",
           r"thread \(122,0,0\) of block \(0,0,0\) reads a\[122\], which is uninitialized", count=1,
           first="for (int k = 4 * threadIdx.x; k < 4 * threadIdx.x + 4; ++k) if (k < 491) ((char*)a)[k] = 0;",
           instead="an output is filled whole or not at all: the kernel sets the bytes that memset sets"),
    Launch("Synccheck/divergent_threads.cu", 0, "threads 48 to 63 never come to the barrier", "sync",
           r"barrier to which 16 threads of the block never come", also=r"^init: .* reads data_in\["),
    Launch("Synccheck/illegal_syncwarp.cu", 0, "thread 16 is not in the mask of its __syncwarp", "sync",
           r"thread \(16,0,0\) .* lane 16, which is not in the mask 0xffff",
           also=r"^sync: .* waits forever: .* 31 wait at a barrier and 1 at a warp operation"),
    Launch("NvtxPermissions/NvtxPermissions.cu", 0),
    Launch("NvtxPermissions/NvtxPermissions.cu", 1, "write of what may only be read", "memory",
           r"^memory: .*\*v = i .* writes v\[0\], which is an input", inputs=("ptr",),
           instead="an input may only be read"),
    Launch("NvtxPermissions/NvtxPermissions.cu", 2, "read of what may only be written", "init",
           r"= \*v.* reads v\[0\], which is uninitialized", unset=("ptr",),
           instead="an output without first values may not be read before it is written"),
    Launch("NvtxPermissions/NvtxPermissions.cu", 3, "read of what may be neither read nor written", "memory",
           r"= \*v.* reads 4 bytes at 0x7f0047000010",
           first=ELSEWHERE.replace("uint8_t", "unsigned int"),
           instead="the kernel's pointer is set to memory of no array"),
    Launch("NvtxMemoryPool/NvtxMemoryPool.cu", 0, memory={"alloc": "AllocSize"}),
    Launch("NvtxMemoryPool/NvtxMemoryPool.cu", 1, "thread 63 writes 1 byte out of bounds", "memory",
           r"thread \(63,0,0\) of block \(0,0,0\) writes v\[63\], past the end of its 63 elements",
           memory={"alloc": "AllocSize"}, instead="what is allocated from a pool is an array of its own"),
    Launch("NvtxMemoryPool/NvtxMemoryPool.cu", 2, memory={"alloc": "AllocSize + 1"}),
    Launch("NvtxMemoryPool/NvtxMemoryPool.cu", 3, "write after free", "memory", r"writes 1 bytes? at 0x7f0047000010",
           memory={"alloc": "AllocSize"}, first=ELSEWHERE, instead="the kernel's pointer is set to memory of no array"),
    Launch("NvtxMemoryPool/NvtxMemoryPool.cu", 4, "write after the pool's reset", "memory",
           r"writes 1 bytes? at 0x7f0047000010", memory={"alloc": "AllocSize"}, first=ELSEWHERE,
           instead="the kernel's pointer is set to memory of no array"),
]
LEFT_OUT = [
    ("NvtxPermissions/NvtxPermissions.cu, launch 5", "not in a job: an array that permits no atomic operations"),
    ("Memcheck/memcheck_demo.cu", "not a kernel's access: 1024 bytes of cudaMalloc are never freed"),
    ("Suppressions/suppressions_demo.cu", "not a kernel's access: cudaMalloc asks for too much memory"),
    ("NvtxNaming/NvtxNaming.cu", "not a kernel's access: an allocation is never freed, and never written"),
    ("ApiTracker, DeviceMalloc, MemoryTracker", "tools made with the sanitizer's API, without a planted error"),
]


def blank(text):
    """Replaces a text by spaces, so that line numbers stay."""
    return re.sub(r"[^\n]", " ", text)


class Sample:
    """The text of a sample, without its comments."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda match: blank(match[0]), text, flags=re.DOTALL)
        self.constants = {}
        for name, value in re.findall(r"\bconst(?:expr)?\s+\w+\s+(\w+)\s*=\s*([^;]+);", self.text):
            try:
                self.constants[name] = self.value(value)
            except (KeyError, ValueError):
                pass  # a thread's own
        self.launches = re.findall(r"(\w+)\s*<<<\s*([^,]+?)\s*,\s*(.+?)\s*>>>\s*\(([^)]*)\)", self.text)

    def value(self, expression):
        """Value of an expression of numbers, constants and sizeof."""
        numbers = re.sub(r"sizeof\((.+?)\)", lambda match: str(SIZES[match[1].strip()]), expression)
        numbers = re.sub(r"[A-Za-z_]\w*", lambda match: str(self.constants[match[0]]), numbers)
        if not re.fullmatch(r"[\d\s()*/+-]+", numbers):
            raise ValueError(f"no number: {expression}")
        return eval(numbers.replace("/", "//"))  # pylint: disable=eval-used

    def calls(self, function):
        """The arguments of each call."""
        for match in re.finditer(rf"\b{function}\(", self.text):
            arguments, depth = [""], 0
            for letter in self.text[match.end():]:
                depth += {"(": 1, ")": -1}.get(letter, 0)
                if depth < 0:
                    break
                if letter == "," and depth == 0:
                    arguments.append("")
                else:
                    arguments[-1] += letter
            yield [argument.strip() for argument in arguments]

    def allocations(self):
        """{name: [bytes, bytes that memset sets]}"""
        made = {}
        for pointer, size in self.calls("cudaMalloc"):
            try:
                made[pointer.rpartition("&")[2]] = [self.value(size), 0]
            except (KeyError, ValueError):
                pass  # of an allocation that no kernel uses
        for pointer, _, size in self.calls("cudaMemset"):
            made[pointer][1] = self.value(size)
        return made

    def parts(self):
        """(begin, end) of the directives and declarations outside of functions."""
        begin, position, depth = 0, 0, 0
        while position < len(self.text):
            letter = self.text[position]
            if not self.text[begin:position].strip() and letter == "#":
                position = re.compile(r"(?:\\\n|[^\n])*").match(self.text, position).end()
                yield begin, position
                begin = position
                continue
            depth += {"{": 1, "}": -1}.get(letter, 0)
            position += 1
            if depth == 0 and (letter == ";" or (letter == "}" and "=" not in self.text[begin:position].split("{")[0])):
                yield begin, position
                begin = position

    def device_text(self):
        """Functions and variables of the device, with the macros and constants that they use. All else is blank."""
        parts = [(begin, end, self.text[begin:end]) for begin, end in self.parts()]
        kept = {part for part in parts if re.search(r"__(global|device|shared|constant)__", part[2])}
        while True:
            used = set(re.findall(r"\w+", " ".join(text for _, _, text in kept)))
            more = {part for part in parts if (name := self.name_of(part[2])) and name in used} - kept
            if not more:
                break
            kept |= more
        letters = list(blank(self.text))
        for begin, end, text in kept:
            letters[begin:end] = text
        return "".join(letters).rstrip() + "\n"

    @staticmethod
    def name_of(text):
        """Value of a macro or constant."""
        match = re.match(r"\s*(?:#\s*define\s+(\w+)|(?:static\s+)?const(?:expr)?\s+\w+\s+(\w+)\s*=)", text)
        return match and (match[1] or match[2])


def job_of(launch, sample):
    """The job, and the kernel's name."""
    kernel, grid, block, given = sample.launches[launch.number]
    text = sample.device_text()
    head = re.search(rf"\b{kernel}\s*\(([^)]*)\)\s*{{", text)
    text = text[:head.end()] + (" " + launch.first if launch.first else "") + text[head.end():]
    parameters = [word.strip().rpartition(" ") for word in head[1].replace("*", "* ").split(",") if "void" not in word]
    allocations = sample.allocations()
    allocations.update({name: [sample.value(size), 0] for name, size in launch.memory.items()})
    job = {"kernelbatch": 1, "name": os.path.basename(launch.sample).removesuffix(".cu"), "workload": "inline",
           "inputs": {}, "outputs": {}, "reference": "none", "output": {"arrays": "none"}}
    arguments = []
    for (kind, _, name), argument in zip(parameters, [word.strip() for word in given.split(",")]):
        dtype = DTYPES[kind.strip("* ")]
        if "*" not in kind:
            arguments.append({"scalar": sample.value(argument), "dtype": dtype})
            continue
        size, is_set = allocations[argument]
        shape = [size // SIZES[kind.strip("* ")]]
        arguments.append(name)
        if argument in launch.inputs:
            job["inputs"][name] = {"zeros": shape, "dtype": dtype}
        else:
            job["outputs"][name] = {"shape": shape, "dtype": dtype}
            if is_set == size and argument not in launch.unset:
                job["outputs"][name]["fill"] = 0
    variant = {"kind": "raw", "source": text, "entry": kernel, "name_expressions": [kernel],
               "grid": sample.value(grid), "block": sample.value(block), "args": arguments}
    if not job["outputs"]:  # a raw kernel must have one
        variant["source"] += "__device__ int no_argument;\n"
        variant["globals"] = {"no_argument": "no_argument"}
        job["outputs"]["no_argument"] = {"shape": [1], "dtype": "int32"}
    job["variants"] = {job["name"]: variant}
    return {key: value for key, value in job.items() if value}, kernel


def findings_of(job, kernelbatch, folder, number):
    """[(check, count, message)]"""
    name = os.path.join(folder, f"{number:02d}-{job['name']}")
    if os.path.exists(name + ".h5"):
        os.remove(name + ".h5")
    with open(name + ".yaml", "w", encoding="utf-8") as file:
        json.dump(job, file, indent=1)  # JSON is YAML
    done = subprocess.run([kernelbatch, "run", "--overwrite", "--device", "host", "--sanitize", "-o", name + ".h5", name + ".yaml"],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{name}.yaml: run ended with {done.returncode}: {done.stdout}{done.stderr}")
    table = subprocess.run([kernelbatch, "export", "--table", "findings", name + ".h5"], capture_output=True, text=True,
                           check=True).stdout
    found = [(row["check"], int(row["count"]),
              f"{row['check']}: {row['place']} `{row['text']}` thread {row['thread']} of block {row['block']} "
              f"{row['what']} ({row['count']} times)") for row in csv.DictReader(io.StringIO(table))]
    if (done.returncode == 1) != bool(found):
        raise RuntimeError(f"{name}.yaml: run ended with {done.returncode} and {len(found)} findings: {done.stdout}")
    return found


def judge(launch, found):
    """The text of the line, and whether the result is as expected."""
    planted = [message for check, count, message in found
               if launch.check == check and re.search(launch.message, message) and launch.count in (0, count)]
    others = [message for _, _, message in found if message not in planted]
    words = planted[:1] if planted else ["MISSED"] if launch.expected else []
    words += [("and with it " if is_true else "UNEXPECTED ") + message for message in others
              for is_true in [launch.also and re.search(launch.also, message)]]
    return "; ".join(words) or "nothing", not any(word.startswith(("MISSED", "UNEXPECTED")) for word in words)


def run(options, folder):
    """Numbers of planted errors found, of planted errors, and of false alarms."""
    planted, good, bad_clean = 0, 0, 0
    for number, launch in enumerate(LAUNCHES):
        path = os.path.join(options.folder, launch.sample)
        job, kernel = job_of(launch, Sample(path))
        try:
            text, is_good = judge(launch, findings_of(job, options.kernelbatch, folder, number))
        except RuntimeError as error:
            text, is_good = f"FAILED: {error}", False
        print(f"{launch.sample} | {kernel} | {launch.expected or 'no error'} | {text}", flush=True)
        if launch.expected:
            planted += 1
            good += is_good
        else:
            bad_clean += not is_good
    return good, planted, bad_clean


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("kernelbatch", nargs="?", default="build/kernelbatch")
    parser.add_argument("--keep")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kernelbatch-samples-") as made:
        folder = options.keep or made
        os.makedirs(folder, exist_ok=True)
        good, planted, bad_clean = run(options, folder)
    print()
    for launch in LAUNCHES:
        if launch.instead:
            print(f"{launch.sample}, launch {launch.number + 1}: {launch.instead}")
    for sample, what in LEFT_OUT:
        print(f"{sample}: {what}")
    print(f"\n{good} of {planted} planted errors found and nothing unexpected; false alarms in "
          f"{bad_clean} of {len(LAUNCHES) - planted} launches without an error")
    return 0 if good == planted and bad_clean == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
