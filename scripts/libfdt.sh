#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fetches libfdt's sources as Debian has them (source package device-tree-compiler) into a folder. Usage: scripts/libfdt.sh [FOLDER]
set -eu

folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/latlab/libfdt}
[ ! -e "$folder/libfdt.h" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
if ! "$(dirname "$0")/../guest/debian_source.sh" device-tree-compiler "$work/dtc" "$release" trixie; then
    printf '%s\n' "Put the folder libfdt of dtc's sources at $folder." >&2
    exit 1
fi
mkdir -p "$(dirname "$folder")"
rm -rf "$folder"
cp -r "$work/dtc/libfdt" "$folder"
