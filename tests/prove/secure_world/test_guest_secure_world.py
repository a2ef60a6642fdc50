# SPDX-License-Identifier: BSD-3-Clause
"""Slow: TF-A with OP-TEE built from Debian's sources below the guest, and late wake-ups put down to it by the probe outside and the meter
inside. Counts of instructions are of the versions that the archive has; the rules are of any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pytest

from latlab.core.model.blame import BlameKind
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run
from latlab.core.store.store import open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.analysis.instruments import Instrument as Told
from latlab.rt.analysis.result import RtResult
from latlab.rt.campaign.measure import GuestOptions, run_rt_guest
from latlab.rt.campaign.results import results_of
from latlab.rt.campaign.secure_world_options import drivers_for
from latlab.rt.model.worlds import GuestWorlds
from latlab.rt.readers.guest_worlds import WORLDS_LOG
from latlab.rt.targets.guest.guest import GuestMachine, stack_of, watched_from_outside
from latlab.rt.targets.guest.guest_image import guest_image
from latlab.rt.targets.guest.secure_world import SecureWorld, secure_world
from latlab.rt.targets.rt_job import Instrument, RngNode, Workload

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMITS = Limits(3600, 3600)
CALLS = ("OPTEE_CALL_WITH_ARG", "OPTEE_CALL_WITH_RPC_ARG", "OPTEE_CALL_WITH_REGD_ARG", "OPTEE_CALL_RETURN_FROM_RPC")
THRESHOLD_US = 25
CAUSES_THRESHOLD_US = 60
NOT_KEPT = "late wake-ups is not kept"  # of so many the kernel's events are longer than what is kept of them in a second
METER_APART_NS = 2_500
METER_SCATTER_NS = 5_000


@dataclass(frozen=True)
class Measured:
    run: Run
    result: RtResult
    log: bytes

    @property
    def worlds(self) -> GuestWorlds:
        assert self.result.worlds is not None
        return self.result.worlds

    @property
    def max_us(self) -> float:
        assert self.result.recorder is not None
        return self.result.recorder.max_ns / 1000


Measure = Callable[..., Measured]


@pytest.fixture(name="measure", scope="module")
def fixture_measure(tmp_path_factory: pytest.TempPathFactory) -> Measure:
    store = open_store(str(tmp_path_factory.mktemp("store") / "store.sqlite"))

    @cache
    def measure(wanted: SecureWorld, node: RngNode | None = None, load: str = "hwrng", causes: bool = False, turn: int = 0) -> Measured:
        machine = watched_from_outside(GuestMachine(firmware=secure_world(wanted)), find_qemu())
        duration_s, threshold_us = (2, CAUSES_THRESHOLD_US) if causes else (1, THRESHOLD_US)
        workload = Workload(duration_s, load, Instrument.RECORDER, outlier_us=threshold_us, causes=causes)
        options = GuestOptions(drivers_for(stack_of(machine), node), trace=False)
        run_id = run_rt_guest(store, find_qemu(), guest_image(), machine, workload, options, LIMITS)
        run, logs = store.load(run_id), store.logs(run_id)
        wrong = [problem for problem in run.problems if not (causes and NOT_KEPT in problem.message)]
        assert not wrong and run.status is (RunStatus.PARTIAL if run.problems else RunStatus.COMPLETE), wrong
        ((_, result),) = results_of(run, logs)
        return Measured(run, result, logs[WORLDS_LOG])

    return measure


def test_late_wake_ups_are_put_down_to_optees_calls_and_split_without_a_rest(measure: Measure) -> None:
    found = measure(SecureWorld())
    assert len(found.worlds.late) >= 1000 and found.worlds.untimed == 0
    for late, outlier in zip(found.worlds.late, found.result.recorder.outliers if found.result.recorder else (), strict=True):
        assert sum(share.ns for share in late.shares) == outlier.late_ns
    calls = {share.call for late in found.worlds.late for share in late.shares if share.world == "S-EL1"}
    assert calls <= set(CALLS) and calls
    blamed = [entry.blame for entry in found.result.attributed or () if entry.blame.kind is BlameKind.FIRMWARE]
    assert blamed and {blame.name for blame in blamed} <= set(CALLS)


def test_the_swapped_timer_is_named_as_the_reason_why_no_call_ends_for_linux(measure: Measure) -> None:
    """The same call to the instruction, one switch of TF-A apart."""
    swapped, kept = measure(SecureWorld()), measure(SecureWorld(timer_switch=False))
    assert swapped.worlds.stays == swapped.worlds.stays_without_timer > 0 and sum(kind.yielded for kind in swapped.worlds.kinds) == 0
    assert kept.worlds.stays_without_timer == 0 < kept.worlds.stays and sum(kind.yielded for kind in kept.worlds.kinds) > 100
    assert swapped.max_us > 1.5 * kept.max_us


def test_each_half_of_the_mitigation_takes_the_secure_world_out_of_every_late_wake_up(measure: Measure) -> None:
    for mitigated in (measure(SecureWorld(prng=True)), measure(SecureWorld(), RngNode.FIRMWARE)):
        assert not {share.world for late in mitigated.worlds.late for share in late.shares} & {"S-EL1", "S-EL0"}
        assert not {kind.name for kind in mitigated.worlds.kinds} & set(CALLS)
        assert mitigated.max_us < measure(SecureWorld()).max_us / 1.5


def test_two_boots_are_the_same_to_the_byte(measure: Measure) -> None:
    first, second = measure(SecureWorld()), measure(SecureWorld(), turn=1)
    assert first.run.id != second.run.id and first.log == second.log


def test_the_meter_inside_says_what_the_probe_outside_saw(measure: Measure) -> None:
    told = {one.instrument: one for one in measure(SecureWorld(), causes=True).result.beside}
    meter = told[Told.METER]
    assert meter.wakeups >= 1000
    assert abs(meter.median_ns) <= METER_APART_NS and meter.high_ns - meter.low_ns <= METER_SCATTER_NS
