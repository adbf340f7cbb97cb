#!/usr/bin/env bash
# Installs the Debian package of BUILD in a new Debian 12 and uses it there: deb_root_test.sh BUILD [ROOT]
# By hand, or `ctest --test-dir BUILD -C manual -R deb_root`: it needs root, debootstrap, a network and some minutes. ROOT
# is a folder that debootstrap has filled before, and stays; without it one is made and removed.
set -euo pipefail
build=$1
here=$(mktemp -d)
bare=${2:-$here/root}
clean() {
  for each in dev proc; do mountpoint -q "$bare/$each" && umount "$bare/$each"; done
  rm -rf --one-file-system "$here"
}
trap clean EXIT
fail() { echo "deb_root_test: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || { echo "skipped: not root"; exit 77; }
command -v debootstrap >/dev/null || { echo "skipped: no debootstrap"; exit 77; }

cpack --config "$build/CPackConfig.cmake" -G DEB -B "$here/deb" >"$here/cpack.txt" || { cat "$here/cpack.txt"; fail "cpack fails"; }
if [ ! -e "$bare/etc/debian_version" ]; then
  debootstrap --variant=minbase bookworm "$bare" http://deb.debian.org/debian >"$here/debootstrap.txt" ||
    { tail -n 20 "$here/debootstrap.txt"; fail "no Debian 12 can be made here"; }
fi
cp /etc/apt/apt.conf.d/*prox* "$bare/etc/apt/apt.conf.d/" 2>/dev/null || true
cp /etc/resolv.conf "$bare/etc/resolv.conf"
mount -t proc proc "$bare/proc"
mount --bind /dev "$bare/dev"
cp "$here"/deb/*.deb "$bare/tmp/"

inside() {  # inside WHAT COMMANDS: in the new Debian, with nothing of this one's environment
  echo "deb_root_test: $1"
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} chroot "$bare" bash -euo pipefail -c "cd /root; $2" >"$here/log.txt" 2>&1 ||
    { tail -n 30 "$here/log.txt"; fail "$1"; }
}
inside "apt installs it" "apt-get update; apt-get install -y /tmp/kernelbatch_*.deb"
inside "a job runs" "kernelbatch run --overwrite --device host /usr/share/kernelbatch/jobs/quickstart.yaml -o quick.h5"
grep -qE "^ +elementwise +ok" "$here/log.txt" || { cat "$here/log.txt"; fail "the quickstart has no right result"; }
inside "it describes itself" "kernelbatch describe mse; kernelbatch list; kernelbatch devices --verbose || [ \$? -eq 4 ]"
inside "man finds its page" "apt-get install -y man-db; [ \"\$(man -w kernelbatch)\" = /usr/share/man/man1/kernelbatch.1.gz ]"
inside "a plugin is built" "apt-get install -y g++ cmake make; rm -rf mywork; kernelbatch new-plugin mywork >commands.sh
  sed -i 1d commands.sh; . ./commands.sh"
grep -q "100% tests passed" "$here/log.txt" || { cat "$here/log.txt"; fail "the plugin's tests did not pass"; }
inside "apt removes it" "apt-get remove -y kernelbatch; ! ls /usr/bin/kernelbatch /usr/lib/kernelbatch"
echo "installed by apt in a new Debian 12, used, extended and removed"
