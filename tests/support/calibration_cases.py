# SPDX-License-Identifier: BSD-3-Clause
"""The pairs on which the verdicts are calibrated."""

from __future__ import annotations

from dataclasses import replace

from support.calibration import Case
from support.known_boards import COHERENT_CHANGES, JUNO, JUNO_CHANGES, N1SDP, N1SDP_NOISE, Noise, like_juno

LOW = Noise(span=0.3, wakeup=0.3, flush=0.1, version=0.03)
MIDDLE = Noise(span=0.5, wakeup=0.5, flush=0.2, version=0.05)
HIGH = Noise(span=1.0, wakeup=1.0, flush=0.3, version=0.1)
HEAVY = replace(MIDDLE, heavy=True)
# The change of 20 % in one boot, 10 % in four, 5 % in eight has to be found.
SIZE_BY_BOOTS = {1: 0.20, 4: 0.10, 8: 0.05}

SAME_TRUTH = (
    Case("juno, 1 boot, low", JUNO, LOW, 1),
    Case("juno, 1 boot, middle", JUNO, MIDDLE, 1),
    Case("juno, 1 boot, high", JUNO, HIGH, 1),
    Case("juno, 1 boot, heavy tails", JUNO, HEAVY, 1),
    Case("juno, 1 boot, shared 0.5 us", JUNO, replace(MIDDLE, shared=0.5), 1),
    Case("juno, 1 boot, shared 1.0 us", JUNO, replace(MIDDLE, shared=1.0), 1),
    Case("juno, 4 boots, low", JUNO, LOW, 4),
    Case("juno, 4 boots, middle", JUNO, MIDDLE, 4),
    Case("juno, 4 boots, heavy tails", JUNO, HEAVY, 4),
    Case("juno, 4 boots, shared 0.5 us", JUNO, replace(MIDDLE, shared=0.5), 4),
    Case("juno, 8 boots, low", JUNO, LOW, 8),
    Case("juno, 8 boots, middle", JUNO, MIDDLE, 8),
    Case("juno, 8 boots, heavy tails", JUNO, HEAVY, 8),
    Case("n1sdp, 1 boot", N1SDP, N1SDP_NOISE, 1),
    Case("n1sdp, 1 boot, heavy tails", N1SDP, replace(N1SDP_NOISE, heavy=True), 1),
    Case("n1sdp, 4 boots", N1SDP, N1SDP_NOISE, 4),
    Case("n1sdp, 8 boots", N1SDP, N1SDP_NOISE, 8),
    Case("coherent of no known name, 1 boot", replace(N1SDP, platform="bench"), N1SDP_NOISE, 1),
    Case("clusters of 2,2, 1 boot", like_juno((2, 2)), MIDDLE, 1),
    Case("clusters of 4,4, 1 boot", like_juno((4, 4)), MIDDLE, 1),
    Case("one cluster of 8, 1 boot", like_juno((8,)), MIDDLE, 1),
    Case("clusters of 1,1, 1 boot", like_juno((1, 1)), MIDDLE, 1),
)

PLANTED = (
    *(
        Case(f"juno, {boots} boots, {change.name} {size:.0%}", JUNO, MIDDLE, boots, change, size)
        for boots, size in SIZE_BY_BOOTS.items()
        for change in JUNO_CHANGES
    ),
    *(
        Case(f"juno, {boots} boots, heavy tails, {change.name} {size:.0%}", JUNO, HEAVY, boots, change, size)
        for boots, size in ((1, 0.20), (8, 0.05))
        for change in JUNO_CHANGES
    ),
    *(
        Case(f"n1sdp, {boots} boots, {change.name} {size:.0%}", N1SDP, N1SDP_NOISE, boots, change, size)
        for boots, size in SIZE_BY_BOOTS.items()
        for change in COHERENT_CHANGES
    ),
)

# A call of 0.95 us that scatters by 5 %, counted in ticks of 2 %; powerdowns of 2 us that scatter by 8 %.
OUT_OF_REACH = frozenset(
    case.name
    for case in PLANTED
    if case.change is not None and (case.change.name == "PSCI_VERSION" or (case.board.coherent and case.change.name == "powerdown"))
)
