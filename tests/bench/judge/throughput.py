#!/usr/bin/env python3
"""Verdicts per second and seconds per verdict of `kernelbatch serve`, and what is left after many bad kernels.

    throughput.py KERNELBATCH [--device cuda] [--size 1000000] [--count 60] [--hostile 1000]

Prints, for elementwise kernels and for reductions: seconds until the first verdict, the median seconds of a single
verdict, and verdicts per second of `--count` different kernels sent at once. `--hostile N` sends N kernels, of which
2.5 % crash and 2.5 % hang, and prints memory, descriptors and child processes of the server before and after.
"""
import argparse
import collections
import json
import os
import pathlib
import statistics
import struct
import subprocess
import tempfile
import time

ELEMENTWISE = """// Candidate NUMBER.
extern "C" __global__ void wave(const float* x, float* y, int n) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    const float v = x[i];
    const float t = v * v;
    float s = 1.0f / 120.0f;
    s = s * t + 1.0f / 6.0f;
    s = s * t + 1.0f;
    y[i] = s * v + 0.0f * NUMBER;
  }
}
"""
REDUCTION = """// Candidate NUMBER.
extern "C" __global__ void row_sums(const float* x, float* y, int n, int m) {
  __shared__ float part[32];
  float sum = 0.0f * NUMBER;
  for (int i = threadIdx.x; i < m; i += blockDim.x) sum += x[blockIdx.x * m + i];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0f;
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
  }
}
"""


def array(path, shape):
    count = 1
    for extent in shape:
        count *= extent
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    values = [((k * 7919) % 1000) / 1000 for k in range(1000)]
    cycle = struct.pack("<1000f", *values)
    body = (cycle * (count // 1000 + 1))[:4 * count]
    path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117).encode() + b"\n" + body)


class Server:
    def __init__(self, program, words):
        self.start = time.perf_counter()
        self.process = subprocess.Popen([program, "serve", "--stdio", *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def send(self, identity, source, **more):
        self.process.stdin.write(json.dumps({"id": identity, "source": source, **more}) + "\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the server ended")
        return json.loads(line)

    def state(self):
        """Resident KiB, open descriptors, child processes."""
        folder = pathlib.Path(f"/proc/{self.process.pid}")
        resident = next(int(line.split()[1]) for line in (folder / "status").read_text().splitlines()
                        if line.startswith("VmRSS"))
        children = [child for task in (folder / "task").iterdir() for child in (task / "children").read_text().split()]
        return resident, len(list((folder / "fd").iterdir())), len(children)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def words_of(options, folder, kind):
    reference = folder / f"{kind}.cu"
    text = {"elementwise": ELEMENTWISE, "reduction": REDUCTION}[kind]
    reference.write_text(text.replace("NUMBER", "0"))
    shape = (options.size,) if kind == "elementwise" else (options.size // 1000, 1000)
    array(folder / f"{kind}.npy", shape)
    output = "y" if kind == "elementwise" else f"y={options.size // 1000}"
    more = [] if kind == "elementwise" else ["--set", "m=1000", "--grid", str(options.size // 1000)]
    return text, ["--device", options.device, "--reference", str(reference), "--in", f"x={folder / kind}.npy", "--out",
                  output, "--rtol", "1e-4", *more]


def verdicts(replies):
    counts = collections.Counter(reply["verdict"] for reply in replies)
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))


def measure(options, folder, kind):
    text, words = words_of(options, folder, kind)
    server = Server(options.program, words)
    server.send(0, text.replace("NUMBER", "1"))
    replies = [server.receive()]
    first = time.perf_counter() - server.start
    single = []
    for k in range(8):
        start = time.perf_counter()
        server.send(k, text.replace("NUMBER", str(1000 + k)))
        replies.append(server.receive())
        single.append(time.perf_counter() - start)
    start = time.perf_counter()
    for k in range(options.count):
        server.send(k, text.replace("NUMBER", str(2000 + k)))
    replies += [server.receive() for _ in range(options.count)]
    rate = options.count / (time.perf_counter() - start)
    server.close()
    print(f"{kind:12} first {first:6.2f} s, single {statistics.median(single):6.3f} s "
          f"(max {max(single):.3f}), {rate:6.2f} verdicts/s: {verdicts(replies)}", flush=True)
    for reply in replies:
        if reply["exit_code"]:
            print(json.dumps(reply)[:1500])
            break


def hostile(options, folder):
    text, words = words_of(options, folder, "elementwise")
    server = Server(options.program, [*words, "--timeout", str(options.timeout)])
    body = "y[i] = s * v"
    # Each compiler has started, and the worker has been replaced once.
    warm = max(100, 4 * os.cpu_count())
    for k in range(warm):
        server.send(f"warm {k}", text.replace("NUMBER", f"-1{k}"))
    for _ in range(warm):
        server.receive()
    before = server.state()
    expected = {}
    start = time.perf_counter()
    for k in range(options.hostile):
        source = text.replace("NUMBER", str(k))
        kind = "right"
        if k % 40 == 13:
            source, kind = source.replace(body, f"*(volatile int*)8 = 1; {body}"), "crash"
        elif k % 40 == 31:
            source, kind = source.replace(body, f"for (volatile int z = 0; z < 1;) z = 0; {body}"), "hang"
        elif k % 4 == 2:
            source, kind = source.replace("1.0f / 6.0f", "1.0f / 7.0f"), "wrong"
        expected[k] = kind
        server.send(k, source)
    counts = collections.Counter()
    for _ in range(options.hostile):
        reply = server.receive()
        counts[f"{expected[reply['id']]} {reply['verdict']}"] += 1
    seconds = time.perf_counter() - start
    server.send("last", text.replace("NUMBER", "-2"))
    server.receive()
    after = server.state()
    server.close()
    print(f"hostile: {options.hostile} in {seconds:.0f} s: " +
          ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    print(f"  resident KiB, descriptors, children: {before} before, {after} after", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--size", type=int, default=1000000)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--hostile", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("elementwise", "reduction") if options.count else ():
            measure(options, pathlib.Path(folder), kind)
        if options.hostile:
            hostile(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
