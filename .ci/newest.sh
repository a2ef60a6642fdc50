#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The cheap half of `make prove PART=debian_unstable`: with the compilers of unstable every firmware builds without a warning, and its QEMU boots what
# they made. Where no root can be made, or unstable's own packages cannot be installed, nothing was tried: that ends with 77, or with 0 if
# LATLAB_NEWEST_IS_OPTIONAL says that it may.
set -eu
cd "$(dirname "$0")/.."
code=0
scripts/root_of.sh sid 'scripts/setup.sh programs' || code=$?
if [ "$code" -ne 0 ]; then
    echo "Unstable's tools could not be set up (it says above why), so what they build was not tried." >&2
    [ -z "${LATLAB_NEWEST_IS_OPTIONAL:-}" ] || exit 0
    echo "If this machine may not make a root, set LATLAB_NEWEST_IS_OPTIONAL=1." >&2
    exit 77
fi
scripts/root_of.sh sid 'make qemu_virt spm raspi4 sbsa_ref virtual probe && .venv/bin/latlab doctor && .venv/bin/latlab run psci --iterations 2 && .venv/bin/latlab run psa --build ipc_l2'
