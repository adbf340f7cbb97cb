"""Products: sparse matrices in compressed rows, and dense ones, also of the types of tensor cores."""
from works.work import SIZE, Work, cupy_random, plugin, rounded, torch_random


def csr_arrays(np, n, per_row):
    """The banded matrix of the workload csr_spmv: rows' entries side by side around the diagonal."""
    first = np.clip(np.arange(n, dtype=np.int64) - per_row // 2, 0, n - per_row)
    indices = (first[:, None] + np.arange(per_row)).astype(np.int32).ravel()
    indptr = (np.arange(n + 1, dtype=np.int64) * per_row).astype(np.int32)
    return indptr, indices


def spmv_work(n, per_row, dtype, styles):
    def make_cupy(cp):
        import cupyx.scipy.sparse as sparse
        indptr, indices = csr_arrays(cp, n, per_row)
        matrix = sparse.csr_matrix((cupy_random(cp, (n * per_row,), dtype), indices, indptr), shape=(n, n))
        x = cupy_random(cp, (n,), dtype)
        return {"library": lambda: matrix @ x}

    def make_torch(torch):
        import numpy as np
        indptr, indices = (torch.from_numpy(array).cuda() for array in csr_arrays(np, n, per_row))
        values = torch_random(torch, (n * per_row,), dtype)
        matrix = torch.sparse_csr_tensor(indptr, indices, values, (n, n), check_invariants=False)
        return [torch_random(torch, (n,), dtype)], [lambda x: matrix @ x], []

    job = dict(plugin("csr_spmv", n=n, nnz_per_row=per_row, pattern="banded", dtype=dtype), variants=styles)
    moved = n * per_row * (SIZE[dtype] + 4) + (n + 1) * 4 + 2 * n * SIZE[dtype]
    return Work(f"csr_spmv banded {rounded(n)} x {per_row} {dtype}", job, make_cupy, moved, torch=make_torch,
                family="sparse")


def matmul_work(size, dtype, styles, tensor=False):
    """`tensor`: float32 by tensor cores, in TF32."""
    def make_cupy(cp):
        a, b = cupy_random(cp, (size, size), dtype), cupy_random(cp, (size, size), dtype)
        c = cp.empty_like(a)
        return {"library": lambda: cp.matmul(a, b, out=c)}

    def make_torch(torch):
        inputs = [torch_random(torch, (size, size), dtype) for _ in range(2)]
        out = torch.empty((size, size), dtype=inputs[0].dtype, device="cuda")

        def into(a, b):
            return torch.matmul(a, b, out=out)
        torch.backends.cuda.matmul.allow_tf32 = tensor
        return inputs, [into], []

    job = dict(plugin("matmul", m=size, n=size, k=size, dtype=dtype), variants=styles)
    name = f"matmul {size} {dtype}" + (" (TF32)" if tensor else "")
    # CuPy has no switch for TF32 in a call.
    return Work(name, job, None if tensor else make_cupy, 0, torch=make_torch, family="matmul")


def second(abilities, small=False):
    """`abilities(workload)`: the variants and dtypes that this kernelbatch has; others are left out."""
    variants, _ = abilities("csr_spmv")
    wanted = [style for style in ("raw", "jit", "library") if style in variants]
    for dtype in ("float32", "float64") if wanted else ():
        yield spmv_work(4_000_000 if not small else 1000, 16, dtype, wanted)
    variants, dtypes = abilities("matmul")
    size = 4096 if not small else 96
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        if dtype in dtypes:
            by_cores = dtype in ("float16", "bfloat16")
            styles = ("raw_tensor", "raw", "library") if by_cores else ("raw", "library")
            yield matmul_work(size, dtype, [style for style in styles if style in variants])
    if "raw_tensor" in variants:
        yield matmul_work(size, "float32", ["raw_tensor"], tensor=True)
