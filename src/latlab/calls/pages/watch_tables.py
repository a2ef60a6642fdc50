# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a watch: the boot by stage, calls that failed, how long calls kept an interrupt waiting, and where interrupts were masked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from latlab.calls.analysis.masked import frames_of_masked
from latlab.calls.analysis.standing import Standing, doing_words
from latlab.calls.analysis.waits import TAKERS, InterruptWait, most_words, passed_words
from latlab.core.model.enums import Metric, Taker
from latlab.core.model.run import MaskedAtlas, MaskedStretches, Sample, SpanFunctions
from latlab.core.report.flame import OWN_KEY, OWN_SENTENCE, flame
from latlab.core.report.page import Block, Paragraph, Section
from latlab.core.report.table import Align, Column, Table, figures, words

FUNCTIONS_SHOWN = 5
BOOT_NOTE = "A stage is an image whose symbols were given. Code outside of all images is listed by its world."

OVER_IDLE = "Waits in instructions, more than at idle. "
WAITS_NOTE = (
    f"{OVER_IDLE}Length: instructions of the call. Sent: interrupts, one due at each Every-th instruction, "
    "from before the call to after it. Due: instructions from the call to the interrupt of the longest wait. The worlds and functions are "
    "those in which that wait passed, from a repetition of it."
)
TAKEN = (
    "Instructions from the due time of an interrupt to the first one of its handler: {at_once:,} if no call was in progress. Late: took "
    "longer. Then took: the most instructions from there until the core was back behind the call."
)

STANDING_NOTE = "Instructions there: of the core, since its last world switch. `--symbols` or `--functions` adds functions."
FUNCTIONS_OF_A_LOOP = 3

ROWS_SHOWN = 20
MASKED_NOTE = (
    "Stretches that began and ended in the same functions are one row. The worlds and the caller are those of the longest one. A world "
    "entered during it, such as EL3, has its own part."
)


def boot_table(samples: Iterable[Sample], functions: Sequence[SpanFunctions]) -> Table | None:
    """None where the machine began in its normal world, or never came to it."""
    stages = [span for span in samples if span.metric is Metric.BOOT]
    if not stages:
        return None
    whole = max(span.value_ticks for span in stages) or 1
    rows = tuple((span.test, f"{span.value_ticks:,}", f"{100 * span.value_ticks / whole:.1f} %", _most(span, functions)) for span in stages)
    columns = (*words("Stage"), *figures("Instructions", "Share"), Column("Most in", Align.LEFT, wraps=True))
    return Table("Boot, until the normal world began", columns, rows, (BOOT_NOTE,))


def _most(stage: Sample, functions: Sequence[SpanFunctions]) -> str:
    shares = [share for span in functions if (span.test, span.metric) == (stage.test, Metric.BOOT) for share in span.functions]
    most = sorted(shares, key=lambda share: -share.instructions)[:FUNCTIONS_SHOWN]
    return ", ".join(f"{share.name} {100 * share.instructions / (stage.value_ticks or 1):.0f} %" for share in most)


def standing_table(cores_stood: Sequence[Standing]) -> Table:
    """A row for each core: its place when the machine was stopped."""
    rows = tuple(
        (
            str(standing.core),
            standing.world,
            doing_words(standing),
            _function_words(standing),
            f"{standing.instructions:,}",
            f"{standing.call} from {standing.caller}" if standing.call else "",
        )
        for standing in cores_stood
    )
    columns = (
        *words("Core", "World"), *(Column(name, Align.LEFT, wraps=True) for name in ("State", "Function")), *figures("Instructions there"),
        Column("Inside", Align.LEFT, wraps=True),
    )  # fmt: skip
    return Table("Where each core stood when the machine was stopped", columns, rows, (STANDING_NOTE,))


def _function_words(standing: Standing) -> str:
    functions = ", ".join(standing.functions[:FUNCTIONS_OF_A_LOOP])
    if not functions:
        return "" if standing.address is None else f"{standing.address:#x}"
    return f"{functions} ({standing.place})" if standing.place else functions


def errors_said(errors: Sequence[tuple[str, int]]) -> str:
    """`3 DENIED, 1 NOT_SUPPORTED`; empty where none failed."""
    return ", ".join(f"{count:,} {name}" for name, count in errors)


def waits_table(waits: Sequence[InterruptWait]) -> Table:
    taker = waits[0].taker
    is_taken = taker is not Taker.NORMAL
    columns = (
        *words("Call"),
        *figures("Length", "Sent", "Every", "Late", "Longest", "Due", *(("Then took",) if is_taken else ())),
        *(Column(name, Align.LEFT, wraps=True) for name in ("Where it passed", "Most in")),
    )
    notes = (WAITS_NOTE.removeprefix(OVER_IDLE), TAKEN.format(at_once=waits[0].at_once)) if is_taken else (WAITS_NOTE,)
    return Table(f"Interrupts of {TAKERS[taker]} that had to wait", columns, tuple(_row(wait) for wait in waits), notes)


def _row(wait: InterruptWait) -> tuple[str, ...]:
    longest = wait.longest
    counts = (wait.instructions, longest.shots, longest.step, longest.late, longest.longest)
    due = "" if longest.due is None else f"{longest.due:,}"
    took = () if wait.taker is Taker.NORMAL else (f"{longest.took:,}",)
    return (longest.call, *(f"{count:,}" for count in counts), due, *took, passed_words(wait), most_words(wait))


def masked_table(atlas: MaskedAtlas, most: int = ROWS_SHOWN) -> Table:
    rows = tuple(
        (f"{row.longest:,}", f"{row.count:,}", f"{row.instructions:,}", row.line, _where(row), _began(row), _ended(row))
        for row in atlas.stretches[:most]
    )
    shorter = len(atlas.stretches) - most
    notes = (MASKED_NOTE, f"{shorter:,} shorter rows are not shown.") if shorter > 0 else (MASKED_NOTE,)
    columns = (
        *figures("Max", "n", "Total"),
        *words("Masked"),
        *(Column(name, Align.LEFT, wraps=True) for name in ("Where it ran", "From", "To")),
    )
    return Table("Interrupts masked, in instructions", columns, rows, notes)


def masked_section(atlas: MaskedAtlas) -> Section:
    return Section("Masked interrupts", tuple(_blocks(atlas)), anchor="masked")


def _blocks(atlas: MaskedAtlas) -> Iterator[Block]:
    if not atlas.stretches:
        yield Paragraph("No core masked its interrupts.")
        return
    yield masked_table(atlas)
    lines = [
        (line, frames) for line in dict.fromkeys(row.line for row in atlas.stretches) if (frames := frames_of_masked(atlas.stretches, line))
    ]
    if lines:
        yield Paragraph(f"By who masked them, without the start of each core: the world, the caller, the function. {OWN_SENTENCE}")
        yield OWN_KEY
    for number, (line, frames) in enumerate(lines):
        yield from flame(frames, 1, f"Interrupts masked: {line}", "all stretches", f"masked-{number}")


def _where(row: MaskedStretches) -> str:
    worlds = ", ".join(f"{world} {part:,}" if len(row.worlds) > 1 else world for world, _, part in row.worlds if part)
    return worlds if row.is_masked else f"{worlds}; not known whether masked"


def _ended(row: MaskedStretches) -> str:
    callers = f", called from {', '.join(row.opened_for)}" if row.opened_for else ""
    return f"{row.end}{callers}" if row.end else "the end of the run"


def _began(row: MaskedStretches) -> str:
    if row.from_start:
        return "the core's start"
    return f"{row.begin}, called from {row.caller}" if row.caller else row.begin
