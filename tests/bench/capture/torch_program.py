"""PyTorch: Inductor kernels, attention, an optimizer step, cuBLAS, cuDNN. torch_program.py [PART …]"""

import sys

import torch
import torch.nn.functional as functional
from gate import rounds

torch.manual_seed(1)
parts = sys.argv[1:] or ["inductor", "eager", "attention", "optimizer", "blas", "conv"]


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def inductor():
    @torch.compile(dynamic=False)
    def softmax(x):
        return torch.softmax(x * 0.5, -1)

    @torch.compile(dynamic=False)
    def layer_norm(x, w, b):
        return functional.layer_norm(functional.gelu(x), x.shape[-1:], w, b)

    x, w, b = normal(8192, 781), normal(781), normal(781)
    for _ in rounds(wait=torch.cuda.synchronize):
        softmax(x)
        layer_norm(x, w, b)
        x = x + 0.125


def eager():
    x, y = normal(2000, 1000), normal(2000, 1000)
    for _ in rounds(wait=torch.cuda.synchronize):
        z = torch.relu(x * y + 1)
        z.sum(-1), z.mean(0), z.argmax(-1), torch.sort(z[0]), torch.cumsum(z, -1), z[:, ::2].contiguous()
        torch.nn.functional.embedding(torch.arange(100, device="cuda"), z)
        x = x + 1


def attention():
    q, k, v = (normal(4, 16, 1024, 64, dtype=torch.bfloat16) for _ in range(3))
    for _ in rounds(wait=torch.cuda.synchronize):
        functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        q = q * 1.5


def optimizer():
    layer = torch.nn.Linear(1024, 1024, device="cuda")
    adam = torch.optim.AdamW(layer.parameters(), fused=True)
    for _ in rounds(wait=torch.cuda.synchronize):
        loss = layer(normal(512, 1024)).square().mean()
        loss.backward()
        adam.step()
        adam.zero_grad()


def blas():
    a, b = normal(2048, 2048, dtype=torch.float16), normal(2048, 2048, dtype=torch.float16)
    c, d = normal(1000, 900), normal(900, 800)
    e, f = normal(32, 256, 192), normal(32, 192, 128)
    for _ in rounds(wait=torch.cuda.synchronize):
        a @ b, c @ d, torch.bmm(e, f)
        a, c, e = a + 1, c + 1, e + 1


def graph():
    @torch.compile(mode="reduce-overhead", dynamic=False)
    def layer(x, w):
        return torch.softmax(functional.gelu(x @ w), -1)

    x, w = normal(512, 512), normal(512, 512)
    for _ in rounds(3, wait=torch.cuda.synchronize):
        layer(x, w).sum().item()


def conv():
    x, w = normal(16, 32, 128, 128, dtype=torch.float16), normal(64, 32, 3, 3, dtype=torch.float16)
    for _ in rounds(wait=torch.cuda.synchronize):
        functional.conv2d(x, w, padding=1)
        x = x + 1


for part in parts:
    globals()[part]()
torch.cuda.synchronize()
print("torch done", torch.__version__)
