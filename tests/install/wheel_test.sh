#!/usr/bin/env bash
# Makes the wheel from the tarball that bundle_test.sh has made in BUILD, installs it into a virtual environment and
# uses it from Python: wheel_test.sh BUILD
set -euo pipefail
build=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
fail() { echo "wheel_test: $*" >&2; exit 1; }
python=/usr/bin/python3
"$python" -c 'import venv, ensurepip, xarray, h5netcdf, pandas' || { echo "skipped: no python3-venv, xarray, h5netcdf or pandas"; exit 77; }

"$python" "$root/core/packaging/make_wheel" "$build"/kernelbatch-*-linux-*.tar.gz "$here" -1 >"$here/made.txt"
wheel=$(echo "$here"/kernelbatch-*.whl)
[ "$(stat -c %s "$wheel")" -le 25000000 ] || fail "it has more than 25 MB"
"$python" -m venv --system-site-packages "$here/venv"
PIP_CONFIG_FILE=/dev/null "$here/venv/bin/pip" install -q --no-index "$wheel" || fail "pip refuses it"
PIP_CONFIG_FILE=/dev/null "$here/venv/bin/pip" install --no-index --dry-run "${wheel}[cuda]" >"$here/cuda.txt" 2>&1 || true
grep -q "nvidia-cuda-nvrtc-cu12" "$here/cuda.txt" || { cat "$here/cuda.txt"; fail "[cuda] does not request NVRTC"; }
installed=$(echo "$here"/venv/lib/python3*/site-packages/kernelbatch/installed)

# Its tag has the C library version required by its files, from the linker's tables.
newest=$(find "$installed" \( -name '*.so*' -o -path '*/bin/*' \) -type f -exec readelf --version-info {} + |
  grep -oE 'GLIBC_[0-9]+\.[0-9]+' | sort -uV | tail -n 1)
[[ $wheel == *-manylinux_$(sed 's/GLIBC_//; s/\./_/' <<<"$newest")_x86_64.whl ]] || fail "its files need $newest"
# Libraries come from it or are the C library's.
"$root/core/packaging/collect_libraries" "$here/others" "$installed/bin/kernelbatch" "$installed"/lib/kernelbatch/plugins/*.so
for library in "$here"/others/*; do
  [ -e "$installed/lib/$(basename "$library")" ] || fail "it lacks $(basename "$library")"
done

cd "$here"
# As the environment's user calls it: not from another installation, and with no other's plugins.
export PATH="$here/venv/bin:$PATH"
hash -r
[ "$(kernelbatch --version)" = "$("$installed/bin/kernelbatch" --version)" ] || fail "the command is another one"
[ "$(python -m kernelbatch --version)" = "$(kernelbatch --version)" ] || fail "python -m kernelbatch is another one"
kernelbatch list >list.txt
grep -q "$installed/lib/kernelbatch/plugins/mse.so" list.txt || fail "its plugins are not listed"
[ -s "$here/venv/share/man/man1/kernelbatch.1" ] || fail "the manual page is not in the environment"
status=0
kernelbatch run no_such_file.yaml 2>/dev/null || status=$?
[ "$status" -eq 2 ] || fail "the exit code of a missing job is $status"
cat >use.py <<'PY'
import os
import pathlib
import sys
import kernelbatch
job = kernelbatch.prefix / "share/kernelbatch/jobs/vector_add.yaml"
code = kernelbatch.run(job, "-q", "--only", "variant=elementwise", device="host", output="r.h5", param="dtype=float64",
                       set="measure={preset: quick, stop: {timeout: 0.05s}, calibrate: false}")
assert code == 0, code
cases = kernelbatch.open("r.h5")
assert cases.variant.values.tolist() == ["elementwise"], cases
assert kernelbatch.frame("r.h5").status.tolist() == ["ok"]
assert kernelbatch.open("r.h5", "jobs").sizes["job"] == 1
assert kernelbatch.run("no_such_file.yaml") == 2
nvrtc = pathlib.Path(sys.prefix, "pip/nvidia/cuda_nvrtc/lib")  # as pip installs it
nvrtc.mkdir(parents=True)
(nvrtc / "libnvrtc.so.12").touch()
os.environ["LD_LIBRARY_PATH"] = "/somewhere"
assert kernelbatch._environment()["LD_LIBRARY_PATH"] == "/somewhere"
sys.path.append(str(nvrtc.parents[2]))
assert kernelbatch._environment()["LD_LIBRARY_PATH"] == f"/somewhere:{nvrtc}"
kernelbatch.importlib.util.find_spec = lambda name: None  # as where nothing else is installed
try:
    kernelbatch.open("r.h5")
except ImportError as error:
    assert "pip install" in str(error) and "xarray" in str(error)
else:
    raise AssertionError("no ImportError")
PY
python use.py >used.txt 2>&1 || { cat used.txt; fail "the module does not work"; }
cat made.txt
