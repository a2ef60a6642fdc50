#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Unpacks the upstream part of a Debian source package into a folder that is not there yet. Usage: guest/debian_source.sh PACKAGE FOLDER SUITE...
# The first suite that has it is taken; of each that refuses it, and of the one that gave it, a line is said. The machine's apt sources stay as they are: a list of its own names the same place, for sources.
set -eu

package=$1 folder=$2
shift 2
[ ! -e "$folder" ] || exit 0

say() { printf '%s\n' "$*" >&2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/parts" "$work/cache/archives/partial" "$work/source"

# The mirror of the entry that the machine has for its release; unstable calls itself by the name of the release to come, which apt does not.
release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
site=$(apt-get indextargets --format '$(SITE) $(CODENAME)' 'Created-By: Packages' 2>/dev/null |
    awk -v release="$release" '$1 !~ /security/ && $2 == release { print $1; found = 1; exit } $2 == "sid" { site = $1 } END { if (!found) print site }')
key=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$key" ] || key=
if [ -z "$site" ]; then
    say "apt names no place for this machine's own release; unpack the sources of $package at $folder yourself."
    exit 1
fi

get() {
    apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts="$work/parts" -o Dir::State::lists="$work/lists" \
        -o Dir::Cache="$work/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User= "$@" >>"$work/log" 2>&1
}

reason() { grep '^E:' "$work/log" | grep -v 'some archives' | tail -n 1; }

for suite in "$@"; do
    printf 'deb-src %s%s %s main\n' "${key:+[signed-by=$key] }" "$site" "$suite" >"$work/sources.list"
    get update || { echo "$suite: $(reason)"; continue; }
    if (cd "$work" && get --download-only --tar-only --only-source source "$package"); then
        tar -xf "$work/$package"_*.orig.tar.* -C "$work/source" --strip-components=1
        mkdir -p "$(dirname "$folder")"
        rm -rf "$folder.part"
        cp -r "$work/source" "$folder.part"
        mv "$folder.part" "$folder"
        echo "$(cd "$work" && ls "$package"_*.orig.tar.*) of $suite"
        exit 0
    fi
    echo "$suite refuses $package ($(reason)); trying the next"
done
say "Debian's source package $package cannot be fetched: $(tail -n 1 "$work/log")"
exit 1
