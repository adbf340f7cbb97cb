#!/usr/bin/env bash
# Makes the Debian package of BUILD, checks its metadata, unpacks it elsewhere and uses it there:
# deb_test.sh BUILD. deb_root_test.sh installs it in a Debian of its own.
set -euo pipefail
build=$1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
fail() { echo "deb_test: $*" >&2; exit 1; }
for tool in cpack dpkg-deb dpkg-query dpkg-shlibdeps readelf; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done

cpack --config "$build/CPackConfig.cmake" -G DEB -B "$here" >"$here/cpack.txt" 2>&1 || { cat "$here/cpack.txt"; fail "cpack -G DEB fails"; }
package=$(echo "$here"/kernelbatch_*_amd64.deb)
[ -f "$package" ] || { cat "$here/cpack.txt"; fail "there is no kernelbatch_*_amd64.deb"; }
[ "$(stat -c %s "$package")" -le 25000000 ] || fail "it has more than 25 MB"
field() { dpkg-deb -f "$package" "$1"; }
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
[ "$(field Version)" = "$version" ] || fail "its version is $(field Version)"
for name in Maintainer Section Description Recommends Suggests; do
  [ -n "$(field "$name")" ] || fail "its field $name is empty"
done
grep -q 'g++' <<<"$(field Recommends)" || fail "it recommends no compiler"

dpkg-deb -x "$package" "$here/elsewhere"
usr=$here/elsewhere/usr
# Depends: names the package of every library that a file of it needs.
needed=$(readelf -d "$usr/bin/kernelbatch" "$usr"/lib/libkernelbatch.so.0 "$usr"/lib/kernelbatch/plugins/*.so |
  sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | sort -u | grep -v '^libkernelbatch')
depends=" $(field Depends | sed -E 's/\([^)]*\)//g; s/,/ /g') "
for library in $needed; do
  mapfile -t owners < <(dpkg-query -S "*/$library" | sed -E 's/:.*//' | sort -u)
  names=$(dpkg-query -W -f '${Package} ${Provides}\n' "${owners[@]}" | sed -E 's/\([^)]*\)//g; s/,/ /g')
  has=
  for name in $names; do [[ $depends == *" $name "* ]] && has=yes; done
  [ -n "$has" ] || fail "it does not depend on the package of $library: $depends"
done
for file in share/man/man1/kernelbatch.1.gz share/bash-completion/completions/kernelbatch share/zsh/vendor-completions/_kernelbatch \
  share/fish/vendor_completions.d/kernelbatch.fish share/doc/kernelbatch/copyright share/kernelbatch/jobs/quickstart.yaml \
  share/kernelbatch/data/inputs share/kernelbatch/slurm lib/cmake/kernelbatch/kernelbatchConfig.cmake \
  include/kernelbatch/core/workload/workload.hpp; do
  [ -e "$usr/$file" ] || fail "usr/$file is missing"
done
[ -z "$(find "$here/elsewhere" -mindepth 1 -maxdepth 1 ! -name usr)" ] || fail "it has files outside of /usr"
[ -z "$(find "$usr" -perm /022 ! -type l)" ] || fail "others may write to its files"

cd "$here"
"$usr/bin/kernelbatch" describe mse >describe.txt || fail "describe does not work"
grep -q elementwise describe.txt || { cat describe.txt; fail "mse has no variants"; }
"$usr/bin/kernelbatch" list >list.txt
grep -q "$usr/lib/kernelbatch/plugins/mse.so" list.txt || fail "its plugins are not listed"
"$usr/bin/kernelbatch" new-plugin mywork >commands.txt
grep -q "DCMAKE_PREFIX_PATH=$usr" commands.txt || fail "new-plugin does not know its prefix"
echo "$(basename "$package"), $(stat -c %s "$package") bytes, depends on:$depends"
