# SPDX-License-Identifier: BSD-3-Clause
"""An explanation: a finding, its basis, and alternatives that fit the figures equally well."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.core.comparison.findings import Alternative, Finding
from latlab.core.model.run import CoreId


class Basis(StrEnum):
    EXACT = "exact"
    PRINTED = "as printed"
    INFERRED = "inferred"


@dataclass(frozen=True, slots=True)
class Explanation:
    """`unit` is the unit of the finding's amounts (ns or insns). `suspects` fit the figures equally well; `about` is the core that they
    name."""

    test: str
    finding: Finding
    basis: Basis
    unit: str
    suspects: tuple[Alternative, ...] = ()
    about: CoreId | None = None

    @property
    def sentence(self) -> str:
        return self.finding.sentence(self.unit)

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The suspects as sentences."""
        return tuple(suspect.sentence(self.about) for suspect in self.suspects)
