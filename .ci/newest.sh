#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The cheap half of `make prove-systems`: with the compilers of unstable every firmware builds without a warning, and its QEMU boots what they made.
# A machine that can make no root says so, and so does a day on which unstable's own packages cannot be installed: neither is a failure.
set -eu
cd "$(dirname "$0")/.."
code=0
scripts/root_of.sh sid 'scripts/setup.sh programs' || code=$?
if [ "$code" -ne 0 ]; then
    [ "$code" -eq 77 ] || echo "Unstable's tools could not be set up (it says above why), so what they build was not tried." >&2
    exit 0
fi
scripts/root_of.sh sid 'make qemu_virt spm raspi4 sbsa_ref virtual probe && .venv/bin/latlab doctor && .venv/bin/latlab run psci --iterations 2 && .venv/bin/latlab run psa --build ipc_l2'
