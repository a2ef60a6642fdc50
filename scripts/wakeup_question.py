# SPDX-License-Identifier: BSD-3-Clause
"""What N1SDP's cores still wait for after CPU_OFF: how much longer than after a suspend, since when, and what was counted of it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from statistics import median

import msgspec

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run
from latlab.virtual.analysis.class_costs import ClassCost, fit_observed, observed

ON, RESUMED = "cpu_off_serial", "susp_deep_serial"
MENDED, UNMENDED = "v2.13", "v2.12"

QUESTION = """*The open question.* The commit that mended the errata, 89dba82df in v2.13, says that other slowdowns remain
unknown. After CPU_OFF the three cores of N1SDP that CPU_ON wakes stand {above} µs above {first} in {last}, median against
median. Such a core took {excess_before} µs longer than one that resumes from a suspend in {before}, {excess_after} in
{release}, and {least} to {most} since (medians of three cores, one sample of each). So it is a rise of {rise} µs that came at
{release} and stayed, below that of the errata, which v2.13 took back from both ({step_on} and {step_resumed} µs). Juno's cores
took {juno_before} µs longer in {before} and {juno_after} in {release}.
"""
CANDIDATE = """*A candidate, inferred:* {commit}, *{subject}*, is in {release} and not in {before}. With it N1SDP's list of
secure interrupts has {many} of the core's own (SGIs, PPIs) where it had {few}. A core that is switched on, but not one that
resumes, sets each of them up in its redistributor. Counted with N1SDP's two lists: {accesses_before} and {accesses_after}
accesses to the interrupt controller in the way up after CPU_OFF ({insns_before} and {insns_after} instructions), and none in
that from a suspend. If the {added} accesses are the rise, one takes {access} ns. The releases' suspends alone, without an access
to a device in them and without CPU_OFF, say {fitted} ns ({fitted_low} to {fitted_high}) for an instruction outside of the caches
(:doc:`/explanation/virtual-time`): {added} of these are {fitted_rise} µs where {rise} were published, and {accesses_before} are
{fitted_before} µs, the excess of {before}, where {excess_before} were. Release, board, cores and size agree; nothing was measured
on the board, where {release} with and without that list would decide.

Against ef738d19d of v2.13, since which a core that wakes makes its own context (some 600 instructions more): there the
difference went from {unmended} to {mended} µs, and a core that resumes makes that context as well.
"""
LETTER = """Subject: N1SDP: {rise} us of the wake-up after CPU_OFF since {release}

89dba82df (v2.13) says: "there are other slowdowns since then that
remain unknown". The published tables hold one on N1SDP. The wake-up
after CPU_OFF minus that from the deepest suspend, median of the
three cores that CPU_ON wakes, in us:

{releases}
{medians}

So {rise} us came with {release}, and only where a core is switched on:
not for the lead, which is suspended, and not on Juno. It was hidden
below the errata loop until v2.13 mended that.

A candidate: {commit} ("configure platform specific secure
SPIs", {release}). With it N1SDP's list of secure interrupts has {many}
SGIs and PPIs where it had {few}. plat_arm_gic_pcpu_init() sets each up
on CPU_ON, and not on a resume. Counted in QEMU with both lists:
{accesses_before} and {accesses_after} accesses to the GIC per wake-up. If these {added} are the
rise, one takes {access} ns. The wake-ups from suspend of all releases
say {fitted} ns for an instruction that leaves the caches: {added} of these
are {fitted_rise} us, and {accesses_before} are {fitted_before} us, where {before} published {excess_before}.

Against ef738d19d (context made by the waking core, v2.13): the
difference went from {unmended} to {mended} us there.

This is inferred from published figures and from counts; we have no
N1SDP. {release} with and without that list on a board would tell.
"""


@dataclass(frozen=True)
class Excess:
    """How long each core but the lead, which is suspended in both tests, takes to wake after CPU_OFF and from the deepest suspend."""

    release: str
    on_ns: dict[CoreId, float]
    resumed_ns: dict[CoreId, float]

    @property
    def cores_ns(self) -> dict[CoreId, float]:
        return {core: value - self.resumed_ns[core] for core, value in self.on_ns.items()}

    @property
    def median_ns(self) -> float:
        return median(self.cores_ns.values())


def excess_of(run: Run) -> Excess:
    on, resumed = (
        {s.core: s.value_ticks * run.tick.value for s in run.samples if (s.test, s.metric) == (test, Metric.WAKEUP) and s.core != run.lead}
        for test in (ON, RESUMED)
    )
    return Excess(run.id.rpartition("/")[2], dict(sorted(on.items())), resumed)


@dataclass(frozen=True)
class Candidate:
    """A commit that adds accesses to a device where a core is switched on; pairs are before and after it."""

    commit: str
    subject: str
    release: str
    before: str
    interrupts: tuple[int, int]
    accesses: tuple[int, int]
    instructions: tuple[int, int]
    method: str


def candidate() -> Candidate:
    text = (files("latlab.catalog") / "counts" / "tf-a" / "n1sdp_interrupts.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Candidate)


def paragraphs(found: Sequence[Excess], juno: Sequence[Excess], one: Candidate, cost: ClassCost) -> Iterator[str]:
    """In reStructuredText."""
    told = _told(found, one, cost) | {"juno_before": _us(_of(juno, one.before)), "juno_after": _us(_of(juno, one.release))}
    yield QUESTION.format(**told)
    yield from _table(found)
    yield CANDIDATE.format(**told)
    yield f"*How it was counted:* {one.method}."
    yield ""


def cost_by_suspends(runs: Sequence[Run]) -> ClassCost:
    """Of an instruction outside of the caches, by what no core does after CPU_OFF."""
    return fit_observed([span for run in runs for span in observed(run) if span.cell[0] != ON]).costs[0]


def rise_of(found: Sequence[Excess], one: Candidate) -> float:
    """By how much longer such a core takes since the candidate's release, ns."""
    return _of(found, one.release) - _of(found, one.before)


def letter(found: Sequence[Excess], one: Candidate, cost: ClassCost) -> list[str]:
    """For a mailing list, at most 30 lines of at most 72 characters."""
    return LETTER.format(**_told(found, one, cost)).splitlines()


def _told(found: Sequence[Excess], one: Candidate, cost: ClassCost) -> dict[str, object]:
    """What the texts say."""
    before, after, added = _of(found, one.before), _of(found, one.release), one.accesses[1] - one.accesses[0]
    releases = [each.release for each in found]
    since = [each.median_ns for each in found[releases.index(one.release) :]]
    on, resumed = ({each.release: median(getattr(each, which).values()) for each in found} for which in ("on_ns", "resumed_ns"))
    access_ns = rise_of(found, one) / added
    return {
        "commit": one.commit[:9], "subject": one.subject, "release": one.release, "before": one.before, "first": releases[0],
        "last": releases[-1], "above": _us(on[releases[-1]] - on[releases[0]]), "rise": _us(rise_of(found, one)),
        "excess_before": _us(before), "excess_after": _us(after), "least": _us(min(since)), "most": _us(max(since)),
        "step_on": _us(on[MENDED] - on[UNMENDED]), "step_resumed": _us(resumed[MENDED] - resumed[UNMENDED]),
        "few": one.interrupts[0], "many": one.interrupts[1], "accesses_before": one.accesses[0], "accesses_after": one.accesses[1],
        "insns_before": f"{one.instructions[0]:,}", "insns_after": f"{one.instructions[1]:,}", "added": added,
        "access": f"{access_ns:.0f}", "fitted": f"{cost.value_ns:.0f}",
        "fitted_low": f"{cost.low_ns:.0f}", "fitted_high": f"{cost.high_ns:.0f}",
        "fitted_rise": _us(cost.value_ns * added), "fitted_before": _us(cost.value_ns * one.accesses[0]),
        "unmended": _us(_of(found, UNMENDED)), "mended": _us(_of(found, MENDED)),
        "releases": "  ".join(f"{name:>5}" for name in releases), "medians": "  ".join(f"{_us(each.median_ns):>5}" for each in found),
    }  # fmt: skip


def _us(value_ns: float) -> str:
    return f"{value_ns / 1000:.1f}"


def _of(found: Sequence[Excess], release: str) -> float:
    return next(each.median_ns for each in found if each.release == release)


def _table(found: Sequence[Excess]) -> Iterator[str]:
    yield ".. list-table:: N1SDP: wake-up after CPU_OFF minus wake-up from the deepest suspend, µs, one sample of each"
    yield "   :header-rows: 1"
    yield ""
    rows = [("Core", *(each.release for each in found))]
    rows += [(str(core), *(_us(each.cores_ns[core]) for each in found)) for core in found[0].cores_ns]
    for cells in rows:
        for number, cell in enumerate(cells):
            yield f"   {'*' if number == 0 else ' '} - {cell}"
    yield ""
