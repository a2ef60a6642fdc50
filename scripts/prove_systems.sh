#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The README's two commands in minimal roots of Debian's suites, and a table of what came of them. Usage: scripts/prove_systems.sh [SUITE...]
# What was printed is kept in build/systems. Ends with 1 where a command failed.
set -eu

cd "$(dirname "$0")/.."
mkdir -p build/systems
[ $# -gt 0 ] || set -- bookworm trixie sid
code=0

# Prints the row's cell: the minutes, and how it ended.
tried() {
    log=build/systems/$1-$2.log
    begun=$(date +%s)
    ended=0
    scripts/root_of.sh "$1" "$3" >"$log" 2>&1 || ended=$?
    minutes=$((($(date +%s) - begun + 59) / 60))
    case $ended in
    0) printf ' passed in %s min |' "$minutes" ;;
    77) printf ' not tried: %s |' "$(tail -n 1 "$log")" ;;
    *) printf ' **ended with %s** after %s min, see %s |' "$ended" "$minutes" "$log" ;;
    esac
    return "$ended"
}

echo '| system | make demo | make test | tests skipped | compilers, QEMU, Python |'
echo '|---|---|---|---|---|'
for suite in "$@"; do
    printf '| %s |' "$suite"
    tried "$suite" demo 'make demo' || code=1
    tried "$suite" test 'make test' || code=1
    printf ' %s |' "$(grep -c '^SKIPPED' "build/systems/$suite-test.log" || true)"
    versions='for tool in aarch64-linux-gnu-gcc arm-none-eabi-gcc qemu-system-aarch64 python3; do $tool --version | head -n 1; done'
    printf ' %s |\n' "$(scripts/root_of.sh "$suite" "$versions" 2>/dev/null | sed 's/.*[ )]\([0-9][0-9]*\.[0-9.]*\).*/\1/' | paste -sd ' ')"
done
exit "$code"
