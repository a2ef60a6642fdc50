#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fetches libfdt's sources as Debian has them (source package device-tree-compiler) into a folder. Usage: scripts/libfdt.sh [FOLDER]
# The machine's apt sources stay as they are: a list of its own names the same place, for sources.
set -eu

folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/latlab/libfdt}
[ ! -e "$folder/libfdt.h" ] || exit 0

say() { printf '%s\n' "$*" >&2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/parts" "$work/cache/archives/partial"

# The mirror of the entry that the machine has for its release.
release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
site=$(apt-get indextargets --format '$(SITE) $(CODENAME)' 'Created-By: Packages' 2>/dev/null |
    awk -v release="$release" '$2 == release && $1 !~ /security/ { print $1; exit }')
key=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$key" ] || key=
if [ -z "$site" ]; then
    say "apt names no place for this machine's own release; put the folder libfdt of dtc's sources at $folder."
    exit 1
fi

for suite in "$release" trixie; do
    printf 'deb-src %s%s %s main\n' "${key:+[signed-by=$key] }" "$site" "$suite" >"$work/sources.list"
    set -- -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts="$work/parts" -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" \
        -o Debug::NoLocking=1 -o APT::Sandbox::User=
    apt-get "$@" update >"$work/log" 2>&1 || continue
    if (cd "$work" && apt-get "$@" --download-only --tar-only --only-source source device-tree-compiler >>"$work/log" 2>&1); then
        mkdir "$work/source"
        tar -xf "$work"/device-tree-compiler_*.orig.tar.* -C "$work/source" --strip-components=1
        mkdir -p "$(dirname "$folder")"
        rm -rf "$folder"
        cp -r "$work/source/libfdt" "$folder"
        exit 0
    fi
done
say "Debian's source package device-tree-compiler cannot be fetched: $(tail -n 1 "$work/log")"
exit 1
