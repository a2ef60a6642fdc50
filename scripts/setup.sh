#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what latlab needs: cross compilers, build tools, QEMU 10 or newer and a Python environment in .venv. On Debian and Ubuntu, as
# root, from their packages; elsewhere it says in one sentence what is missing and which command brings it. Does nothing that is done already.
# Usage: scripts/setup.sh [EXTRA], where EXTRA names extras of the Python package (dev). With LATLAB_WHEEL, a file or an address, latlab comes
# from that wheel, and no compiler is needed.
set -eu

cd "$(dirname "$0")/.."
extras=${1:-}
wheel=${LATLAB_WHEEL:-}

say() { printf '%s\n' "$*" >&2; }

# What is needed, how new, and its packages: of Debian and Ubuntu, of Fedora, of Arch. Without a version: any.
needs() {
    [ -n "$wheel" ] || needs_to_build
    cat <<'END'
python3 3.11 python3,python3-venv python3 python
qemu-system-aarch64 10 qemu-system-arm qemu-system-aarch64-core qemu-system-aarch64
qemu-system-arm 10 qemu-system-arm qemu-system-arm-core qemu-system-arm
END
    [ "$extras" != dev ] || echo 'cmocka.h - libcmocka-dev libcmocka-devel cmocka'
}

needs_to_build() {
    cat <<'END'
aarch64-linux-gnu-gcc 12 gcc-aarch64-linux-gnu gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc
arm-none-eabi-gcc 12 gcc-arm-none-eabi arm-none-eabi-gcc-cs arm-none-eabi-gcc
gcc 12 gcc gcc gcc
cmake 3.25 cmake cmake cmake
ninja 1.11 ninja-build ninja-build ninja
make - make make make
pkg-config - pkg-config pkgconf-pkg-config pkgconf
xz - xz-utils xz xz
glib.h - libglib2.0-dev glib2-devel glib2
stdio.h - libc6-dev glibc-devel glibc
libc.a:arm-none-eabi-gcc - libnewlib-arm-none-eabi|picolibc-arm-none-eabi arm-none-eabi-newlib arm-none-eabi-newlib
END
    # For the guest's recorder alone, and Fedora's compiler comes without.
    { [ "$extras" != dev ] && command -v dnf >/dev/null 2>&1; } || echo 'libc.a:aarch64-linux-gnu-gcc - libc6-dev-arm64-cross - aarch64-linux-gnu-glibc'
}

# The version of a tool; nothing where it is not there or does not run.
version_of() {
    case $1 in
    *gcc) "$1" -dumpfullversion ;;
    python3) "$(python)" -c 'import sys; print("%d.%d" % sys.version_info[:2])' ;;
    *) "$1" --version | sed -n '1s/^[^0-9]*\([0-9][0-9.]*\).*/\1/p' ;;
    esac 2>/dev/null
}

# An environment that is there already decides, whoever made it.
python() { if [ -x .venv/bin/python ]; then echo .venv/bin/python; else echo python3; fi; }

is_there() {
    case $1 in
    glib.h) pkg-config --exists glib-2.0 ;;
    *.h) printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" | gcc -E - ;;
    libc.a:*) [ -e "$("${1#*:}" -print-file-name=libc.a)" ] ;;
    python3) [ -x .venv/bin/python ] || python3 -c 'import venv, ensurepip' ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

is_new_enough() {
    [ "$2" = - ] || [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# The lines of `needs` that this machine does not meet, with what it has in their place.
unmet() {
    needs | while read -r name least packages; do
        if ! is_there "$name"; then
            echo "$name $least nothing $packages"
        elif found=$([ "$least" = - ] || version_of "$name" </dev/null); ! is_new_enough "${found:-0}" "$least"; then
            echo "$name $least ${found:-nothing} $packages"
        fi
    done
}

# The packages of those lines: the 4th word is Debian's, the 5th Fedora's, the 6th Arch's.
packages_of() { awk -v column="$1" '{ gsub(",", " ", $column); if ($column != "" && $column != "-" && !seen[$column]++) printf "%s ", $column }'; }

# A package that one suite has and another has not: the first that is there.
available() {
    for word in "$@"; do
        while [ "$word" != "${word#*|}" ] && ! apt-cache show "${word%%|*}" 2>/dev/null | grep -q '^Filename:'; do word=${word#*|}; done
        printf '%s ' "${word%%|*}"
    done
}

# What tests need beside it: an XMODEM receiver for a console, a browser for pages, loads for a measured machine, a database, a
# decoder of CoreSight. Where systemd runs, openssh-server would start one for the whole machine: that is left to its owner; the tests start an
# sshd of their own.
test_packages() {
    [ "$extras" = dev ] || return 0
    for pair in rz:lrzsz ssh:openssh-client groff:groff-base chromium:chromium stress-ng:stress-ng hackbench:rt-tests riscv64-linux-gnu-gcc:gcc-riscv64-linux-gnu; do
        command -v "${pair%%:*}" >/dev/null 2>&1 || printf '%s ' "${pair#*:}"
    done
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1 || printf 'postgresql '
    [ -x /usr/sbin/sshd ] || [ -d /run/systemd/system ] || printf 'openssh-server '
    [ -e /usr/include/opencsd/c_api/opencsd_c_api.h ] || printf 'libopencsd-dev '
}

# They come from the suite that has a new QEMU, all of them: QEMU's packages share files.
test_emulators() {
    [ "$extras" = dev ] || return 0
    { command -v qemu-system-riscv64 && [ -e /usr/lib/riscv64-linux-gnu/opensbi ]; } >/dev/null 2>&1 || printf 'qemu-system-riscv opensbi '
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

can_install() {
    command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }
}

codename() { . /etc/os-release && printf '%s' "${VERSION_CODENAME:-}"; }

# The backports suite, from the same place and with the same options as the entry that the machine has for its release.
add_backports() {
    release=$(codename)
    if grep -rqs "$release-backports" /etc/apt/sources.list /etc/apt/sources.list.d; then return; fi
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] || continue
        entry=$(awk -v release="$release" 'BEGIN { RS = ""; ORS = "\n" } $0 ~ "(^|\n)Suites:[^\n]*[ \t]" release "([ \t\n]|$)" { print; exit }' "$file")
        if [ -n "$entry" ]; then
            printf '%s\n' "$entry" | sed "s/^Suites:.*/Suites: $release-backports/" |
                as_root tee /etc/apt/sources.list.d/latlab-backports.sources >/dev/null
            return
        fi
    done
    entry=$(grep -hsE "^deb .*[[:space:]]$release[[:space:]]" /etc/apt/sources.list /etc/apt/sources.list.d/*.list | head -n 1)
    if [ -z "$entry" ]; then
        say "No apt source for $release found to derive $release-backports from; add that suite and run this again."
        exit 1
    fi
    printf '%s\n' "$entry" | sed "s/[[:space:]]$release[[:space:]]/ $release-backports /" |
        as_root tee /etc/apt/sources.list.d/latlab-backports.list >/dev/null
}

# Debian makes a database of its own when PostgreSQL's server is installed, and starts it at every boot; with this it makes none.
without_database=/etc/postgresql-common/createcluster.d/latlab.conf

install_packages() {
    as_root mkdir -p "${without_database%/*}"
    echo 'create_main_cluster = false' | as_root tee "$without_database" >/dev/null
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "$@" >&2 || status=$?
    as_root rm -f "$without_database"
    return "${status:-0}"
}

# One sentence: each thing with what is there in its place, and the command that brings it on this system.
explain() {
    said=
    while read -r name least found packages; do
        what=${name%%:*}
        [ "$name" = "$what" ] || what="the C library of ${name#*:}"
        [ "$least" = - ] || what="$what $least or newer"
        [ "$found" = nothing ] || what="$what (found: $found)"
        said="$said${said:+, }$what"
    done <<END
$1
END
    say "Missing: $said. $2"
}

# What the machine's owner can do, by what manages its packages.
advice() {
    if command -v apt-get >/dev/null 2>&1; then
        echo "As root: apt-get install --no-install-recommends $(available $(echo "$1" | packages_of 4))"
    elif command -v dnf >/dev/null 2>&1; then
        echo "As root: dnf install $(echo "$1" | packages_of 5)"
    elif command -v pacman >/dev/null 2>&1; then
        echo "As root: pacman -S --needed $(echo "$1" | packages_of 6)"
    else
        echo "Install them with this system's package manager"
    fi | sed 's/ *$//'
    case $1 in *python3\ *) echo "; without root: uv venv --seed --python 3.13 .venv" ;; esac
    echo "; without root also a container (debian:13), or a prefix of your own whose bin comes first in PATH; then run this again."
}

# What the package manager brought is older than what is needed.
advice_for_old() {
    case $1 in
    *qemu-system*) echo "This system's packages have no newer QEMU: build QEMU 10 with --enable-plugins into a prefix of your own, put its bin first in PATH, or work in a container (debian:13); then run this again." ;;
    *python3\ *) echo "This system's packages have no newer Python: uv venv --seed --python 3.13 .venv brings one without root; then run this again." ;;
    *) echo "This system's packages have no newer one: put a newer one first in PATH, or work in a container (debian:13); then run this again." ;;
    esac
}

lacking=$(unmet)

if can_install; then
    suite=
    emulators="$(echo "$lacking" | grep '^qemu-' | packages_of 4)$(test_emulators)"
    packages="$(echo "$lacking" | grep -v '^qemu-' | packages_of 4)$(test_packages)"
    if [ -n "$emulators" ] && [ "$(codename)" = bookworm ]; then
        add_backports
        suite="-t bookworm-backports"
    fi
    if [ -n "$packages$emulators" ]; then
        as_root apt-get update -q >&2 || true # an entry that has nothing to do with this may be the one that fails
        # shellcheck disable=SC2046,SC2086
        { [ -z "$packages" ] || install_packages $(available $packages); } && { [ -z "$emulators" ] || install_packages $suite $emulators; } || {
            say "apt-get cannot install $packages$emulators(it says above why): see to the network and to /etc/apt, then run this again."
            exit 1
        }
        lacking=$(unmet)
        if [ -n "$lacking" ]; then
            explain "$lacking" "$(advice_for_old "$lacking")"
            exit 1
        fi
    fi
elif [ -n "$lacking" ]; then
    explain "$lacking" "$(advice "$lacking" | tr -d '\n')"
    exit 1
fi

[ -x .venv/bin/python ] || python3 -m venv .venv
if [ -n "$wheel" ]; then
    .venv/bin/python -m pip install --quiet --disable-pip-version-check "$wheel" >&2 || {
        say "pip cannot install $wheel (it says above why): see to the file or the network, then run this again."
        exit 1
    }
    exit
fi
stamp=.venv/.installed${extras:+-$extras}
if [ ! -e "$stamp" ] || [ pyproject.toml -nt "$stamp" ] || [ constraints.txt -nt "$stamp" ]; then
    install_latlab() { .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@" -e ".${extras:+[$extras]}" >&2; }
    # A mirror may lack a version, and a newer Python may need one: then the newest that pyproject.toml allows.
    install_latlab -c constraints.txt || install_latlab || {
        say "pip cannot install the Python packages of pyproject.toml (it says above why): see to the network or name a mirror in PIP_INDEX_URL, then run this again."
        exit 1
    }
    touch "$stamp"
fi

scripts/libfdt.sh
