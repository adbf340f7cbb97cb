#!/usr/bin/env python3
"""`kernelbatch serve` and the Python class Judge: verdicts about right, wrong and hostile kernels, in a loop.

    serve_test.py KERNELBATCH SOURCE_FOLDER

Exits 77 without jsonschema.
"""
import importlib.util
import json
import os
import pathlib
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import jsonschema
except ImportError:
    sys.exit(77)

PROGRAM, SOURCE = sys.argv[1:3]
SCHEMA = json.loads((pathlib.Path(SOURCE) / "jobs/guide/verdict.schema.json").read_text())
REFERENCE = """extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
"""


def changed(old, new):
    return REFERENCE.replace(old, new)


STORED = "__device__ float kept[5000];\n" + changed("y[i] = 2 * x[i]", "{ if (kept[i] == 0) kept[i] = 2 * x[i]; "
                                                    "y[i] = kept[i]; }")
TABLE = ("__device__ const float answers[5000] = {" + ", ".join(f"{2 * k}.0f" for k in range(5000)) + "};\n" +
         changed("2 * x[i]", "answers[i]"))
VERDICTS = {
    "right": (changed("2 * x[i]", "x[i] + x[i]"), "RIGHT"),
    "wrong": (changed("2 * x[i]", "2 * x[i] + (i == 4999)"), "WRONG"),
    "beyond": (changed("i < n", "i <= n"), "WRONG"),
    "unwritten": (changed("i < n", "i < n - 1"), "WRONG"),
    "stored": (STORED, "WRONG"),
    "table": (TABLE, "WRONG"),
    "does not compile": (changed("2 *", "2 2 *"), "FAILED"),
    "no kernel": ("int x;\n", "FAILED"),
    "main": ("int main() { return 0; }\n", "FAILED"),
    "crash": (changed("y[i] =", "*(volatile int*)nullptr = 1; y[i] ="), "FAILED"),
    "exit": ("#include <cstdlib>\n" + changed("y[i] =", "_Exit(0); y[i] ="), "FAILED"),
    "hang": (changed("y[i] =", "for (volatile int k = 0; k < 1;) k = 0; y[i] ="), "FAILED"),
}


def numbers(count):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % count
    return b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117).encode() + b"\n" + struct.pack(f"<{count}f", *range(count))


def judge_class():
    spec = importlib.util.spec_from_file_location("judge", pathlib.Path(SOURCE) / "core/packaging/python/judge.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Judge


class ServeTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        (self.folder / "ref.cu").write_text(REFERENCE)
        (self.folder / "x.npy").write_bytes(numbers(5000))
        self.words = ["--timeout", "3600", "--device", "host", "--reference", str(self.folder / "ref.cu"), "--in",
                      str(self.folder / "x.npy"), "--out", "y"]

    def serve(self, lines):
        """Replies by id to these requests."""
        ended = subprocess.run([PROGRAM, "serve", "--stdio", *self.words], input="".join(line + "\n" for line in lines),
                               capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return {reply["id"]: reply for reply in map(json.loads, ended.stdout.splitlines())}

    def test_each_kernel_gets_its_verdict(self):
        with judge_class()(program=PROGRAM, device="host", reference=self.folder / "ref.cu",
                           inputs={"x": self.folder / "x.npy"}, outputs=["y"], timeout=3600) as judge:
            names = list(VERDICTS) + ["right", "wrong"]
            # Only a kernel that never ends may reach its limit.
            futures = [(name, judge.submit(VERDICTS[name][0], timeout=5 if name == "hang" else 3600)) for name in names]
            for name, future in futures:
                reply = future.result()
                with self.subTest(name):
                    jsonschema.validate(reply, SCHEMA)
                    self.assertEqual(reply["verdict"], VERDICTS[name][1], reply)
                    self.assertEqual(reply["exit_code"] == 0, reply["verdict"] == "RIGHT", reply)
            wrong = futures[1][1].result()["files"][-1]
            self.assertEqual(wrong["first_mismatch"]["index"], [4999])
            self.assertEqual(wrong["mismatches"], 1)
            self.assertEqual(futures[0][1].result()["files"][-1]["draws"], 3)
            # Keys of one request.
            reply = judge.judge(VERDICTS["wrong"][0], atol=1e9)
            self.assertEqual(reply["verdict"], "SUSPECT", reply)
            self.assertEqual(judge.judge(REFERENCE, sizes={"n": [1, 33]})["sizes"], [1, 33])

    def test_each_kernel_has_its_own_grid(self):
        pairs = changed("const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];",
                        "const int first = 2 * (blockIdx.x * blockDim.x + threadIdx.x);\n"
                        "  for (int i = first; i < first + 2 && i < n; ++i) y[i] = 2 * x[i];")
        half = {"grid": "ceil(x.size / 512)"}
        self.words += ["--host-times"]
        # The reference and the fastest kernel so far are launched as before.
        replies = self.serve(json.dumps(each) for each in (
            {"id": 0, "source": REFERENCE}, {"id": 1, "source": pairs, **half}, {"id": 2, "source": REFERENCE},
            {"id": 3, "source": pairs, **half}, {"id": 4, "source": REFERENCE, **half}))
        for k in range(4):
            self.assertEqual(replies[k]["exit_code"], 0, replies[k])
        self.assertEqual(replies[4]["verdict"], "WRONG", replies[4])

    def test_invalid_requests_get_a_reply(self):
        replies = self.serve([
            "not json", "[1]", '{"id": 2, "sourc": ""}', '{"id": 3}', '{"id": 4, "source": 5}',
            '{"id": 5, "source": "", "draws": 0}', json.dumps({"id": 6, "source": REFERENCE + "\0"}),
            json.dumps({"id": 7, "source": "x" * (17 << 20)}), json.dumps({"id": 8, "source": REFERENCE})])
        self.assertEqual(replies.pop(8)["verdict"], "RIGHT")
        for reply in replies.values():
            jsonschema.validate(reply, SCHEMA)
            self.assertEqual((reply["verdict"], reply["exit_code"], reply["schema"]), ("FAILED", 2, 1), reply)
        self.assertIn("did you mean 'source'?", replies[2]["error"])

    def test_ptx_is_judged_on_the_host(self):
        def ptx(factor):
            return (".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry twice(.param .u64 x, .param .u64 y, "
                    ".param .u32 n)\n{ .reg .pred %p; .reg .b32 %r<4>; .reg .f32 %f; .reg .b64 %d<4>;\n"
                    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
                    "mad.lo.s32 %r0, %r0, %r1, %r2; ld.param.u32 %r3, [n]; setp.ge.s32 %p, %r0, %r3; @%p bra END;\n"
                    "ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; mul.wide.s32 %d2, %r0, 4;\n"
                    "add.s64 %d0, %d0, %d2; add.s64 %d1, %d1, %d2;\n"
                    f"ld.global.f32 %f, [%d0]; mul.f32 %f, %f, {factor}; st.global.f32 [%d1], %f;\nEND: ret; }}\n")
        (self.folder / "kernel.ptx").write_text(ptx("0f40000000"))
        replies = self.serve([json.dumps({"id": 1, "image": ptx("0f40000000")}),
                              json.dumps({"id": 2, "file": str(self.folder / "kernel.ptx")}),
                              json.dumps({"id": 3, "image": ptx("0f40400000")}),
                              json.dumps({"id": 4, "image": ptx("%f, ;")}),
                              json.dumps({"id": 5, "image": ptx("%f"), "source": REFERENCE})])
        for number, verdict in ((1, "RIGHT"), (2, "RIGHT"), (3, "WRONG"), (4, "FAILED")):
            jsonschema.validate(replies[number], SCHEMA)
            self.assertEqual(replies[number]["verdict"], verdict, replies[number])
        self.assertIn("line 10", json.dumps(replies[4]))
        self.assertIn("either 'source'", replies[5]["error"])

    def test_a_socket_serves_several_clients_of_this_user(self):
        path = self.folder / "socket"
        server = subprocess.Popen([PROGRAM, "serve", "--socket", path, *self.words], stderr=subprocess.DEVNULL)
        self.addCleanup(server.kill)
        while not path.exists():
            self.assertIsNone(server.poll())
            time.sleep(0.01)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        clients = []
        for name in ("right", "wrong"):
            client = socket.socket(socket.AF_UNIX)
            client.connect(os.fspath(path))
            client.sendall(json.dumps({"id": name, "source": VERDICTS[name][0]}).encode() + b"\n")
            clients.append((name, client))
        for name, client in clients:
            reply = json.loads(client.makefile().readline())
            self.assertEqual((reply["id"], reply["verdict"]), (name, VERDICTS[name][1]))
            client.close()
        server.terminate()
        self.assertEqual(server.wait(), 75)
        self.assertFalse(path.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
