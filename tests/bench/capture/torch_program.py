"""PyTorch: Inductor kernels, attention, an optimizer step, cuBLAS, cuDNN. torch_program.py [PART …]"""

import sys

import torch
import torch.nn.functional as functional

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

    x, w, b = normal(512, 781), normal(781), normal(781)
    for _ in range(3):
        softmax(x)
        layer_norm(x, w, b)
        x = x + 0.125


def eager():
    x, y = normal(256, 1000), normal(256, 1000)
    for _ in range(2):
        z = torch.relu(x * y + 1)
        z.sum(-1), z.mean(0), z.argmax(-1), torch.sort(z[0]), torch.cumsum(z, -1), z[:, ::2].contiguous()
        torch.nn.functional.embedding(torch.arange(100, device="cuda"), z)
        x = x + 1


def attention():
    q, k, v = (normal(2, 4, 256, 64, dtype=torch.bfloat16) for _ in range(3))
    for _ in range(2):
        functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        q = q * 1.5


def optimizer():
    layer = torch.nn.Linear(256, 256, device="cuda")
    adam = torch.optim.AdamW(layer.parameters(), fused=True)
    for _ in range(2):
        loss = layer(normal(64, 256)).square().mean()
        loss.backward()
        adam.step()
        adam.zero_grad()


def blas():
    a, b = normal(512, 512, dtype=torch.float16), normal(512, 512, dtype=torch.float16)
    c, d = normal(256, 300), normal(300, 200)
    e, f = normal(8, 64, 96), normal(8, 96, 64)
    for _ in range(2):
        a @ b, c @ d, torch.bmm(e, f)
        a, c, e = a + 1, c + 1, e + 1


def conv():
    x, w = normal(4, 16, 64, 64, dtype=torch.float16), normal(32, 16, 3, 3, dtype=torch.float16)
    for _ in range(2):
        functional.conv2d(x, w, padding=1)
        x = x + 1


for part in parts:
    globals()[part]()
torch.cuda.synchronize()
print("torch done", torch.__version__)
