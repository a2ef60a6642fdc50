# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign side by side: cost by call and build, worst interrupt latency by build, and who kept an interrupt waiting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from latlab.core.model.run import Run
from latlab.core.report.page import Page, Section
from latlab.core.report.table import Table, figures, words
from latlab.psa.analysis.builds import BuildResult, cost_range, cost_tests, whole_instructions, worst_latency

TICK_PRIORITY = 0xE0
"""The lowest priority of the processor, which schedulers give their tick."""


def screen(results: Sequence[BuildResult]) -> Page:
    return Page("", sections=(Section("", tuple(tables(results))),))


def tables(results: Sequence[BuildResult]) -> Iterator[Table]:
    yield _costs(results)
    yield from _gates(results)
    yield from (_windows(result) for result in results if result.windows)


def _costs(results: Sequence[BuildResult]) -> Table:
    runs = [result.run for result in results]
    rows = [(test, *(_range(cost_range(run, test)) for run in runs)) for test in cost_tests(runs)]
    rows.append((_worst_title(runs), *(_range(_point(worst_latency(run))) for run in runs)))
    if any(run.build.code_bytes for run in runs):
        rows.append(("code (bytes)", *(str(run.build.code_bytes or "") for run in runs)))
    columns = (*words("call"), *figures(*(result.name for result in results)))
    return Table(f"Cost in guest instructions, {_what_is_counted(runs)}", columns, tuple(rows), _on_priorities(runs))


def _worst_title(runs: Sequence[Run]) -> str:
    return ", ".join(("worst interrupt latency", *([f"priority {text}"] if (text := priorities(runs)) else [])))


def priorities(runs: Sequence[Run]) -> str:
    """Name the priorities of the interrupts that the sweeps fired; empty if they are not known."""
    levels = dict.fromkeys(run.conditions.interrupt_priority for run in runs)
    return " and ".join(f"0x{level:02X}" for level in levels if level is not None)


def _on_priorities(runs: Sequence[Run]) -> tuple[str, ...]:
    """What a sweep at another priority would show: one run has one."""
    levels = {run.conditions.interrupt_priority for run in runs if worst_latency(run) is not None} - {None}
    if not levels or TICK_PRIORITY in levels:
        return ()
    return (f"An RTOS's tick has priority 0x{TICK_PRIORITY:02X} and may wait longer: `latlab run psa --priority 0x{TICK_PRIORITY:02X}`.",)


def _what_is_counted(runs: Sequence[Run]) -> str:
    from_outside = {run.capture_cost_ticks is None for run in runs}
    if from_outside == {True}:
        return "from the first one in the secure world to the first one back"
    return "trace-point overhead subtracted" + (
        ", of runs that were watched from outside in the secure world alone" if True in from_outside else ""
    )


# The calls that the comparison of gates is published for.
_PUBLISHED = tuple(f"{world}_{call}" for world in ("s", "ns") for call in ("connect", "call_0", "close", "stateless_0"))


def _gates(results: Sequence[BuildResult]) -> Iterator[Table]:
    """The classic gate against thread mode, where both were measured at one isolation level."""
    by_name = {result.name: result.run for result in results}
    for level in ("l1", "l2"):
        classic, thread = by_name.get(f"classic_{level}"), by_name.get(f"ipc_{level}")
        if classic is None or thread is None:
            continue
        pairs = [(test, cost_range(classic, test), cost_range(thread, test)) for test in _PUBLISHED]
        rows = [(test, str(a[1]), str(b[1]), f"{100 * (b[1] - a[1]) / a[1]:+.1f}") for test, a, b in pairs if a and b]
        rows.append((_worst_title((classic, thread)), _range(_point(worst_latency(classic))), _range(_point(worst_latency(thread))), ""))
        columns = (*words("call"), *figures("in the SVC handler", "in thread mode", "change (%)"))
        yield Table(f"Isolation level {level[1:]}: the classic gate against thread mode, guest instructions", columns, tuple(rows))


def _windows(result: BuildResult) -> Table:
    rows = tuple(
        (
            window.test,
            str(whole_instructions(result.run, window.from_ticks)),
            str(whole_instructions(result.run, window.latency_ticks)),
            window.function,
        )
        for window in result.windows
    )
    return Table(f"{result.name}: where interrupts wait", (*words("sweep"), *figures("from instruction", "waits"), *words("ends in")), rows)


def _point(value: int | None) -> tuple[int, int] | None:
    return None if value is None else (value, value)


def _range(values: tuple[int, int] | None) -> str:
    if values is None:
        return ""
    return str(values[0]) if values[0] == values[1] else f"{values[0]}-{values[1]}"
