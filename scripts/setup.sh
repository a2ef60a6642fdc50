#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what latlab needs on Debian 12: cross compiler, build tools, QEMU 10 and a Python environment in .venv.
# Does nothing that is done already. Usage: scripts/setup.sh [EXTRA], where EXTRA names extras of the Python package (dev).
# With LATLAB_WHEEL, a file or an address, latlab comes from there, and no compiler is needed.
set -eu

cd "$(dirname "$0")/.."
extras=${1:-}
wheel=${LATLAB_WHEEL:-}
qemu_at_least=10

say() { printf '%s\n' "$*" >&2; }

qemu_major() {
    qemu-system-aarch64 --version 2>/dev/null | sed -n 's/^QEMU emulator version \([0-9]*\).*/\1/p'
}

missing_packages() {
    python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || printf 'python3 python3-venv '
    [ -z "$wheel" ] || return 0
    for pair in aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu arm-none-eabi-gcc:gcc-arm-none-eabi cmake:cmake ninja:ninja-build gcc:gcc make:make \
        pkg-config:pkg-config xz:xz-utils; do
        command -v "${pair%%:*}" >/dev/null 2>&1 || printf '%s ' "${pair#*:}"
    done
    [ -e /usr/include/glib-2.0/glib.h ] || printf 'libglib2.0-dev '
    [ -e /usr/include/stdio.h ] || printf 'libc6-dev '
    [ -e /usr/lib/arm-none-eabi/lib/libc.a ] || printf 'libnewlib-arm-none-eabi '
    [ -e /usr/aarch64-linux-gnu/lib/libc.a ] || printf 'libc6-dev-arm64-cross '
    [ "$extras" != dev ] || test_packages
}

# What only tests need: CMocka for those in C, an XMODEM receiver for a console, a browser for pages, loads for a measured machine, a database.
# Where systemd runs, openssh-server would start one for the whole machine: that is left to its owner; the tests start an sshd of their own.
test_packages() {
    [ -e /usr/include/cmocka.h ] || printf 'libcmocka-dev '
    can_install || return 0
    for pair in rz:lrzsz groff:groff-base chromium:chromium stress-ng:stress-ng hackbench:rt-tests riscv64-linux-gnu-gcc:gcc-riscv64-linux-gnu; do
        command -v "${pair%%:*}" >/dev/null 2>&1 || printf '%s ' "${pair#*:}"
    done
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1 || printf 'postgresql '
    [ -x /usr/sbin/sshd ] || [ -d /run/systemd/system ] || printf 'openssh-server '
}

# They come from the suite that has a new QEMU, all of them: QEMU's packages share files.
missing_emulators() {
    has_new_qemu || printf 'qemu-system-arm '
    [ "$extras" = dev ] && can_install || return 0
    { command -v qemu-system-riscv64 && [ -e /usr/lib/riscv64-linux-gnu/opensbi ]; } >/dev/null 2>&1 || printf 'qemu-system-riscv opensbi '
}

has_new_qemu() {
    major=$(qemu_major)
    [ -n "$major" ] && [ "$major" -ge "$qemu_at_least" ]
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

packages=$(missing_packages)
emulators=$(missing_emulators)

if [ -n "$packages$emulators" ]; then
    if ! can_install; then
        say "Missing: $packages$(has_new_qemu || printf 'qemu-system-aarch64 %s or newer' "$qemu_at_least")"
        say "This needs Debian and root. Install them your own way, then run this again."
        exit 1
    fi
    suite=
    if [ -n "$emulators" ] && [ "$(codename)" = bookworm ]; then
        add_backports
        suite="-t bookworm-backports"
    fi
    as_root apt-get update -q >&2
    # shellcheck disable=SC2086
    [ -z "$packages" ] || install_packages $packages
    # shellcheck disable=SC2086
    [ -z "$emulators" ] || install_packages $suite $emulators
fi

[ -x .venv/bin/python ] || python3 -m venv .venv
if [ -n "$wheel" ]; then
    .venv/bin/python -m pip install --quiet --disable-pip-version-check "$wheel" >&2
    exit
fi
stamp=.venv/.installed${extras:+-$extras}
if [ ! -e "$stamp" ] || [ pyproject.toml -nt "$stamp" ]; then
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -e ".${extras:+[$extras]}" >&2
    touch "$stamp"
fi

scripts/libfdt.sh
