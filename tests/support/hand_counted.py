# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose instructions were counted by class by hand, from the source and its disassembly, and what a run says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from latlab.core.model.enums import InstructionClass as C
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run

DOWN, UP = Metric.POWERDOWN, Metric.WAKEUP

# Cortex-A57 of QEMU: 512 lines of first-level data cache, in four ways of 128 sets.
OURS = {
    # Two flushes in a turn of six instructions.
    (DOWN, ("next_sets",)): {C.DC_SET_WAY: 512, C.CACHED: 512 // 2 * 4},
    # On caches until it writes SCTLR_EL3, then from memory, and the last two behind arch_mmu_enable on caches again.
    (UP, ("arch_warm_entry",)): {
        C.MRS: 2, C.UNCACHED_LOAD: 3, C.MSR: 3, C.ISB: 1, C.UNCACHED_FETCH: 3, C.UNCACHED_BRANCH: 1, C.CACHED: 3 + 2,
    },
    # All but its RET from memory; moves, addresses and the OR are eight.
    (UP, ("arch_mmu_enable",)): {C.MSR: 4, C.TLBI: 1, C.DSB: 1, C.ISB: 2, C.MRS: 1, C.UNCACHED_FETCH: 8, C.CACHED: 1},
}  # fmt: skip
# TF-A 2.12.1 keeps its instruction cache on where it sleeps.
TFA = {
    # A way: one before the sets, four in a turn, two behind; one more at the end.
    (DOWN, ("loop2_cisw", "loop3_cisw")): {C.DC_SET_WAY: 512, C.CACHED: 4 * (1 + 128 * 3 + 2) + 1},
    (DOWN, ("disable_mmu_el3",)): {C.MRS: 1, C.MSR: 1, C.ISB: 1, C.DSB: 1, C.CACHED: 3},
    # Three loads with translation off.
    (UP, ("enable_mmu_direct_el3",)): {C.TLBI: 1, C.UNCACHED_LOAD: 3, C.MSR: 4, C.DSB: 1, C.ISB: 2, C.MRS: 1, C.CACHED: 10},
}


def classes_in(run: Run, metric: Metric, names: Sequence[str]) -> dict[C, float]:
    """Of these functions in CPU_OFF, of the second core, per call."""
    (one,) = [each for each in run.functions if (each.test, each.metric, each.core) == ("cpu_off_serial", metric, CoreId(0, 1))]
    found: Counter[C] = Counter()
    for share in one.classes:
        for function, count in zip(one.functions, share.functions, strict=True):
            if function.name in names and count:
                found[share.name] += count
    return {name: count / one.calls for name, count in found.items()}
