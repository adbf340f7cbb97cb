"""Compares `kernelbatch schema` with the parser: schema_test.py SOURCE KERNELBATCH

Every job of the tree is valid by the schema. The schema knows the same keys and choices as the parser,
both ways: each closed mapping and each choice of the schema has a job below in which QQQ stands where a key
or a value of it may stand, and the parser's refusal lists what it knows. What is mistyped is refused by both,
by the parser with the nearest name and the right line. Exits 77 without jsonschema and PyYAML.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

root, kernelbatch = sys.argv[1:3]
schema = json.loads(subprocess.run([kernelbatch, "schema"], check=True, capture_output=True).stdout)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)

jobs = [file for pattern in ("jobs/*.yaml", "jobs/inline/*.yaml", "tests/gpu/*.yaml")
        for file in glob.glob(os.path.join(root, pattern))]
assert len(jobs) > 40, jobs
for file in jobs:
    with open(file, encoding="utf-8") as text:
        for error in validator.iter_errors(yaml.safe_load(text)):
            sys.exit(f"{file}: {'.'.join(map(str, error.absolute_path))}: {error.message}")


def check(text):
    """Exit code and output of `kernelbatch check` on a job."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "job.yaml")
        with open(path, "w", encoding="utf-8") as job:
            job.write(text)
        done = subprocess.run([kernelbatch, "check", path], capture_output=True, text=True, timeout=900)
        return done.returncode, done.stderr.replace(folder + "/", "")


UNKNOWN = "qqqqqqqqqqqqqqqqqqqq"
INLINE = ("workload: inline\ninputs: {x: {arange: 4, dtype: float32}}\n"
          "outputs: {y: {shape: [4], dtype: float32}}\n")
RAW = INLINE + ("reference: none\nvariants: {v: {kind: raw, source: 'extern \"C\" __global__ void f(float* y) {}', "
                "entry: f, grid: 1, args: [y], ")
ELEMENTWISE = INLINE + "reference: none\nvariants: {v: {kind: elementwise, in: T x, out: T y, operation: y = x, "
# Place in the schema (closed mappings, then choices) → a job with QQQ at a key or value of it.
mappings = {
    "": "workload: mse\nQQQ: 1\n",
    "workload_entry": "workloads: [{workload: mse, QQQ: 1}]\n",
    "generator": "workload: mse\nparams: {n: {QQQ: [1, 2]}}\n",
    "tune": "workload: mse\ntune: {QQQ: 1}\n",
    "view": "workload: inline\noutputs: {y: {shape: [4]}, z: {of: y, QQQ: 1}}\n"
            "variants: {v: {kind: fuse, expression: x}}\n",
    "buffer": "workload: inline\noutputs: {y: {shape: [1], QQQ: 1}}\nvariants: {v: {kind: fuse, expression: x}}\n",
    "scratch_array": INLINE + "variants: {v: {steps: [{entry: f, grid: 1, source: f}], scratch: {p: {QQQ: 1}}}}\n",
    "inline_reference_source": INLINE + "variants: {v: {kind: fuse, expression: x}}\nreference: {QQQ: 1}\n",
    "scalar_argument": RAW.replace("[y]", "[y, {scalar: 1, QQQ: 1}]") + "}}\n",
    "tensor_map_argument": RAW.replace("[y]", "[{tensor_map: y, box: 4, QQQ: 1}]") + "}}\n",
    "bytes_argument": RAW.replace("[y]", '[y, {bytes: "00", QQQ: 1}]') + "}}\n",
    "module": RAW.replace("source: 'extern \"C\" __global__ void f(float* y) {}'", "module: {QQQ: a.cu}") + "}}\n",
    "texture": RAW + "textures: {t: {QQQ: 1}}}}\n",
    "surface": RAW + "surfaces: {t: {QQQ: 1}}}}\n",
    "tolerance": "workload: mse\nverify: {tolerance: {QQQ: 1}}\n",
    "reference_file": "workload: mse\nverify: {reference: {QQQ: 1}}\n",
    "verify": "workload: mse\nverify: {QQQ: 1}\n",
    "stop": "workload: mse\nmeasure: {stop: {QQQ: 1}}\n",
    "cold": "workload: mse\nmeasure: {cold: {QQQ: true}}\n",
    "measure": "workload: mse\nmeasure: {QQQ: 1}\n",
    "limits": "workload: mse\nlimits: {QQQ: 1}\n",
    "output": "workload: mse\noutput: {QQQ: 1}\n",
    "slurm": "workload: mse\nslurm: {QQQ: 1}\n",
}
for kind in ("elementwise", "reduction", "raw", "image", "jit", "fuse", "steps"):
    mappings[f"kind_{kind}"] = f"workload: inline\nvariants: {{v: {{kind: {kind}, QQQ: 1}}}}\n"
for source in ("file", "random", "arange", "zeros", "ones", "full", "linspace", "values", "of", "scalar"):
    mappings[f"source_{source}"] = f"workload: mse\ninputs: {{x: {{{source}: 1, QQQ: 1}}}}\n"
choices = {
    "tune/search": "workload: mse\ntune: {params: {n: [1, 2]}, search: QQQ}\n",
    "source_random/random": "workload: mse\ninputs: {x: {random: QQQ}}\n",
    "tolerance/mode": "workload: mse\nverify: {tolerance: {mode: QQQ}}\n",
    "verify/determinism": "workload: mse\nverify: {determinism: QQQ}\n",
    "verify/on_fail": "workload: mse\nverify: {on_fail: QQQ}\n",
    "measure/preset": "workload: mse\nmeasure: {preset: QQQ}\n",
    "measure/energy": "workload: mse\nmeasure: {energy: QQQ}\n",
    "measure/counters": "workload: mse\nmeasure: {counters: QQQ}\n",
    "measure/twins": "workload: mse\nmeasure: {twins: QQQ}\n",
    "limits/isolate": "workload: mse\nlimits: {isolate: QQQ}\n",
    "output/arrays": "workload: mse\noutput: {arrays: QQQ}\n",
    "inline_variant/kind": "workload: inline\nvariants: {v: {kind: QQQ}}\n",
    "inline_step/kind": "workload: inline\nvariants: {v: {steps: [{kind: QQQ}]}}\n",
    "texture/memory": RAW + "textures: {t: {of: x, memory: QQQ}}}}\n",
    "texture/filter": RAW + "textures: {t: {of: x, filter: QQQ}}}}\n",
    "texture/read": RAW + "textures: {t: {of: x, read: QQQ}}}}\n",
    "texture_address": RAW + "textures: {t: {of: x, address: QQQ}}}}\n",
    "kind_raw/backend": RAW + "backend: QQQ}}\n",
}
for key in ("type", "swizzle", "interleave", "l2_promotion", "fill"):
    choices[f"tensor_map_argument/{key}"] = RAW.replace("[y]", f"[{{tensor_map: y, box: 4, {key}: QQQ}}]") + "}}\n"


def spread(texts):
    """check() of each, some at a time."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(check, texts))


closed = {name: part for name, part in schema["definitions"].items() if part.get("additionalProperties") is False}
closed[""] = schema
assert closed.keys() == mappings.keys(), f"no job tries {closed.keys() ^ mappings.keys()}"
for (name, text), (status, words) in zip(mappings.items(), spread(t.replace("QQQ", UNKNOWN) for t in mappings.values())):
    known = re.search(rf"unknown key '{UNKNOWN}' \(known: ([^)]*)\)", words)
    assert status == 2 and known, (name, status, words)
    parsed = set(known[1].split(", "))
    assert parsed == set(closed[name]["properties"]), (name, words, parsed ^ set(closed[name]["properties"]))
    assert not validator.is_valid(yaml.safe_load(text.replace("QQQ", UNKNOWN))), name

enumerations = {}
for name, part in schema["definitions"].items():
    if name in ("boolean", "texture_address"):
        enumerations[name] = part["enum"]
    for key, value in part.get("properties", {}).items():
        if isinstance(value, dict) and "enum" in value:
            enumerations[f"{name}/{key}"] = value["enum"]
del enumerations["boolean"]
assert enumerations.keys() == choices.keys(), f"no job tries {enumerations.keys() ^ choices.keys()}"
for (name, text), (status, words) in zip(choices.items(), spread(t.replace("QQQ", UNKNOWN) for t in choices.values())):
    parsed = set(re.search(r"(?:one of|expected) ([\w-]+(?:(?:, | or )[\w-]+)*)", words)[1].replace(" or ", ", ").split(", "))
    assert status == 2, (name, status, words)
    assert parsed - {"not"} == set(enumerations[name]), (name, words)
    assert not validator.is_valid(yaml.safe_load(text.replace("QQQ", UNKNOWN))), name

# Typing errors: job, line, intended name.
mistyped = [
    ("workload: mse\nparms: {n: 3}\n", 2, "params"),
    ("worklod: mse\n", 1, "workload"),
    ("workload: mse\nmeasure:\n  prest: quick\n", 3, "preset"),
    ("workload: mse\nmeasure:\n  preset: quik\n", 3, "quick"),
    ("workload: mse\nmeasure:\n  stop:\n    nois: 1%\n", 4, "noise"),
    ("workload: mse\nverify: {tolerence: {rtol: 1e-6}}\n", 2, "tolerance"),
    ("workload: mse\nverify:\n  outputs:\n    mse: {rtoll: 1}\n", 4, "rtol"),
    ("workload: mse\nlimits: {memroy: 50%}\n", 2, "memory"),
    ("workload: mse\nlimits: {isolate: varaint}\n", 2, "variant"),
    ("workload: mse\noutput: {arays: all}\n", 2, "arrays"),
    ("workload: mse\nslurm: {partiton: gpu}\n", 2, "partition"),
    ("workload: mse\nparams:\n  n: {pow: [1, 2]}\n", 3, "pow2"),
    ("workload: mse\ninputs:\n  y_true: {fille: a.npy}\n", 3, "file"),
    ("workload: mse\ninputs: {y_true: {random: unifrom}}\n", 2, "uniform"),
    ("workloads:\n  - workload: mse\n  - {workload: mse, exlude: n > 3}\n", 3, "exclude"),
    (INLINE + "variants:\n  v:\n    kind: reductoin\n", 6, "reduction"),
    (ELEMENTWISE + "preample: ''}}\n", 5, "preamble"),
    (RAW + "shared_men: 4}}\n", 5, "shared_mem"),
]
# Wrong type or size: no nearest name, but refused by both.
wrong = ["measure: {warmup: -1}", "measure: {warmup: many}", "measure: {hot: maybe}", "limits: {retries: 101}",
         "limits: {timeout: soon}", "limits: {memory: half}", "output: {compress: 10}", "params: {}", "params: {n: []}",
         "verify: {repeat: 0}", "verify: {tolerance: {atol: .inf}}", "verify: {tolerance: {rtol: -1}}", "verify: 3", "measure: {cold: {flush_l2: 7}}", "tune: {params: {n: [1, 2]}, search: exhaustive, budget: 3}",
         "tune: {params: {n: [1, 2]}, search: local}", "tune: {params: {n: [1, 2]}, start_from: a.h5}", "tune: {params: {n: [1, 2]}, budget: soon}",
         "tune: {params: {n: [1, 2]}, budget: 0}",
         "zip: [[n]]", "name: a/b", "kernelbatch: 2", "outputs: {y: {shape: [1]}}", "reference: none",
         "params: {n: {range: [1]}}", "inputs: {y_true: {shape: [1]}}", "measure: {stop: {noise: 2}}"]
for (text, line, meant), (status, words) in zip(mistyped, spread(text for text, *_ in mistyped)):
    assert status == 2 and f"job.yaml:{line}:" in words and f"did you mean '{meant}'?" in words, (text, status, words)
    assert not validator.is_valid(yaml.safe_load(text)), text
for key, (status, words) in zip(wrong, spread(f"workload: mse\n{key}\n" for key in wrong)):
    assert status == 2 and "job.yaml:2:" in words, (key, status, words)
    assert not validator.is_valid(yaml.safe_load(f"workload: mse\n{key}\n")), key
print(f"{len(jobs)} jobs; {len(mappings)} mappings and {len(choices)} choices are the parser's; "
      f"{len(mistyped) + len(wrong)} mistakes are refused by both")
