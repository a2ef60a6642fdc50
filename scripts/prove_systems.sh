#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The README's two commands in minimal roots of Debian's suites, and a wheel in roots without a compiler; a table of what came of them.
# The wheel is the first suite's, so name the oldest first. What was printed is kept in build/systems. Ends with 1 where a command failed.
# Usage: scripts/prove_systems.sh [SUITE...]
set -eu

cd "$(dirname "$0")/.."
mkdir -p build/systems
[ $# -gt 0 ] || set -- bookworm trixie sid
code=0

make_wheel='rm -f /mnt/*.whl && make package && cp dist/latlab-*_"$(uname -m)".whl /mnt'
use_wheel='wheel=$(ls /mnt/*.whl) && LATLAB_WHEEL=$wheel scripts/setup.sh && PATH=$PWD/.venv/bin:$PATH && cd /root && ! command -v gcc && latlab doctor &&
    latlab run psci && latlab runs label last main && latlab run psci && latlab gate latest:main last && latlab report last -o psci.html &&
    latlab run psa --build ipc_l2'

# Prints the row's cell: the minutes, and how it ended.
tried() {
    log=build/systems/$(printf '%s' "$1" | tr / -)-$2.log
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

echo '| system | make demo | make test | tests skipped | wheel | compilers, QEMU, Python |'
echo '|---|---|---|---|---|---|'
for suite in "$@"; do
    printf '| %s |' "$suite"
    tried "$suite" demo 'make demo' || code=1
    tried "$suite" test 'make test' || code=1
    printf ' %s |' "$(sed -n 's/.* \([0-9]*\) skipped.*/\1/p' "build/systems/$suite-test.log" | tail -n 1)"
    [ "$suite" != "$1" ] || scripts/root_of.sh "$suite" "$make_wheel" >build/systems/package.log 2>&1 || true
    tried "$suite/wheel" install "$use_wheel" || code=1
    versions='for tool in aarch64-linux-gnu-gcc arm-none-eabi-gcc qemu-system-aarch64 python3; do $tool --version | head -n 1; done'
    printf ' %s |\n' "$(scripts/root_of.sh "$suite" "$versions" 2>/dev/null | sed 's/.*[ )]\([0-9][0-9]*\.[0-9.]*\).*/\1/' | paste -sd ' ')"
done
exit "$code"
