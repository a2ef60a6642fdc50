#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A command in a minimal root of a Debian suite, with a clone of this checkout's HEAD at /root/latlab. Usage: scripts/root_of.sh SUITE[/NAME] COMMAND
# The root is made from the place that apt's own entry for this machine's release names, under LATLAB_ROOTS (build/roots), and is used again.
# NAME is for a second root of a suite. /mnt is one folder for all roots.
# Ends with 77, after one sentence, where no root can be made.
set -eu

suite=${1%%/*} command=$2
here=$(cd "$(dirname "$0")/.." && pwd)
roots=${LATLAB_ROOTS:-$here/build/roots}
mkdir -p "$roots/common"
roots=$(cd "$roots" && pwd)
root=$roots/$(printf '%s' "$1" | tr / -)

not_here() {
    printf 'No root of %s: %s.\n' "$suite" "$1" >&2
    exit 77
}

[ "$(id -u)" -eq 0 ] || not_here "this needs the account root"
command -v apt-get >/dev/null 2>&1 || not_here "this machine has no apt"
unshare --mount --pid --fork true 2>/dev/null || not_here "this account may not have mounts of its own (unshare)"
if ! command -v debootstrap >/dev/null 2>&1; then
    DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends debootstrap >&2 || not_here "debootstrap cannot be installed"
fi
site=$(apt-get indextargets --format '$(SITE) $(ORIGIN)' 'Created-By: Packages' | awk '$1 !~ /security/ && $2 == "Debian" { print $1; exit }')
[ -n "$site" ] || not_here "apt has no entry of Debian"

# A copy of unstable that is some days old is as good as today's.
if [ ! -e "$root/.latlab" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase --include=git,make,ca-certificates "$suite" "$root" "$site" >"$root.log" 2>&1 ||
        not_here "debootstrap failed ($(tail -n 1 "$root.log"))"
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99latlab"
    touch "$root/.latlab"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '127.0.0.1 localhost %s\n' "$(uname -n)" >"$root/etc/hosts"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
[ -e "$root/root/latlab/.git" ] || git init -q "$root/root/latlab"
git -C "$here" bundle create -q "$root/root/latlab.bundle" HEAD
git -C "$root/root/latlab" fetch -q ../latlab.bundle HEAD
git -C "$root/root/latlab" -c advice.detachedHead=false checkout -q -f FETCH_HEAD

# The root is a mount of its own, as that of each machine is: the recorder makes it private before it mounts tracefs.
exec unshare --mount --pid --fork --kill-child sh -c '
    mount --bind "$0" "$0" && mount --bind "$2" "$0/mnt" && mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" || exit 77
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
        chroot "$0" sh -c "cd /root/latlab && $1"' "$root" "$command" "$roots/common"
