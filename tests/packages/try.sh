#!/usr/bin/env bash
# try.sh PACKAGES ROOT: installs the packages in a copy of ROOT, a clean Debian 12, and does what their users
# do. ROOT may be `new`: then debootstrap makes one. The copy is removed at the end. As root, since it
# changes its root folder; ROOT itself is not touched.
set -euo pipefail
packages=$(realpath "$1")
from=$2
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")

say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'try: %s\n' "$*" >&2
  exit 1
}
((EUID == 0)) || fail "this must be run as root"

work=$(mktemp -d)
root=$work/root
finish() {
  ! mountpoint -q "$root/proc" || umount "$root/proc"
  rm -rf --one-file-system "$work"
}
trap finish EXIT
if [[ "$from" == new ]]; then
  command -v debootstrap >/dev/null || fail "debootstrap is not installed: name a folder with a Debian 12"
  say "a clean Debian 12"
  debootstrap --variant=minbase bookworm "$root" >"$work/log" 2>&1 || { tail "$work/log"; fail "debootstrap failed"; }
  # As this machine finds packages.
  cp -a /etc/apt/. "$root/etc/apt/"
else
  say "a copy of $from"
  cp -a --reflink=auto "$from" "$root"
fi
cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
mount -t proc proc "$root/proc"
mkdir "$root/packages" "$root/consumer"
cp "$packages"/*.deb "$packages"/*.tar.gz "$root/packages/"
cp "$here"/consumer/CMakeLists.txt "$here/../../examples/scenario.cpp" "$root/consumer/"
cp "$here/inside.sh" "$root/inside.sh"
env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} chroot "$root" bash /inside.sh
say "the packages work in a clean root"
