"""Compares the sparse products of kernelbatch with SciPy's, on the matrices in data/inputs."""
import os
import subprocess
import sys
import tempfile

try:
    import h5py  # noqa: F401
    import numpy
    import scipy.io
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

command, folder = sys.argv[1:3]
for workload in ("csr_spmv", "diagonal_spmv"):
    for name in ("bcsstk13", "jagmesh7", "west0067"):
        file = os.path.join(folder, name + ".mtx")
        matrix = scipy.io.mmread(file).tocsr()
        x = numpy.random.default_rng(1).uniform(-1, 1, matrix.shape[1])
        with tempfile.TemporaryDirectory() as here:
            numpy.save(os.path.join(here, "x.npy"), x)
            with open(os.path.join(here, "job.yaml"), "w", encoding="utf-8") as job:
                job.write(f"""kernelbatch: 1
workload: {workload}
device: host
inputs: {{A: {{file: "{file}"}}, x: {{file: x.npy}}}}
measure: {{preset: quick, warmup: 0, hot: false, calibrate: false, stop: {{min_samples: 1, max_samples: 1}}}}
output: {{file: "{here}/out.h5", arrays: all}}
""")
            done = subprocess.run([command, "run", f"{here}/job.yaml"], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
            found = []
            with h5py.File(f"{here}/out.h5") as results:
                results.visititems(lambda path, item: found.append(item[()])
                                   if isinstance(item, h5py.Dataset) and path.split("/")[-1] == "y"
                                   and item.shape == (matrix.shape[0],) else None)
        want = matrix @ x
        bound = 1e-13 * abs(matrix).dot(abs(x)).max()
        assert len(found) >= 5, f"{workload} {name}: only {len(found)} results are stored"
        for got in found:
            assert abs(got - want).max() <= bound, f"{workload} {name} differs from SciPy"
        print(f"{workload} {name}: {len(found)} results agree with SciPy")
