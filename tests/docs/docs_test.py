"""Checks the documentation against the tree and the build: docs_test.py SOURCE BUILD

Every relative link and every file name in the *.md files exists. Every command in a ```sh block of them, and every
example of `--help`, is run in order, but for those of NOT_RUN; Python that is shown is run after its page's commands,
jobs that are shown are checked, and those of the README run. Exits 77 without xarray, pandas, PyTables and h5py.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py  # noqa: F401
    import pandas  # noqa: F401
    import tables  # noqa: F401
    import xarray  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

root, build = map(os.path.abspath, sys.argv[1:3])

# Commands that cannot run here, and why: each new line names the test that runs it instead.
NOT_RUN = {
    r"^\./bootstrap ": "installs packages and builds",
    r"^module load ": "a cluster's",
    r"^cmake --preset |^cmake --build ": "builds; the test's own build is that",
    r"^(nsys|ncu) ": "NVIDIA's profilers need a GPU",
    r"^ *gdb ": "waits for input: tests/app/gdb_test.py",
    r" report .*--svg ": "needs Chromium: tests/report/page_test.py",
    r" submit (?!.*--dry-run)": "needs a cluster: tests/slurm has one",
    r" serve ": "waits for requests: tests/app/serve_test.py",
    r"compare before\.h5 after\.h5 --fail-on slower": "needs times of a GPU: tests/app/compare_test.cpp",
    r" capture ": "needs a GPU: tests/app/capture_test.py",
    r" slice ": "needs a GPU: tests/report/slices_test.cpp",
    r" --target sm_90": "needs NVRTC and time: tests/app/compile_test.cpp",
    r"hypotenuse": "the plugin of plugins/README.md: tests/plugins/readme_test.py builds and runs it",
    r"jobs/(seeds|sweep)\.yaml (--jobs|--device host --resume)": "minutes",
    r"\| man -l": "tests/app/help_test.py has readers check the page",
}
# Files for a page's commands, made by a short run.
MADE = {"slurm/README.md": "results/sweep.h5", "help": "before.h5 after.h5 results/fleet/1.h5"}
# Output of its programs, in the page's order.
PRINTED = {"README.md": [("reduction", "hillshade", "cold_median")],
           "jobs/README.md": [("reduction", "hillshade"), ("0.50",), ("float",), ("speedup", "mse")],
           "jobs/guide/read_results.md": [("reduction", "rows in the flat table")]}
# Files left by its commands.
WRITTEN = {"jobs/README.md": ["report.html", "cases.csv", "flat.h5", "arrays"],
           "help": ["report.html", "samples.csv", "arrays", "mywork/reference.cpp", "both.h5", "job.schema.json", "quickstart.yaml"]}
# Names that are no files of the tree: what users have or commands write, the example of plugins/README.md, what the
# build generates.
NO_FILES = r"^(results/|build/|DIR/|share/|[a-z]\.|jobs/x\.|my|job\.)|hypotenuse|^embedded\.hpp$"

tree = [os.path.relpath(os.path.join(folder, file), root)
        for folder, folders, files in os.walk(root)
        if not folders.sort() and not folders.__setitem__(slice(None), [
            each for each in folders if not each.startswith(("build", "results", ".", "__pycache__"))])
        for file in files]
pages = sorted(file for file in tree if file.endswith(".md"))
assert len(pages) >= 8, pages
names = {"/" + file for file in tree}
folders = {"/" + os.path.dirname(file) + "/" for file in tree}


def exists(name, page):
    """A name as the page means it: from its own folder, from the root, or the end of one path."""
    if os.path.exists(os.path.join(root, os.path.dirname(page), name)) or os.path.exists(os.path.join(root, name)):
        return True
    return any(each.endswith("/" + name) for each in names)


dead = []
for page in pages:
    with open(os.path.join(root, page), encoding="utf-8") as file:
        text = file.read()
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        if not re.match(r"[a-z]+:", link) and not os.path.exists(os.path.join(root, os.path.dirname(page), link)):
            dead.append(f"{page}: the link {link}")
    for name in re.findall(r"`([\w.+-]*(?:/[\w.+-]+)*\w\.(?:cpp|hpp|cuh|cu|py|md|yaml|sbatch|sh|cmake|json|bash))`", prose):
        if not re.search(NO_FILES, name) and not exists(name, page):
            dead.append(f"{page}: the file {name}")
    # `run/plan` of the pages in core/: a pair of files, or a folder.
    rooms = "app|report|run|case|measure|inline|verify|result|workload|job|kernel|array|device|base"
    for name in re.findall(rf"`((?:{rooms})/[\w/]+)`", prose):
        if page.startswith("core/") and not any(each.startswith(f"/core/{name}") for each in names | folders):
            dead.append(f"{page}: {name}")
    # `jit/plan` of a room's own page.
    if page.startswith("core/") and (folder := os.path.dirname(page)) != "core":
        inside = "|".join(each.name for each in os.scandir(os.path.join(root, folder)) if each.is_dir())
        for name in re.findall(rf"`((?:{inside})/\w+)`", prose) if inside else []:
            if not any(each.startswith(f"/{folder}/{name}") for each in names | folders):
                dead.append(f"{page}: {name}")
    # `tests/gpu/run` and other paths from the root, with no ending.
    for name in re.findall(r"`((?:core|plugins|jobs|slurm|data|tests)/[\w/-]*)`", prose):
        if not re.search(NO_FILES, name) and not os.path.exists(os.path.join(root, name)):
            dead.append(f"{page}: {name}")
assert not dead, "\n".join(["these are not there:", *dead])


def blocks_of(page):
    with open(os.path.join(root, page), encoding="utf-8") as file:
        return re.findall(r"```(\w*)\n(.*?)```", file.read(), flags=re.S)


used, count = set(), 0


def runnable(lines):
    global count
    kept = []
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        reasons = [rule for rule in NOT_RUN if re.search(rule, line)]
        used.update(reasons)
        if not reasons:
            kept.append(line)
    count += len(kept)
    return kept


def run_script(lines, what):
    script = "set -euo pipefail\n" + "".join(f"last={shell_quoted(line)}\n{line}\n" for line in lines)
    done = subprocess.run(["bash", "-c", "trap 'echo \"FAILED: $last\" >&2' ERR\n" + script],
                          capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, f"{what}: {done.stdout[-1500:]}{done.stderr[-3000:]}"
    return done.stdout


def words_of(text):
    """The words of each line that are the same in every run and on every machine: no numbers, units or devices."""
    lines = []
    for line in text.splitlines():
        words = [word for word in line.split() if not re.search(r"[\d±%]", word) and word not in ("µs", "ms", "s", "exact", "rel")]
        if words and words[0] not in ("Noisy:", "Checked:", "Results:"):
            lines.append([word for word in words if word not in ("ceiling", "device")] if words[0] == "variant" else words[:2])
    return lines


def check_first_job(shown):
    """The page shows the output of its first job, except numbers."""
    printed = [body for kind, body in shown if kind == "text" and body.startswith("mse ")][0]
    got = run_script(["build/kernelbatch run first.yaml"], "README.md")
    assert words_of(printed) == words_of(got), f"README.md prints {words_of(printed)}, the command {words_of(got)}"


def shell_quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


with tempfile.TemporaryDirectory() as scratch:
    os.environ.update(PATH=f"{build}:{os.environ['PATH']}", KERNELBATCH_DEVICE="host", KERNELBATCH_OVERWRITE="1",
                      KERNELBATCH_BRANCH="main", HOME=f"{scratch}/home",
                      LC_ALL="C.UTF-8", KERNELBATCH_SET="measure.stop.timeout=0.02s")
    os.makedirs(f"{scratch}/home/.config/fish/completions")
    os.chdir(scratch)
    # One run for all pages.
    run_script([f"kernelbatch run -q {root}/jobs/quickstart.yaml"], "quickstart")
    helps = subprocess.run(["kernelbatch", "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^  ([a-z][\w-]*) ", helps[helps.index("Subcommands:"):helps.index("\nExamples:")], flags=re.M)
    for page in [*pages, "help"]:
        folder = os.path.join(scratch, page.replace("/", "_"))
        os.makedirs(f"{folder}/results")
        os.chdir(folder)
        for linked in ("jobs", "data"):
            os.symlink(os.path.join(root, linked), linked)
        os.symlink(build, "build")
        for file in ["results/quickstart.h5", *MADE.get(page, "").split()]:
            os.makedirs(os.path.dirname(file) or ".", exist_ok=True)
            shutil.copy(f"{scratch}/results/quickstart.h5", file)
        if page == "help":
            shown = [["sh", line] for command in listed for line in subprocess.run(
                ["kernelbatch", command, "--help"], capture_output=True, text=True, check=True
            ).stdout.split("\nExamples:\n")[1].splitlines()]
        else:
            shown = blocks_of(page)
        jobs = [body for kind, body in shown if kind == "yaml" and re.search(r"^workloads?:", body, flags=re.M)]
        for number, body in enumerate(jobs):
            # The README's sizes are for a GPU; a thousandth is equivalent here.
            name = "first.yaml" if number == 0 else f"job{number}.yaml"
            with open(name, "w", encoding="utf-8") as job:
                job.write(body.replace("1e8", "1e5"))
            if page == "README.md" and number > 0:  # the first has a command of its own
                run_script([f"kernelbatch run -q {name}"], page)
            elif page == "jobs/README.md":
                run_script([f"kernelbatch check {name}"], page)
        if page == "README.md":
            check_first_job(shown)
        lines = runnable(line for kind, body in shown if kind == "sh" for line in body.splitlines())
        run_script(lines, page)
        for file in WRITTEN.get(page, []):
            assert os.path.exists(file), f"{page}: no command wrote {file}"
        programs = [body for kind, body in shown if kind == "python"]
        wanted = PRINTED.get(page, [])
        assert len(programs) == len(wanted), f"{page} shows {len(programs)} programs, {len(wanted)} are known"
        for program, words in zip(programs, wanted):
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=3000)
            assert done.returncode == 0, f"{page}: {done.stderr}"
            for word in words:
                assert word in done.stdout, f"{page}: '{word}' is not in what its Python prints: {done.stdout}"
assert used == set(NOT_RUN), f"nothing is left out because of {set(NOT_RUN) - used}"
print(f"{len(pages)} pages: links and names are alive, {count} commands and all programs work")
