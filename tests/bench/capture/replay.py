"""Repeats recorded launches of one program with only the driver: replay.py RECORD.launch …

The memory is mapped at its original addresses. The launches are repeated in turns, as in the program: what ran before
determines the contents of the instruction caches. The repetitions are between cudaProfilerStart and -Stop, after one as a
warm-up. Prints for each record, separated by tabs: its path, whether every byte equals the program's,
and the number of bytes that the launch changed. Exits with 4 if an address is not available. Processes that share the
file CAPTURE_LOCK use the GPU one after another.
"""

import ctypes
import fcntl
import itertools
import json
import os
import sys

import numpy
from gate import ROUNDS

BLOCK, UNIT = 32 << 20, 2 << 20  # of reserved addresses, of mapped memory
cuda = ctypes.CDLL("libcuda.so.1")
u64, size_t = ctypes.c_uint64, ctypes.c_size_t


def check(result, what):
    if result != 0:
        raise RuntimeError(f"{what}: error {result}")


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Properties(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("handles", ctypes.c_int),
        ("location", Location),
        ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_ubyte * 8),
    ]


class Access(ctypes.Structure):
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("padding", ctypes.c_int), ("value", ctypes.c_uint32 * 16)]


class Config(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("count", ctypes.c_uint),
    ]


def runs(memory, unit):
    """Neighbouring units that allocations touch, as beginnings and bytes."""
    units = set()
    for each in memory:
        units |= set(range(each["address"] // unit * unit, each["address"] + each["bytes"], unit))
    return [
        (start, unit * next(k for k in itertools.count(1) if start + k * unit not in units))
        for start in sorted(units)
        if start - unit not in units
    ]


def place(memory):
    for start, size in runs(memory, BLOCK):
        given = u64()
        result = cuda.cuMemAddressReserve(ctypes.byref(given), size_t(size), size_t(0), u64(start), u64(0))
        if result != 0 or given.value != start:
            print(f"address {start:#x} is not available")
            sys.exit(4)
    for start, size in runs(memory, UNIT):
        properties, handle = Properties(1, 0, Location(1, 0), None), u64()
        check(cuda.cuMemCreate(ctypes.byref(handle), size_t(size), ctypes.byref(properties), u64(0)), "create")
        check(cuda.cuMemMap(u64(start), size_t(size), size_t(0), handle, u64(0)), "map")
        access = Access(Location(1, 0), 3)
        check(cuda.cuMemSetAccess(u64(start), size_t(size), ctypes.byref(access), size_t(1)), "access")


def attributes_of(launch):
    attributes, count = (Attribute * 2)(), 0
    if launch["cooperative"]:
        attributes[count].id, attributes[count].value[0] = 2, 1
        count += 1
    if launch["cluster"] != [1, 1, 1]:
        attributes[count].id = 4
        attributes[count].value[0:3] = launch["cluster"]
        count += 1
    return attributes, count


class Replay:
    """One recorded launch."""

    def __init__(self, folder):
        self.folder = folder
        with open(f"{folder}/launch.json") as file:
            self.launch = json.load(file)
        with open(f"{folder}/{self.launch['image']}", "rb") as file:
            self.image = file.read()
        self.memory = self.launch["memory"] + self.launch["variables"]
        self.before = [numpy.load(f"{folder}/{each['before']}") for each in self.memory]

    def prepare(self):
        launch, module, self.function = self.launch, ctypes.c_void_p(), ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), self.image), "load")
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, launch["kernel"].encode()), "function")
        if launch["shared_bytes"] > 48 << 10:
            check(cuda.cuFuncSetAttribute(self.function, 8, launch["shared_bytes"]), "shared memory")
        if launch["carveout"] >= 0:
            check(cuda.cuFuncSetAttribute(self.function, 9, launch["carveout"]), "carveout")
        for each in launch["variables"]:
            address, size = u64(), size_t()
            name = each["name"].encode()
            check(cuda.cuModuleGetGlobal_v2(ctypes.byref(address), ctypes.byref(size), module, name), "variable")
            each["address"] = address.value
        data = bytearray(bytes.fromhex(launch["bytes"])) or bytearray(1)
        self.buffer = (ctypes.c_char * len(data)).from_buffer(data)
        places = [ctypes.addressof(self.buffer) + each["offset"] for each in launch["parameters"]]
        self.pointers = (ctypes.c_void_p * max(1, len(places)))(*places)
        self.attributes, count = attributes_of(launch)
        self.config = Config(
            (ctypes.c_uint * 3)(*launch["grid"]),
            (ctypes.c_uint * 3)(*launch["block"]),
            launch["shared_bytes"],
            None,
            ctypes.addressof(self.attributes),
            count,
        )

    def repeat(self):
        for each, values in zip(self.memory, self.before):
            place = ctypes.c_void_p(values.ctypes.data)
            check(cuda.cuMemcpyHtoD_v2(u64(each["address"]), place, size_t(values.nbytes)), "copy")
        check(cuda.cuCtxSynchronize(), "copy")
        check(cuda.cuLaunchKernelEx(ctypes.byref(self.config), self.function, self.pointers, None), "launch")
        check(cuda.cuCtxSynchronize(), "kernel")

    def compare(self):
        different = changed = 0
        for each, values in zip(self.memory, self.before):
            got = numpy.empty_like(values)
            place = ctypes.c_void_p(got.ctypes.data)
            check(cuda.cuMemcpyDtoH_v2(place, u64(each["address"]), size_t(got.nbytes)), "copy")
            want = numpy.load(f"{self.folder}/{each['after']}") if "after" in each else values
            different += int((got != want).sum())
            changed += int((want != values).sum())
        return "equal" if different == 0 else f"different in {different} bytes", changed


def main(folders):
    replays = [Replay(folder) for folder in folders]
    if path := os.environ.get("CAPTURE_LOCK"):
        lock = open(path, "w")  # noqa: SIM115 (held until the process ends)
        fcntl.flock(lock, fcntl.LOCK_EX)
    check(cuda.cuInit(0), "cuInit")
    context = ctypes.c_void_p()
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), "context")
    check(cuda.cuCtxSetCurrent(context), "context")
    place([each for replay in replays for each in replay.launch["memory"]])
    for replay in replays:
        replay.prepare()
    for k in range(1 + ROUNDS):
        if k == 1:
            cuda.cuProfilerStart()
        for replay in replays:
            replay.repeat()
            if k == 0:
                print(replay.folder, *replay.compare(), sep="\t", flush=True)
    cuda.cuProfilerStop()


main(sys.argv[1:])
