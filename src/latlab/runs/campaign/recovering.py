# SPDX-License-Identifier: BSD-3-Clause
"""Runs whose maker is gone: found, told, and brought to their end with everything that was measured. What reads their figures is loaded
where there are any: every verb looks for such runs first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from latlab.calls.readers.decoder import Decoder
from latlab.core.errors import LatlabError, UsageError
from latlab.core.kinds.registry import kind_of, row_of
from latlab.core.model.enums import ProblemKind, RunStatus
from latlab.core.model.life import CUT_OFF, NOT_FETCHED, Address, Life
from latlab.core.model.run import Problem, Run
from latlab.core.store.function_files import FUNCTIONS_LOG, render_functions
from latlab.core.store.owner import is_alive, is_here
from latlab.core.store.rows import now_utc
from latlab.core.store.store import Store
from latlab.core.targets import scratch
from latlab.core.targets.linux.machine import Here, Machine
from latlab.psci.readers.calls_log import CallsLog
from latlab.rt.targets.guest.checkpoints import SHARED, read_shared
from latlab.rt.targets.linux import RECORD, LinuxRun, is_job_folder, salvage

SILENT = timedelta(minutes=15)
MOST_BYTES = 64 << 20
RECOVERED = "recovered (UTC)"
NO_FOLDER = "the store names {} as a folder of latlab, which makes none of that name; nothing in it was read or removed"
Reach = Callable[[Address], AbstractContextManager[Machine]]


@dataclass(frozen=True, slots=True)
class Recovered:
    run_id: str
    status: RunStatus
    sentence: str


def orphans(store: Store) -> tuple[Life, ...]:
    """Runs under way whose process is no more; on another machine, runs of which nothing was heard for a long time."""
    return tuple(life for life in store.unfinished_runs() if life.owner is not None and _is_orphan(life))


def can_end_here(life: Life) -> bool:
    """Whether all that it left is on this machine, so that nothing has to be reached."""
    machine = life.left.machine
    return life.owner is not None and is_here(life.owner) and (machine is None or machine.kind == Here().kind)


def sweep(store: Store, chosen: Callable[[Life], bool] = can_end_here) -> list[Recovered]:
    """End what can be ended here, and remove the folders that nobody owns any more. Whatever fails is left to `latlab runs recover`."""
    done = []
    for life in filter(chosen, orphans(store)):
        with suppress(LatlabError, OSError):
            done.append(recover(store, life, no_machine))
    folders_in_use = {life.left.folder for life in store.unfinished_runs()}
    for folder in scratch.abandoned():
        if str(folder) not in folders_in_use and scratch.may_remove(folder, str(store.place)):
            scratch.remove(folder)
    return [recovered for recovered in done if recovered]


def recover(store: Store, life: Life, reach: Reach) -> Recovered | None:
    """Bring a run to its end: stop what is left of it, keep what it had measured. None where another process does it already."""
    if life.left.machine is not None and life.left.machine.kind != Here().kind:
        with reach(life.left.machine) as machine:
            return _recover(store, life, machine)
    return _recover(store, life, Here())


def no_machine(address: Address) -> AbstractContextManager[Machine]:
    raise UsageError(f"{address} is another machine")


def _recover(store: Store, life: Life, machine: Machine) -> Recovered | None:
    if not store.claim(life.run_id, life.owner, replace(life.left, heard_utc=life.cut_off_utc)):
        return None
    run = store.load(life.run_id)
    ended = _salvaged(store, life, machine)
    folder = Path(life.left.folder)
    store.checkpoint(life.run_id, dict(_local(folder)) if scratch.is_own(folder) else {})
    if recover_samples := kind_of(run).recover:
        recover_samples(store, run, store.logs(life.run_id))
    _keep_calls(store, run, store.logs(life.run_id).get("probe", b""))
    is_whole = ended is not None and ended.status == 0 and not ended.sentence
    ends = [] if is_whole or (ended and life.phase == NOT_FETCHED) else [_cut_off(life)]
    ends += [ended.sentence] if ended and ended.sentence else []
    faults = [*(NO_FOLDER.format(name) for name in _foreign_folders(life)), *_problems(run, store.logs(life.run_id))]
    problems = [*(Problem(0, sentence, ProblemKind.UNFINISHED) for sentence in ends), *(Problem(0, sentence) for sentence in faults)]
    if life.phase != CUT_OFF:  # else a recovery before this was killed behind the next line
        store.add(life.run_id, problems=problems, phase="" if is_whole else CUT_OFF)
    facts = {**dict(run.facts), RECOVERED: now_utc()}
    store.update_metadata(life.run_id, replace(run, facts=tuple(facts.items())))
    status = RunStatus.COMPLETE if is_whole and not problems else RunStatus.PARTIAL
    store.finish(life.run_id, status)
    if scratch.is_own(folder):
        scratch.remove(folder)
    return Recovered(life.run_id, status, _recovery_sentence(life, status))


def _salvaged(store: Store, life: Life, machine: Machine) -> LinuxRun | None:
    try:
        if not is_job_folder(life.left.job_folder):
            return None
        return salvage(machine, life.left.job_folder, lambda files: store.checkpoint(life.run_id, files))
    except LatlabError:
        store.give_back(life.run_id, life.owner)  # a later recovery tries again
        raise


def _foreign_folders(life: Life) -> list[str]:
    """Names of folders that no latlab made."""
    folder, job = life.left.folder, life.left.job_folder
    foreign = [folder] if folder and not scratch.NAME.fullmatch(Path(folder).name) else []
    return [*foreign, job] if job and not is_job_folder(job) else foreign


def _is_orphan(life: Life) -> bool:
    assert life.owner is not None
    if is_here(life.owner):
        return not is_alive(life.owner)
    heard = datetime.strptime(life.heartbeat_utc, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    return datetime.now(UTC) - heard > SILENT


def _local(folder: Path) -> Iterator[tuple[str, bytes]]:
    """What a run's own folder still holds: the firmware's console, the probe's stream, the guest's last checkpoints."""
    secure = b"".join(path.read_bytes() for path in sorted(folder.glob("secure*.log")) if path.stat().st_size <= MOST_BYTES)
    if secure:
        yield "secure", secure
    stream = folder / "probe"
    if stream.is_file() and stream.stat().st_size <= MOST_BYTES:
        yield "probe", stream.read_bytes()
    for shared in sorted(folder.rglob(SHARED)):
        record = read_shared(shared)
        if record:
            yield str(shared.parent.relative_to(folder) / RECORD), record


def _keep_calls(store: Store, run: Run, stream: bytes) -> None:
    """Calls are measured from the probe's stream when it is over, or many at once: where none are stored yet, those of the stream that was
    left."""
    from latlab.calls.campaign.watching import StreamAccumulator
    from latlab.psci.campaign.foreign import INSTRUMENT, measured
    from latlab.psci.campaign.measure import CAMPAIGN

    if not stream or run.samples or run.conditions.instrument != INSTRUMENT:
        return
    if run.campaign == CAMPAIGN:
        results = measured(stream, CallsLog(), ())
        store.add(run.id, results.samples, logs={FUNCTIONS_LOG: render_functions(results.functions)})
        return
    accumulator = StreamAccumulator(lambda samples: store.add(run.id, samples), run.campaign)
    accumulator.take(Decoder().feed(stream))
    accumulator.flush()
    store.update_metadata(run.id, replace(run, topology=accumulator.topology))


def _problems(run: Run, files: Mapping[str, bytes]) -> list[str]:
    problems = row_of(run).problems
    try:
        return problems(run, files) if problems else []
    except LatlabError as error:
        return [str(error)]


def _cut_off(life: Life) -> str:
    return f"latlab was killed, or its machine stopped, after {life.cut_off_utc}; the samples until then are kept"


def _recovery_sentence(life: Life, status: RunStatus) -> str:
    if life.phase == NOT_FETCHED:
        return f"run {life.run_id}: its data were still on the machine that it measured; recovered, {status.value}"
    if status is RunStatus.COMPLETE:
        return f"run {life.run_id}: its job ended after latlab had died; recovered, complete"
    return f"run {life.run_id}: cut off after {life.cut_off_utc}, because its latlab process died; its samples are kept as a partial run"
