#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs latlab with what measures firmware in QEMU, from the checkout that this file is in, on Debian 12, and puts it on the path of the later steps.
set -eu
cd "$(dirname "$0")/.."
command -v make >/dev/null 2>&1 || { apt-get update -q && apt-get install -yq --no-install-recommends make; }
make setup programs
echo "$PWD/.venv/bin" >>"${GITHUB_PATH:-/dev/null}"
