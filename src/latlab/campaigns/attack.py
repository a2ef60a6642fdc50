# SPDX-License-Identifier: BSD-3-Clause
"""The attack campaign: what the non-secure side can do to a secure partition manager, tried one by one, with what came of each.

One boot tells what is usual. Then the attacks are made in a row: after a reset the program goes on behind the attack that caused it, and
where the machine stands still it is started again there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from latlab.analysis.attacks.judge import Ordinary, judged
from latlab.campaigns.attack_plan import Known, Plan
from latlab.campaigns.life import Machine, Progress, finish, living, on_qemu, refuse_interrupted, refuse_unstarted, unfinished
from latlab.errors import DataError
from latlab.formats import attack_rows
from latlab.formats.dump.attacks_log import AttacksLog, nothing_told, read_attacks_log, record_of
from latlab.formats.elf_build import with_build
from latlab.formats.probe.witness import Witness, nothing_seen, read_witness
from latlab.formats.qemu_command import with_machine
from latlab.model.attacks import Attack, AttackResult, Extent, Outcome, Seen, Told
from latlab.model.enums import RunStatus
from latlab.model.life import Left
from latlab.model.run import Attacks, Build, Problem, Run
from latlab.store.store import Store
from latlab.targets.process.console import Console, Limits
from latlab.targets.qemu import mps2
from latlab.targets.qemu.attack_params import MARK_OFFSET, MEMORY_BYTES, Place, write_attacks
from latlab.targets.qemu.attack_subject import AttackSubject
from latlab.targets.qemu.psa_subject import attack_command_line
from latlab.targets.qemu.qemu import Qemu
from latlab.targets.scratch import scratch

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
        with living(store, run, Left(str(folder))) as run_id:
            progress.start(run_id)
            boots = _Boots(Machine(store, run_id, folder / "none", limits, interrupted), command, subject, witness, folder)
            survey = boots.make(Plan(subject, Known((), 0, False)).survey(), Place(), ())
            plan = Plan(subject, _known(survey))
            problems = _survey_problems(survey, plan)
            control = None if problems else boots.make(list(plan.ordinary()), Place(), plan.targets)
            problems += _control_problems(control)
            attacks = [] if problems else [one for one in plan.attacks() if not only or one.family.value in only]
            results = _results(boots, attacks, plan, control, progress)
            if interrupted():
                problems.append(Problem(0, f"interrupted: {sum(one.sentence == NOT_MADE for one in results)} attacks were not made"))
            store.describe(run_id, replace(run, facts=_facts(plan)))
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
        raise DataError(f"{run.id}: its log {attack_rows.LOG} is damaged ({error}); run it again") from error


@dataclass(frozen=True, slots=True)
class AttackBoot:
    log: AttacksLog
    witness: Witness
    console: Console
    stream: bytes


@dataclass(frozen=True, slots=True)
class _Boots:
    machine: Machine
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
            *(f"target={one.first:#x}-{one.last:#x}" for one in targets),
        ]
        log, console = self.machine.follow((*self.command, "-plugin", ",".join(options)), read_attacks_log)
        data = stream.read_bytes() if stream.is_file() else b""
        return AttackBoot(log, read_witness(data.decode("ascii", "replace").splitlines()), console, data)


def _results(
    boots: _Boots, attacks: Sequence[Attack], plan: Plan, control: AttackBoot | None, progress: Progress
) -> tuple[AttackResult, ...]:
    if control is None or not attacks:
        return ()
    ordinary = _ordinary(control)
    told, seen, made = _all(boots, attacks, plan.targets, progress)
    return tuple(
        judged(one, told.get(number, nothing_told()), seen.get(number, nothing_seen()), ordinary)
        if number < made or one.why
        else AttackResult(one.family, one.name, Outcome.UNTOLD, NOT_MADE, 0)
        for number, one in enumerate(attacks)
    )


def _all(
    boots: _Boots, attacks: Sequence[Attack], targets: Sequence[Extent], progress: Progress
) -> tuple[dict[int, Told], dict[int, Seen], int]:
    """Boot until every attack was made, and how many were. A sweep that stops the machine goes on at its next shot, a few times."""
    told: dict[int, Told] = {}
    seen: dict[int, Seen] = {}
    banner: list[str] = []
    place, starts = Place(), 0
    while place.attack < len(attacks) and not boots.interrupted():
        boot = boots.make(attacks, place, targets)
        banner = boot.log.before or banner
        _merge(told, seen, boot)
        if boot.log.is_whole:
            return told, seen, len(attacks)
        at = max(place.attack, boot.witness.under_way or 0)
        if boots.interrupted():
            return told, seen, at
        if LOCKUP in boot.console.stderr:
            seen.setdefault(at, nothing_seen()).ended = "lockup"
        one = told.setdefault(at, nothing_told())
        one.record = one.record or record_of(boot.log, banner)
        starts = starts + 1 if at == place.attack else 1
        again = boot.witness.shot + 1 < attacks[at].shots and starts < MOST_STARTS_OF_ONE and not one.is_fault
        place = Place(at, boot.witness.shot + 1) if again else Place(at + 1)
        progress.iteration("attack", place.attack)
    return told, seen, place.attack


def _merge(told: dict[int, Told], seen: dict[int, Seen], boot: AttackBoot) -> None:
    for number, one in boot.log.told.items():
        before = told.get(number)
        told[number] = one if before is None else _together(before, one)
    for number, other in boot.witness.seen.items():
        earlier = seen.get(number)
        seen[number] = other if earlier is None else _seen_together(earlier, other)


def _together(a: Told, b: Told) -> Told:
    return Told(
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


def _seen_together(a: Seen, b: Seen) -> Seen:
    return Seen(
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


def _known(survey: AttackBoot) -> Known:
    seen = survey.witness.seen.get(0, nothing_seen())
    return Known(tuple(survey.witness.seals), max(seen.spent, default=0), survey.log.has_floats)


def _ordinary(control: AttackBoot) -> Ordinary:
    seen = control.witness.seen.values()
    return Ordinary(
        frozenset((access.pc, access.address) for one in seen for access in one.loads),
        frozenset((access.pc, access.address) for one in seen for access in one.stores),
    )


def _survey_problems(survey: AttackBoot, plan: Plan) -> list[Problem]:
    if not survey.log.is_started:
        return unfinished(survey.console, is_started=False)
    calls = survey.log.told.get(0, nothing_told()).calls
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


def _facts(plan: Plan) -> tuple[tuple[str, str], ...]:
    """What the attacks rest on."""
    spans = ", ".join(f"{one.first:#x} to {one.last:#x}" for one in plan.targets)
    floats = "yes" if plan.known.has_floats else "no: s0 to s31 were not read"
    return (("targets", spans), ("data call", f"{plan.data.name}, {plan.known.length} instructions"), ("floating point", floats))


def _new_run(qemu: Qemu, subject: AttackSubject, command: tuple[str, ...]) -> Run:
    psa = subject.psa
    conditions = with_machine(replace(mps2.conditions(0), instrument="crossings"), command)
    known = with_build(conditions, psa.symbols[0]) if psa.symbols else conditions
    return on_qemu(CAMPAIGN, qemu, command, psa.machine.replace("-", "_"), Build(psa.name), known, contents=Attacks())
