#!/usr/bin/env bash
# Installs BUILD into a folder, moves it, and uses it from there: install_test.sh BUILD
set -euo pipefail
build=$1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
fail() { echo "install_test: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$here/first" >"$here/install.log"
mkdir "$here/some where"
mv "$here/first" "$here/some where/else"
prefix="$here/some where/else"
kernelbatch="$prefix/bin/kernelbatch"

# Nothing points back to the build, and nothing but the tree's own libraries is found through run paths.
for file in "$kernelbatch" "$prefix"/lib/libkernelbatch.so "$prefix"/lib/kernelbatch/plugins/mse.so; do
  paths=$(readelf -d "$file" | sed -nE 's/.*R(UN)?PATH.*\[(.*)\]/\2/p')
  # shellcheck disable=SC2016  # as the file has it
  [[ $paths == '$ORIGIN'* && $paths != *:* ]] || fail "$file has the run path '$paths'"
done

cd "$here"
"$kernelbatch" list >list.txt
grep -q "$prefix/lib/kernelbatch/plugins/mse.so" list.txt || fail "the installed plugins are not listed"
# hillshade takes its input from share/kernelbatch/data.
for job in vector_add hillshade; do
  "$kernelbatch" run -q --device host --set measure.stop.timeout=0.05s -o "$job.h5" \
    "$prefix/share/kernelbatch/jobs/$job.yaml" >"$job.txt" || { cat "$job.txt"; fail "$job did not run"; }
done

"$kernelbatch" import "$prefix/share/kernelbatch/jobs/cupy_kernels.py" -o imported.yaml >import.txt || fail "import does not work"
"$kernelbatch" check imported.yaml >>import.txt || { cat import.txt; fail "an imported job is refused"; }

# A workload of one's own.
expect_refusal() {  # expect_refusal WORDS NAME
  local status=0
  "$kernelbatch" new-plugin "$2" >refused.txt 2>&1 || status=$?
  [ "$status" -eq 2 ] || fail "new-plugin '$2' ended with $status"
  grep -q "$1" refused.txt || { cat refused.txt; fail "new-plugin '$2' did not report '$1'"; }
}
expect_refusal "cannot name a plugin" "My-Work"
expect_refusal "cannot name a plugin" "../escape"
expect_refusal "cannot name a plugin" "class"
expect_refusal "cannot name a plugin" ""
"$kernelbatch" new-plugin mywork >commands.txt
expect_refusal "nothing is overwritten" mywork
# The printed commands do the rest; the README that it writes has the same.
sed -n '2,$p' commands.txt >commands.sh
[ "$(wc -l <commands.sh)" -eq 6 ] || fail "it prints other commands"
grep -qF "$(grep -o 'DCMAKE_PREFIX_PATH=.*' commands.sh)" mywork/README.md || fail "the prefix is not in the README"
export KERNELBATCH_DEVICE=host KERNELBATCH_SET=measure.stop.timeout=0.05s
PATH="$prefix/bin:$PATH" bash -e commands.sh >built.log 2>&1 || { cat built.log; fail "the printed commands do not work"; }
cd mywork
# Plugins are never searched in the current folder.
(cd build/plugins && "$kernelbatch" describe mywork >/dev/null 2>&1) && fail "a plugin was taken from the current folder"
export KERNELBATCH_PLUGIN_PATH=$PWD/build/plugins
"$kernelbatch" describe mywork >/dev/null
# Four sizes, two dtypes.
for variant in reference elementwise jit raw; do
  [ "$(grep -cE "^ +$variant +ok" ../built.log)" -eq 8 ] || { cat ../built.log; fail "$variant is not right everywhere"; }
done
[ "$(find . -maxdepth 1 -type f -exec cat {} + | wc -l)" -le 120 ] || fail "a new plugin has more than 120 lines"
echo "installed, moved, run; a plugin was written, built against it, tested and run"
