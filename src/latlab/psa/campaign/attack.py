# SPDX-License-Identifier: BSD-3-Clause
"""The attack campaign: what the non-secure side can do to a secure partition manager, tried one by one, with what came of each.

One boot tells what is usual. Then the attacks are made in a row: after a reset the program goes on behind the attack that caused it, and
where the machine stands still it is started again there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from latlab.core.errors import DataError
from latlab.core.lifecycle.life import (
    Progress,
    RunMachine,
    finish,
    on_qemu,
    refuse_interrupted,
    refuse_unstarted,
    run_lifecycle,
    unfinished,
)
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Left
from latlab.core.model.run import Build, Problem, Run
from latlab.core.readers.elf_build import with_build
from latlab.core.readers.qemu_command import with_machine
from latlab.core.store.store import Store
from latlab.core.targets.process.console import Console, Limits
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.scratch import scratch
from latlab.psa.analysis.attack_outcome import Ordinary, judged
from latlab.psa.attack_results import Attacks
from latlab.psa.campaign.attack_plan import AttackPlan, Known
from latlab.psa.model import Attack, AttackOutcome, AttackResult, AttackTranscript, Extent, Observation
from latlab.psa.readers import attack_rows
from latlab.psa.readers.attacks_log import AttacksLog, empty_transcript, read_attacks_log, record_of
from latlab.psa.readers.witness import Witness, empty_observation, read_witness
from latlab.psa.targets import mps2
from latlab.psa.targets.attack_params import MARK_OFFSET, MEMORY_BYTES, Place, write_attacks
from latlab.psa.targets.attack_subject import AttackSubject
from latlab.psa.targets.psa_subject import attack_command_line

CAMPAIGN = "attack"
LIMIT_INSTRUCTIONS = 3_000_000
NOT_MADE = "not tried: the campaign was interrupted first"
LOCKUP = b"Lockup"  # in what QEMU says when it ends because the processor can do nothing more
MOST_STARTS_OF_ONE = 6


@dataclass(frozen=True, slots=True)
class Attacked:
    """What a run left."""

    run_id: str
    status: RunStatus
    results: tuple[AttackResult, ...]
    problems: tuple[Problem, ...]


def run_attack(
    store: Store,
    qemu: Qemu,
    subject: AttackSubject,
    witness: Path,
    limits: Limits,
    progress: Progress,
    interrupted: Callable[[], bool] = lambda: False,
    only: frozenset[str] = frozenset(),
) -> Attacked:
    """Make every attack, or those of the families in `only`, and store what came of it."""
    with scratch() as folder:
        command = attack_command_line(qemu, subject.psa, folder, MEMORY_BYTES)
        run = _new_run(qemu, subject, command)
        with run_lifecycle(store, run, Left(str(folder))) as run_id:
            progress.start(run_id)
            boots = _AttackBoots(RunMachine(store, run_id, folder / "none", limits, interrupted), command, subject, witness, folder)
            survey = boots.make(AttackPlan(subject, Known((), 0, False)).survey(), Place(), ())
            plan = AttackPlan(subject, _survey_facts(survey))
            problems = _survey_problems(survey, plan)
            control = None if problems else boots.make(list(plan.ordinary()), Place(), plan.targets)
            problems += _control_problems(control)
            attacks = [] if problems else [attack for attack in plan.attacks() if not only or attack.family.value in only]
            results = _results(boots, attacks, plan, control, progress)
            if interrupted():
                problems.append(Problem(0, f"interrupted: {sum(result.sentence == NOT_MADE for result in results)} attacks were not made"))
            store.update_metadata(run_id, replace(run, facts=_facts(plan)))
            store.add(run_id, logs={attack_rows.LOG: attack_rows.render(results)})
            status = finish(store, run_id, problems)
    refuse_interrupted(store, run_id, interrupted())
    refuse_unstarted(survey.console, survey.stream)
    return Attacked(run_id, status, results, tuple(problems))


def with_attacks(store: Store, run: Run) -> Run:
    """The run with its rows."""
    try:
        return replace(run, contents=Attacks(attack_rows.parse(store.log(run.id, attack_rows.LOG))))
    except ValueError as error:
        raise DataError(f"its log {attack_rows.LOG} is damaged ({error})", "run it again", place=run.id) from error


@dataclass(frozen=True, slots=True)
class AttackBoot:
    log: AttacksLog
    witness: Witness
    console: Console
    stream: bytes


@dataclass(frozen=True, slots=True)
class _AttackBoots:
    machine: RunMachine
    command: tuple[str, ...]
    subject: AttackSubject
    witness: Path
    folder: Path

    def interrupted(self) -> bool:
        return self.machine.interrupted()

    def make(self, attacks: Sequence[Attack], begin: Place, targets: Sequence[Extent]) -> AttackBoot:
        """Start the machine and follow it to its end."""
        stream = self.folder / "witness"
        stream.unlink(missing_ok=True)
        write_attacks(self.subject.psa, self.folder, attacks, begin)
        options = [
            f"{self.witness},out={stream},mark={self.subject.psa.ram + MARK_OFFSET:#x},limit={LIMIT_INSTRUCTIONS}",
            *(f"handler={address:#x}" for address in self.subject.handlers),
            *(f"target={extent.first:#x}-{extent.last:#x}" for extent in targets),
        ]
        log, console = self.machine.follow((*self.command, "-plugin", ",".join(options)), read_attacks_log)
        data = stream.read_bytes() if stream.is_file() else b""
        return AttackBoot(log, read_witness(data.decode("ascii", "replace").splitlines()), console, data)


def _results(
    boots: _AttackBoots, attacks: Sequence[Attack], plan: AttackPlan, control: AttackBoot | None, progress: Progress
) -> tuple[AttackResult, ...]:
    if control is None or not attacks:
        return ()
    ordinary = _ordinary(control)
    transcripts, observations, boots_made = _all(boots, attacks, plan.targets, progress)
    return tuple(
        judged(attack, transcripts.get(number, empty_transcript()), observations.get(number, empty_observation()), ordinary)
        if number < boots_made or attack.why
        else AttackResult(attack.family, attack.name, AttackOutcome.INCONCLUSIVE, NOT_MADE, 0)
        for number, attack in enumerate(attacks)
    )


def _all(
    boots: _AttackBoots, attacks: Sequence[Attack], targets: Sequence[Extent], progress: Progress
) -> tuple[dict[int, AttackTranscript], dict[int, Observation], int]:
    """Boot until every attack was made, and how many were. A sweep that stops the machine goes on at its next shot, a few times."""
    transcripts: dict[int, AttackTranscript] = {}
    observations: dict[int, Observation] = {}
    banner: list[str] = []
    place, starts = Place(), 0
    while place.attack < len(attacks) and not boots.interrupted():
        boot = boots.make(attacks, place, targets)
        banner = boot.log.before or banner
        _merge(transcripts, observations, boot)
        if boot.log.is_whole:
            return transcripts, observations, len(attacks)
        at = max(place.attack, boot.witness.under_way or 0)
        if boots.interrupted():
            return transcripts, observations, at
        if LOCKUP in boot.console.stderr:
            observations.setdefault(at, empty_observation()).ended = "lockup"
        transcript = transcripts.setdefault(at, empty_transcript())
        transcript.record = transcript.record or record_of(boot.log, banner)
        starts = starts + 1 if at == place.attack else 1
        again = boot.witness.shot + 1 < attacks[at].shots and starts < MOST_STARTS_OF_ONE and not transcript.is_fault
        place = Place(at, boot.witness.shot + 1) if again else Place(at + 1)
        progress.iteration("attack", place.attack)
    return transcripts, observations, place.attack


def _merge(transcripts: dict[int, AttackTranscript], observations: dict[int, Observation], boot: AttackBoot) -> None:
    for number, transcript in boot.log.by_attack.items():
        before = transcripts.get(number)
        transcripts[number] = transcript if before is None else _together(before, transcript)
    for number, other in boot.witness.by_attack.items():
        earlier = observations.get(number)
        observations[number] = other if earlier is None else _seen_together(earlier, other)


def _together(a: AttackTranscript, b: AttackTranscript) -> AttackTranscript:
    return AttackTranscript(
        [*a.calls, *b.calls],
        {**a.shown, **b.shown},
        [*a.loads, *b.loads],
        [*a.stored, *b.stored],
        [*a.taken, *b.taken],
        [*a.floats, *b.floats],
        a.guessed + b.guessed,
        a.saw | b.saw,
        a.resets + b.resets,
        a.record or b.record,
        a.is_done or b.is_done,
        a.is_fault or b.is_fault,
    )


def _seen_together(a: Observation, b: Observation) -> Observation:
    return Observation(
        [*a.gates, *b.gates],
        [*a.strange, *b.strange],
        [*a.stores, *b.stores],
        [*a.loads, *b.loads],
        [*a.spent, *b.spent],
        a.process_stack or b.process_stack,
        a.main_stack or b.main_stack,
        b.ended or a.ended,
        b.ended_pc or a.ended_pc,
    )


def _survey_facts(survey: AttackBoot) -> Known:
    observation = survey.witness.by_attack.get(0, empty_observation())
    return Known(tuple(survey.witness.seals), max(observation.spent, default=0), survey.log.has_floats)


def _ordinary(control: AttackBoot) -> Ordinary:
    observations = control.witness.by_attack.values()
    return Ordinary(
        frozenset((access.pc, access.address) for observation in observations for access in observation.loads),
        frozenset((access.pc, access.address) for observation in observations for access in observation.stores),
    )


def _survey_problems(survey: AttackBoot, plan: AttackPlan) -> list[Problem]:
    if not survey.log.is_started:
        return unfinished(survey.console, is_started=False)
    calls = survey.log.by_attack.get(0, empty_transcript()).calls
    if not calls:
        return [Problem(0, f"the call {plan.data.name} never returned in an undisturbed machine, so attacks on it have no verdict")]
    status = calls[-1].r0 - (1 << 32) if calls[-1].r0 >> 31 else calls[-1].r0
    if status != plan.data.expected:
        return [
            Problem(
                0, f"the call {plan.data.name} returned {status} where {plan.data.expected} is expected, so attacks on it have no verdict"
            )
        ]
    return []


def _control_problems(control: AttackBoot | None) -> list[Problem]:
    """What the secure side touches by itself has to be known before an attack is said to have made it touch anything."""
    if control is None or control.log.is_whole:
        return []
    (why,) = unfinished(control.console, is_started=True)
    return [Problem(0, f"the ordinary calls did not finish, so attacks have no verdict: {why.message}")]


def _facts(plan: AttackPlan) -> tuple[tuple[str, str], ...]:
    """What the attacks rest on."""
    spans = ", ".join(f"{extent.first:#x} to {extent.last:#x}" for extent in plan.targets)
    floats = "yes" if plan.known.has_floats else "no: s0 to s31 were not read"
    return (("targets", spans), ("data call", f"{plan.data.name}, {plan.known.length} instructions"), ("floating point", floats))


def _new_run(qemu: Qemu, subject: AttackSubject, command: tuple[str, ...]) -> Run:
    psa = subject.psa
    conditions = with_machine(replace(mps2.conditions(0), instrument="crossings"), command)
    conditions_with_build = with_build(conditions, psa.symbols[0]) if psa.symbols else conditions
    return on_qemu(CAMPAIGN, qemu, command, psa.machine.replace("-", "_"), Build(psa.name), conditions_with_build, contents=Attacks())
