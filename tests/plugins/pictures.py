#!/usr/bin/env python3
"""Makes pictures of the results of hillshade, texture_resample and wave2d, for visual inspection.

    tests/plugins/pictures.py KERNELBATCH JOBS_FOLDER OUTPUT_FOLDER [DEVICE]

Runs the three jobs, writes one PNG for each output of the last case's reference, and fails if a
picture cannot be correct: a number that is not finite, an empty picture, a variant with another picture,
or, for the wave, energy in places that no wave can have reached.
"""
import pathlib
import struct
import subprocess
import sys
import zlib

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def png(path, grey):
    """Writes a (rows, columns) array of uint8."""
    rows, columns = grey.shape
    lines = b"".join(b"\0" + row.tobytes() for row in grey)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines))
                     + chunk(b"IEND", b""))


def grey_of(field, is_wave):
    """From the second to the ninety-eighth percentile: black to white. Waves: zero is grey."""
    low, high = np.percentile(field, [2, 98])
    if is_wave:
        high = np.percentile(np.abs(field), 99.5)
        low = -high
    return (np.clip((field - low) / max(high - low, 1e-30), 0, 1) * 255).astype(np.uint8)


def check_wave(field, steps):
    """A wave that starts in the middle moves at most 0.7 cells per step along an axis."""
    rows, columns = field.shape
    y, x = np.mgrid[0:rows, 0:columns]
    distance = np.maximum(abs(y - rows // 2), abs(x - columns // 2))
    beyond = np.abs(field[distance > steps + 40])
    assert beyond.size == 0 or beyond.max() < 1e-6, f"the wave is {beyond.max()} beyond its possible reach"
    assert np.abs(field).max() > 1e-3, "the wave is gone"


def main(command, jobs, output, device="auto"):
    output = pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    for workload in ("hillshade", "texture_resample", "wave2d"):
        file = output / f"{workload}.h5"
        subprocess.run([command, "run", "--overwrite", f"{jobs}/{workload}.yaml", "--device", device, "-q", "-o", file],
                       check=True)
        with h5py.File(file) as results:
            case, variants = list(results["outputs"].items())[-1]
            steps = int(results["cases/param_steps"][-1]) if workload == "wave2d" else 0
            reference = {name: data[()] for name, data in variants["reference"].items() if data.ndim == 2}
            assert reference, f"{workload} has no output to be seen"
            for name, field in reference.items():
                assert np.isfinite(field).all(), f"{workload}: {name} is not finite"
                assert field.std() > 0, f"{workload}: {name} shows nothing"
                if workload == "wave2d":
                    check_wave(field, steps)
                shown = grey_of(field, workload == "wave2d")
                png(output / f"{workload}_{name}.png", shown)
                for variant, outputs in variants.items():
                    grey = grey_of(outputs[name][()], workload == "wave2d")
                    difference = np.abs(grey.astype(int) - shown).max()
                    assert difference <= 1, f"{workload} {variant}: {name} differs by {difference} greys"
                print(f"{workload}_{name}.png: {shown.shape[1]} x {shown.shape[0]}, case {case}, "
                      f"{len(variants)} variants alike")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
