#!/usr/bin/env bash
# Makes the tarball of BUILD, unpacks it elsewhere and uses it there, with no library of this system but the C
# library's: bundle_test.sh BUILD. Also checks the recipes in it as far as their readers are installed.
set -euo pipefail
build=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
fail() { echo "bundle_test: $*" >&2; exit 1; }

"$root/core/packaging/make_bundle" "$build" -1 >"$here/made.txt"
tarball=$(sed -E 's/: .*//' "$here/made.txt")
mkdir "$here/elsewhere"
tar -C "$here/elsewhere" --strip-components=1 -xzf "$tarball"
prefix="$here/elsewhere"

# Every library that a file in it needs is in it too, or is the C library's.
system='^(ld-linux-x86-64\.so\.2|lib(c|m|dl|rt|pthread|resolv)\.so\.[0-9]+)$'
mapfile -t files < <(find "$prefix" -name '*.so*' -type f; echo "$prefix/bin/kernelbatch")
[ "${#files[@]}" -gt 40 ] || fail "only ${#files[@]} files with code"
for file in "${files[@]}"; do
  while read -r needed; do
    [[ $needed =~ $system ]] || [ -e "$prefix/lib/$needed" ] ||
      fail "$file needs $needed, which is not in the bundle"
  done < <(readelf -d "$file" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
done
compgen -G "$prefix/lib/libcuda*" >/dev/null && fail "the driver is in the bundle"
compgen -G "$prefix/lib/libc.so*" >/dev/null && fail "the C library is in the bundle"
# The loader takes them from there, whatever LD_LIBRARY_PATH holds.
mkdir "$here/other"
cp "$(ldd "$build/lib/libkernelbatch.so" | awk '$1 ~ /^libyaml-cpp/ {print $3}')" "$here/other/"
for library_path in "" "$here/other"; do
  while read -r name _ path _; do
    [[ $name =~ $system || $name == linux-vdso.so.1 || $name == /lib64/ld-linux* || $path == "$prefix"/* ]] ||
      fail "$name comes from $path"
  done < <(LD_LIBRARY_PATH=$library_path ldd "$prefix/bin/kernelbatch")
done

# The quickstart, with an empty environment but for the tests' kernel cache.
cd "$here"
env -i PATH=/usr/bin:/bin KERNELBATCH_CACHE_DIR="$KERNELBATCH_CACHE_DIR" "$prefix/bin/kernelbatch" run -q \
  --device host -s measure.stop.timeout=0.02s "$prefix/share/kernelbatch/jobs/quickstart.yaml" >run.txt ||
  { cat run.txt; fail "the quickstart does not run"; }
grep -q "hillshade" run.txt || fail "the quickstart printed no table"

# A root with the C library and nothing else, where this user may have one.
bare=$here/bare
mkdir -p "$bare/lib64" "$bare/opt" "$bare/proc/self" "$bare/tmp"
# Instead of a mounted /proc: the path at which the loader and the command find the executable.
ln -s /opt/kernelbatch/bin/kernelbatch "$bare/proc/self/exe"
for library in libc.so.6 libm.so.6 libdl.so.2 librt.so.1 libpthread.so.0 libresolv.so.2; do
  cp -L "/lib/x86_64-linux-gnu/$library" "$bare/lib64/" 2>/dev/null || cp -L "/lib64/$library" "$bare/lib64/"
done
cp -L /lib64/ld-linux-x86-64.so.2 "$bare/lib64/"
ln -s lib64 "$bare/lib"
mkdir "$bare/dev"
: >"$bare/dev/null"
cp -r "$prefix" "$bare/opt/kernelbatch"
inside=("$(command -v unshare)" --map-root-user --mount --root="$bare")
[ "$(id -u)" -ne 0 ] || inside=("$(command -v chroot)" "$bare")
if "${inside[@]}" /lib64/ld-linux-x86-64.so.2 --help >/dev/null 2>&1; then
  env -i "${inside[@]}" /opt/kernelbatch/bin/kernelbatch --version >bare.txt || fail "it does not start in a bare root"
  env -i "${inside[@]}" /opt/kernelbatch/bin/kernelbatch describe mse >bare.txt 2>&1 || { cat bare.txt; fail "no plugin loads in a bare root"; }
  grep -q elementwise bare.txt || fail "mse has no variants in a bare root"
  where="in a root with only glibc"
else
  where="(no root of its own could be made here)"
fi

# Recipes.
shared=$prefix/share/kernelbatch
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
python3 -m py_compile "$shared/spack/package.py" || fail "the Spack recipe is not Python"
# The job of the Apptainer example, which is unpacked at /opt/kernelbatch.
example=$(sed -n 's|^# apptainer run .* run /opt/kernelbatch/||p' "$shared/apptainer/kernelbatch.def")
[ -f "$prefix/$example" ] || fail "the Apptainer example names no job of the bundle"
! grep -rl '@[A-Z_]*@' "$shared/modulefiles" "$shared/apptainer" || fail "a mark was not filled in"
luac=$(command -v luac || command -v luac5.4 || true)
if [ -n "$luac" ]; then
  "$luac" -p "$shared/modulefiles/kernelbatch/$version.lua" || fail "the Lua module file is not Lua"
fi
if command -v tclsh >/dev/null; then
  cat >module.tcl <<'TCL'
foreach name {module-whatis conflict} { proc $name args {} }
foreach name {prepend-path append-path} { proc $name {variable value} { lappend ::set($variable) $value } }
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
puts $set(PATH)
foreach folder $set(PATH) { if {![file executable $folder/kernelbatch]} { exit 1 } }
foreach folder $set(FPATH) { if {![file exists $folder/_kernelbatch]} { exit 1 } }
if {![file exists [lindex $set(XDG_DATA_DIRS) end]/bash-completion/completions/kernelbatch]} { exit 1 }
TCL
  tclsh module.tcl "$shared/modulefiles/kernelbatch/$version" >module.txt || { cat module.txt; fail "the Tcl module file sets wrong paths"; }
fi
for file in man/man1/kernelbatch.1 bash-completion/completions/kernelbatch zsh/site-functions/_kernelbatch \
  fish/vendor_completions.d/kernelbatch.fish kernelbatch/job.schema.json doc/kernelbatch/CHANGELOG.md; do
  [ -s "$prefix/share/$file" ] || fail "share/$file is missing"
done
cat made.txt
echo "the quickstart runs from it, and it starts $where"
