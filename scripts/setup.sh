#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what latlab needs: cross compilers, build tools, QEMU 10 or newer and a Python environment in .venv. On Debian and Ubuntu, as
# root, from their packages; elsewhere it says in one sentence what is missing and which command brings it. Does nothing that is done already.
# Usage: scripts/setup.sh [--packages | --check | --tools] [PART...]
#   no PART   what `latlab run psci` needs
#   host      for QEMU's plugin and virtual time; spm, sbi: for the firmware of Cortex-M and RISC-V; guest: for the image of RT Linux
#   programs  all of these
#   dev       those, and what tests need
#   recorder  for the recorder of wake-ups on this machine
#   release   for the Debian packages of `make release`
# --packages prints the Debian packages of the parts, whether they are installed or not. --check installs nothing, and ends with 1 if a tool of
# the parts is missing. --tools installs these and leaves Python's environment as it is. With LATLAB_WHEEL, a file or an address, latlab comes
# from that wheel, and no compiler is needed.
set -eu

cd "$(dirname "$0")/.."
wheel=${LATLAB_WHEEL:-}
mode=install
extras=
parts=" build "
lock_wait_s=900

say() { printf '%s\n' "$*" >&2; }

for word in "$@"; do
    case $word in
    --packages | --check | --tools) mode=${word#--} ;;
    firmware | host | spm | sbi | guest | recorder | release) parts="$parts$word " ;;
    programs) parts="${parts}firmware host spm sbi guest " ;;
    dev) parts="${parts}firmware host spm sbi guest dev test " extras=dev ;;
    *) say "$0: $word is neither an option nor a part; use firmware, host, spm, sbi, guest, recorder, release, programs or dev."; exit 2 ;;
    esac
done
case $mode in install | packages) parts="${parts}run firmware " ;; esac
[ -z "$wheel" ] || parts=" run "

# What is needed, by the part that needs it, how new, and its packages: of Debian and Ubuntu, of Fedora, of Arch. Without a version: any.
# Of the part `test` nothing is required: the tests that lack it are skipped.
needs() {
    { always_needed; needed_here; } | while read -r part line; do
        case $parts in *" $part "*) echo "$part $line" ;; esac
    done
}

always_needed() {
    cat <<'END'
run python3 3.11 python3,python3-venv python3 python
run qemu-system-aarch64 10 qemu-system-arm qemu-system-aarch64-core qemu-system-aarch64
run qemu-system-arm 10 qemu-system-arm qemu-system-arm-core qemu-system-arm
build cmake 3.25 cmake cmake cmake
build ninja 1.11 ninja-build ninja-build ninja
build make - make make make
firmware aarch64-linux-gnu-gcc 12 gcc-aarch64-linux-gnu gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc
firmware xz - xz-utils xz xz
host gcc 12 gcc gcc gcc
recorder gcc - gcc gcc gcc
recorder stdio.h - libc6-dev glibc-static glibc
host stdio.h - libc6-dev glibc-devel glibc
host pkg-config - pkg-config pkgconf-pkg-config pkgconf
host glib.h - libglib2.0-dev glib2-devel glib2
spm arm-none-eabi-gcc 12 gcc-arm-none-eabi arm-none-eabi-gcc-cs arm-none-eabi-gcc
spm libc.a:arm-none-eabi-gcc - libnewlib-arm-none-eabi|picolibc-arm-none-eabi arm-none-eabi-newlib arm-none-eabi-newlib
sbi riscv64-linux-gnu-gcc - gcc-riscv64-linux-gnu gcc-riscv64-linux-gnu riscv64-linux-gnu-gcc
release dpkg-buildpackage - dpkg-dev dpkg-dev dpkg
release dh - debhelper - -
release lintian - lintian - -
dev cmocka.h - libcmocka-dev libcmocka-devel cmocka
test libc.a:riscv64-linux-gnu-gcc - libc6-dev-riscv64-cross - riscv64-linux-gnu-glibc
test arm-linux-gnueabihf-gcc - gcc-arm-linux-gnueabihf gcc-arm-linux-gnu -
test libc.a:arm-linux-gnueabihf-gcc - libc6-dev-armhf-cross - -
test qemu-system-riscv64 - qemu-system-riscv qemu-system-riscv-core qemu-system-riscv
test opensbi - opensbi opensbi opensbi-riscv
test initdb - postgresql postgresql-server postgresql
test opencsd.h - libopencsd-dev opencsd-devel opencsd
test rz - lrzsz lrzsz lrzsz
test ssh - openssh-client openssh-clients openssh
test pgrep - procps procps-ng procps-ng
test groff - groff-base groff groff
test chromium - chromium chromium chromium
test stress-ng - stress-ng stress-ng stress-ng
test hackbench - rt-tests realtime-tests rt-tests
END
}

codename() { . /etc/os-release && printf '%s' "${VERSION_CODENAME:-}"; }

# Fedora's compiler for the guest's recorder comes without a C library. Where systemd runs, openssh-server would start one for the whole machine:
# that is left to its owner; the tests start an sshd of their own.
needed_here() {
    { [ "$mode" != packages ] && command -v dnf >/dev/null 2>&1; } || echo 'guest libc.a:aarch64-linux-gnu-gcc - libc6-dev-arm64-cross - aarch64-linux-gnu-glibc'
    [ -d /run/systemd/system ] || echo 'test sshd - openssh-server openssh-server openssh'
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
    opencsd.h) [ -e /usr/include/opencsd/c_api/opencsd_c_api.h ] ;;
    *.h) printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" | gcc -E - ;;
    libc.a:*) [ -e "$("${1#*:}" -print-file-name=libc.a)" ] ;;
    python3) [ -x .venv/bin/python ] || python3 -c 'import venv, ensurepip' ;;
    opensbi) [ -e /usr/lib/riscv64-linux-gnu/opensbi ] || [ -e /usr/share/opensbi ] ;;
    initdb) ls /usr/lib/postgresql/*/bin/initdb || command -v initdb ;;
    sshd) command -v sshd || [ -x /usr/sbin/sshd ] ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

is_new_enough() {
    [ "$2" = - ] || [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# The lines of `needs` that this machine does not meet, with what it has in their place before the packages.
unmet() {
    needs | while read -r part name least packages; do
        if ! is_there "$name"; then
            echo "$part $name $least nothing $packages"
        elif found=$([ "$least" = - ] || version_of "$name" </dev/null); ! is_new_enough "${found:-0}" "$least"; then
            echo "$part $name $least ${found:-nothing} $packages"
        fi
    done
}

required_of() { echo "$1" | grep -v '^test ' || true; }

# The packages of such lines: the 5th word is Debian's, the 6th Fedora's, the 7th Arch's.
packages_of() { awk -v column="$1" '{ gsub(",", " ", $column); if ($column != "" && $column != "-" && !seen[$column]++) printf "%s ", $column }'; }

# QEMU's packages share files, so all of them come from one suite: the one that has a new QEMU.
emulators_of() { grep -E '^[a-z]+ (qemu-|opensbi )' | packages_of 5; }
others_of() { grep -vE '^[a-z]+ (qemu-|opensbi )' | packages_of 5; }

# A package that one suite has and another has not: the first that is there.
available() {
    for word in "$@"; do
        while [ "$word" != "${word#*|}" ] && ! apt-cache show "${word%%|*}" 2>/dev/null | grep -q '^Filename:'; do word=${word#*|}; done
        printf '%s ' "${word%%|*}"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

can_install() {
    command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }
}

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

# apt-get waits for dpkg's lock by itself, for those of its lists and archives it does not: a machine that has just started holds all three.
apt() {
    waited_s=0
    log=$(mktemp)
    while :; do
        { as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=$lock_wait_s "$@" 2>&1 || echo "$?" >"$log.status"; } | tee "$log" >&2
        [ -e "$log.status" ] || { rm -f "$log"; return 0; }
        rm -f "$log.status"
        if [ "$waited_s" -ge "$lock_wait_s" ] || ! grep -q '^E: Could not get lock' "$log"; then
            rm -f "$log"
            return 1
        fi
        [ "$waited_s" -gt 0 ] || say "Another process holds apt's lock; waiting for it, for at most $((lock_wait_s / 60)) minutes."
        sleep 5
        waited_s=$((waited_s + 5))
    done
}

# Debian makes a database of its own when PostgreSQL's server is installed, and starts it at every boot; with this it makes none.
without_database=/etc/postgresql-common/createcluster.d/latlab.conf

install_packages() {
    as_root mkdir -p "${without_database%/*}"
    echo 'create_main_cluster = false' | as_root tee "$without_database" >/dev/null
    apt install -yq --no-install-recommends "$@" || status=$?
    as_root rm -f "$without_database"
    return "${status:-0}"
}

# What is missing, each with what is there in its place.
named() {
    while read -r part name least found packages; do
        what=${name%%:*}
        [ "$name" = "$what" ] || what="the C library of ${name#*:}"
        [ "$least" = - ] || what="$what $least or newer"
        [ "$found" = nothing ] || what="$what (found: $found)"
        printf '%s' "${separator:-}$what"
        separator=', '
    done
}

# One sentence, with the command that brings it on this system; what tests alone lack comes behind.
explain() {
    for_tests=$(echo "$1" | grep '^test ' || true)
    required=$(required_of "$1" | named)
    [ -z "$for_tests" ] || for_tests="for some tests, which are skipped without: $(echo "$for_tests" | named)"
    say "Missing: $required${required:+${for_tests:+; }}$for_tests. $2"
}

# What the machine's owner can do, by what manages its packages.
advice() {
    if command -v apt-get >/dev/null 2>&1; then
        others=$(available $(echo "$1" | others_of))
        emulators=$(echo "$1" | emulators_of)
        [ -z "$emulators" ] || [ "$(codename)" != bookworm ] || emulators="-t bookworm-backports $emulators"
        install='apt-get install --no-install-recommends'
        echo "As root: ${others:+$install ${others% }}${others:+${emulators:+ && }}${emulators:+$install ${emulators% }}"
    elif command -v dnf >/dev/null 2>&1; then
        echo "As root: dnf install $(echo "$1" | packages_of 6)"
    elif command -v pacman >/dev/null 2>&1; then
        echo "As root: pacman -S --needed $(echo "$1" | packages_of 7)"
    else
        echo "Install them with this system's package manager"
    fi | sed 's/ *$//'
    case $1 in *\ python3\ *) echo "; without root: uv venv --seed --python 3.13 .venv" ;; esac
    echo "; without root also a container (debian:13), or a prefix of your own whose bin comes first in PATH; then run this again."
}

# What the package manager brought is older than what is needed.
advice_for_old() {
    case $1 in
    *qemu-system*) echo "This system's packages have no newer QEMU: build QEMU 10 with --enable-plugins into a prefix of your own, put its bin first in PATH, or work in a container (debian:13); then run this again." ;;
    *\ python3\ *) echo "This system's packages have no newer Python: uv venv --seed --python 3.13 .venv brings one without root; then run this again." ;;
    *) echo "This system's packages have no newer one: put a newer one first in PATH, or work in a container (debian:13); then run this again." ;;
    esac
}

if [ "$mode" = packages ]; then
    all=$(needs | sed 's/^\([^ ]* [^ ]* [^ ]*\)/\1 nothing/')
    # shellcheck disable=SC2046
    available $(echo "$all" | others_of) $(echo "$all" | emulators_of) | tr ' ' '\n' | grep . | sort -u
    exit
fi

lacking=$(unmet)
required=$(required_of "$lacking")

if [ "$mode" != check ] && [ -n "$lacking" ] && can_install; then
    emulators=$(echo "$lacking" | emulators_of)
    packages=$(echo "$lacking" | others_of)
    suite=
    if [ -n "$emulators" ] && [ "$(codename)" = bookworm ]; then
        add_backports
        suite="-t bookworm-backports"
    fi
    apt update -q || true # an entry that has nothing to do with this may be the one that fails
    # shellcheck disable=SC2046,SC2086
    { [ -z "$packages" ] || install_packages $(available $packages); } && { [ -z "$emulators" ] || install_packages $suite $emulators; } || {
        say "apt-get cannot install $packages$emulators(it says above why): see to the network and to /etc/apt, then run this again."
        exit 1
    }
    required=$(required_of "$(unmet)")
    if [ -n "$required" ]; then
        explain "$required" "$(advice_for_old "$required")"
        exit 1
    fi
elif [ -n "$lacking" ]; then
    explain "$lacking" "$(advice "$lacking" | tr -d '\n')"
    [ -z "$required" ] || exit 1
fi
[ "$mode" != check ] || exit 0

case $parts in *\ firmware\ *) scripts/libfdt.sh ;; esac
[ "$mode" = install ] || exit 0

[ -x .venv/bin/python ] || python3 -m venv .venv
if [ -n "$wheel" ]; then
    .venv/bin/python -m pip install --disable-pip-version-check "$wheel" >&2 || {
        say "pip cannot install $wheel (it says above why): see to the file or the network, then run this again."
        exit 1
    }
    exit
fi
stamp=.venv/.installed${extras:+-$extras}
if [ ! -e "$stamp" ] || [ pyproject.toml -nt "$stamp" ] || [ constraints.txt -nt "$stamp" ]; then
    install_latlab() { .venv/bin/python -m pip install --disable-pip-version-check "$@" -e ".${extras:+[$extras]}" >&2; }
    # A mirror may lack a version, and a newer Python may need one: then the newest that pyproject.toml allows.
    install_latlab -c constraints.txt || install_latlab || {
        say "pip cannot install the Python packages of pyproject.toml (it says above why): see to the network or name a mirror in PIP_INDEX_URL, then run this again."
        exit 1
    }
    touch "$stamp"
fi
