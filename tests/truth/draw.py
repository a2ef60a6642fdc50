# SPDX-License-Identifier: BSD-3-Clause
"""Pairs drawn from a seed: what is planted, how it shows, in which format, over how many boots and iterations, in what noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truth.machines import EXACT, JUNO, N1SDP, Machine, scaled
from truth.noise import Noise
from truth.planted import CORRUPT, EXACT_CAUSES, FREE_CAUSES, QUEUED_CAUSES, SHAPES, Pathology, Planted, places
from truth.wakeups import Between, Late, Tool
from truth.written import Form

SIZES = (0.02, 0.05, 0.10, 0.20, 0.50, -0.10, -0.20)
BOOTS = (1, 3, 4, 5, 8)
DRAWN = (Noise.GAUSSIAN, Noise.HEAVY, Noise.DEPENDENT, Noise.BIMODAL)
WAKEUPS_A_CPU = 60_000
LONGEST_LOG = 40
"""Iterations of all boots: reading a log takes longer than judging it."""


@dataclass(frozen=True)
class SpanCase:
    machine: Machine
    planted: Planted
    noise: Noise
    boots: int
    iterations: int
    form: Form
    seed: int

    @property
    def name(self) -> str:
        return f"{self.machine.name}, {self.planted.name}, {self.boots} boots of {self.iterations}, {self.noise}, {self.form}"

    @property
    def group(self) -> tuple[str, str, str, str]:
        return self.machine.name, self.planted.name, f"{self.boots} x {self.iterations}", self.noise.value


@dataclass(frozen=True)
class WakeupCase:
    planted: Late
    size: float
    between: Between
    tool: Tool
    cpus: int
    seed: int

    @property
    def name(self) -> str:
        return f"wake-ups, {self.group[1]}, {self.between} between, {self.tool}"

    @property
    def group(self) -> tuple[str, str, str, str]:
        return "wake-ups", f"{self.planted} {self.size:+.0%}" if self.size else self.planted.value, "1 run", self.between.value


Case = SpanCase | WakeupCase


def case_of(seed: int) -> Case:
    """The pair of this seed: three in ten hold nothing, one in six is of wake-ups."""
    rng = np.random.default_rng([seed, 3])
    if rng.random() < 1 / 6:
        return _wakeups(rng, seed)
    machine = (JUNO, JUNO, N1SDP, EXACT)[rng.integers(4)]
    planted = _planted(machine, rng)
    boots, iterations = _size(machine, planted, rng)
    noise = Noise.NONE if machine.exact else DRAWN[rng.integers(4)]
    loud = scaled(machine, float(rng.choice((0.6, 1.0, 2.0))))
    return SpanCase(loud, planted, noise, boots, iterations, _form(loud, planted, boots * iterations, rng), seed)


def _wakeups(rng: np.random.Generator, seed: int) -> WakeupCase:
    planted = Late.NOTHING if rng.random() < 0.4 else list(Late)[1 + rng.integers(len(Late) - 1)]
    size = float(rng.choice((0.02, 0.10, 0.20, 0.50))) if planted is Late.LEVEL else 0.0
    between = Between.MINUTES if rng.random() < 0.5 else Between.NOTHING
    return WakeupCase(planted, size, between, list(Tool)[rng.integers(3)], int(rng.integers(1, 4)), seed)


def _planted(machine: Machine, rng: np.random.Generator) -> Planted:
    share = rng.random()
    if share < 0.3:
        return Planted(Pathology.NOTHING)
    if share < 0.65:
        causes = QUEUED_CAUSES if machine.is_queued else EXACT_CAUSES if machine.exact else FREE_CAUSES
        return Planted(Pathology.LEVEL, causes[rng.integers(len(causes))].name, float(rng.choice(SIZES)))
    if share < 0.72 and machine.is_queued:
        return Planted(Pathology.LEAD if rng.random() < 0.5 else Pathology.LAST_MAN)
    kinds: tuple[Pathology, ...] = SHAPES if share < 0.86 else CORRUPT
    if machine.exact:
        kinds = (Pathology.HALF, Pathology.TAIL_5, Pathology.ONE_A_CORE)
    kind = kinds[rng.integers(len(kinds))]
    found = places(machine, kind)
    size = {Pathology.SPREAD: float(rng.choice((2.0, 4.0))), Pathology.DRIFT: 0.2}.get(kind, 0.0)
    return Planted(kind, "", size, found[rng.integers(len(found))] if found else ("", ""))


def _size(machine: Machine, planted: Planted, rng: np.random.Generator) -> tuple[int, int]:
    """A shape needs iterations to show in; what is exact needs no second boot."""
    if machine.exact:
        return 1, 20
    if planted.pathology in SHAPES:
        return int(rng.choice((4, 8))), int(rng.choice((20, 20, 100)))
    boots = int(rng.choice((4, 8) if planted.pathology in (Pathology.PASTED, Pathology.WRAPPED) else BOOTS))
    return boots, int(rng.choice((1, 1, 1, 5)))


def _form(machine: Machine, planted: Planted, iterations: int, rng: np.random.Generator) -> Form:
    """Only a run's own file keeps the instruction clock; a document has one figure a core. Neither tells the lead, nor does a log."""
    if machine.exact or planted.pathology is Pathology.LEAD:
        return Form.JSON
    if iterations > LONGEST_LOG:
        return Form.JSON
    forms = (Form.JSON, Form.LOG, Form.RST) if iterations == 1 else (Form.JSON, Form.LOG)
    return forms[rng.integers(len(forms))]
