"""Triton 3.6 made jobs/inline/triton_softmax.ptx and triton_matmul.ptx from these kernels: python3 triton.py FOLDER."""
import os
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax_rows(x_ptr, out_ptr, stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + at, mask=at < cols, other=-float("inf"))
    x = x - tl.max(x, axis=0)
    e = tl.exp(x)
    tl.store(out_ptr + row * stride + at, e / tl.sum(e, axis=0), mask=at < cols)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :], mask=(m[:, None] < M) & ((start + k)[None, :] < K), other=0.0)
        b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :], mask=((start + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


F, H = "*fp32", "*fp16"
CASES = (
    ("triton_softmax", 80, softmax_rows, dict(x_ptr=F, out_ptr=F, stride="i32", cols="i32"), dict(BLOCK=1024)),
    ("triton_matmul", 90, matmul, dict(a_ptr=H, b_ptr=H, c_ptr=F, M="i32", N="i32", K="i32"), dict(BM=64, BN=64, BK=32)))

for name, arch, kernel, signature, constants in CASES:
    # Multiples of 16, if the matrices are aligned.
    attributes = {(k,): [["tt.divisibility", 16]] for k in range(len(signature))} if kernel is matmul else {}
    source = ASTSource(fn=kernel, signature={**signature, **{key: "constexpr" for key in constants}},
                       constexprs=constants, attrs=attributes)
    made = triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_stages": 3})
    with open(os.path.join(sys.argv[1], name + ".ptx"), "w") as file:
        file.write(made.asm["ptx"])
