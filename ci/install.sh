#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs latlab with what measures firmware in QEMU, on Debian 12, and puts it on the path of the later steps: from the checkout that this
# file is in, or from the wheel that LATLAB_WHEEL names, a file or an address. Says as `key` with which versions runs may be compared.
set -eu
cd "$(dirname "$0")/.."
if [ -n "${LATLAB_WHEEL:-}" ]; then
    scripts/setup.sh
else
    command -v make >/dev/null 2>&1 || { apt-get update -q && apt-get install -yq --no-install-recommends make; }
    make setup subjects
fi
echo "$PWD/.venv/bin" >>"${GITHUB_PATH:-/dev/null}"

compiler=$({ [ -z "${LATLAB_WHEEL:-}" ] && aarch64-linux-gnu-gcc -dumpfullversion; } 2>/dev/null || echo "as in the wheel")
versions="$(.venv/bin/latlab --version), $(qemu-system-aarch64 --version | head -n 1), compiler $compiler"
key=$(printf '%s\n%s' "$versions" "${LATLAB_JOB:-}" | sha256sum | cut -c 1-16)
echo "$PWD/.venv/bin has $versions; key $key"
echo "key=$key" >>"${GITHUB_OUTPUT:-/dev/null}"
