# SPDX-License-Identifier: BSD-3-Clause
"""Flame graphs: a span as boxes as wide as the instructions that passed in each function, callers above what they called.

The drawing is SVG that needs no script: places and widths are shares of whatever width the page has, so each word is there twice, cut for
a wide page and for a narrow one, and a style sheet shows the one that fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from latlab.core.comparison.call_trees import summed, wholes
from latlab.core.model.enums import Metric
from latlab.core.model.run import Frame, Run, SpanFunctions
from latlab.core.report.page import Block, Drawing, Folded, Key, Paragraph
from latlab.core.report.table import Table, figures, words
from latlab.core.report.titles import METRIC_TITLES
from latlab.core.shown import significant

ROW_PX, GAP_PX, TEXT_PX = 20, 1, 14
CHARACTER_PX, LEAST_CHARACTERS = 7.4, 3
PAGES = (("full-page", 1020.0), ("wide-page", 700.0), ("narrow-page", 330.0))
LEAST_SHARE = 0.0005
OWN_SENTENCE = (
    "A box is as wide as the instructions that passed in a function and in what it called. The stronger its colour, the more of "
    "the span's instructions are the function's own:"
)
OWN_SHARES = (0.005, 0.02, 0.05, 0.2)
LARGE_SHARE = 0.01
ROWS_OF_TABLE = 12

OWN_KEY = Key(
    tuple(
        (f"o{level}", share)
        for level, share in enumerate(("less than 0.5 %", "0.5 to 2 %", "2 to 5 %", "5 to 20 %", "20 % or more of the span"))
    )
)
DIFFERENCE_KEY = Key(
    (
        ("less2", "fewer instructions of its own by 1 % of the span or more"),
        ("less1", "fewer"),
        ("same", "as many"),
        ("more1", "more"),
        ("more2", "more by 1 % of the span or more"),
    )
)


@dataclass(frozen=True, slots=True)
class Box:
    """`start` and `width` are shares of the whole; `look` is a class of the style sheet."""

    depth: int
    start: float
    width: float
    words: str
    title: str
    look: str


def flames(run: Run, test: str) -> tuple[Block, ...]:
    """A flame graph of each span of the test, of all its cores; none where the probe kept no calls."""
    blocks = tuple(block for metric in Metric for block in _flame(run, test, metric))
    return (Paragraph(OWN_SENTENCE), OWN_KEY, *blocks) if blocks else ()


def difference_flames(a: Run, b: Run, test: str) -> tuple[Drawing, ...]:
    """One for each span of the test that both runs have and that differs in some function."""
    return tuple(drawing for metric in Metric if (drawing := _difference(a, b, test, metric)) is not None)


def _of(run: Run, test: str, metric: Metric) -> list[SpanFunctions]:
    return [span for span in run.functions if span.test == test and span.metric is metric and span.frames]


def _flame(run: Run, test: str, metric: Metric) -> Iterator[Block]:
    parts = _of(run, test, metric)
    if not parts:
        return
    calls = sum(span.calls for span in parts)
    title = f"{METRIC_TITLES[metric]}: functions by who called them"
    source = f"mean of {_count(calls, 'call')} on {_count(len(parts), 'core')}"
    yield from flame(summed(span.frames for span in parts), calls, title, source, f"flame-{test}-{metric.value}")


def flame(frames: Sequence[Frame], calls: int, title: str, source: str, name: str) -> Iterator[Block]:
    """The drawing of one tree of `calls` calls, and a table of its functions; `source` says what it is the mean of."""
    total = sum(frame.instructions for frame in frames)
    if not total:
        return
    boxes = [box for box in _boxes(frames, calls, total) if box.width >= LEAST_SHARE]
    note = f"{shown(total / calls)} instructions, {source}. Callers are above the functions that they called."
    yield Drawing(title, note, _svg(boxes), name)
    yield Folded(f"{title}: those with the most instructions of their own", (_table(frames, calls, total),))


def _boxes(frames: Sequence[Frame], calls: int, total: int) -> Iterator[Box]:
    whole = wholes(frames)
    starts = _starts([frame.depth for frame in frames], whole, [frame.instructions for frame in frames])
    for frame, all_of_it, start in zip(frames, whole, starts, strict=True):
        level = sum(frame.instructions >= share * total for share in OWN_SHARES)
        title = (
            f"{frame.name}: {shown(all_of_it / calls)} instructions per call, {100 * all_of_it / total:.1f} % of the span; "
            f"{shown(frame.instructions / calls)} of its own; entered {shown(frame.calls / calls)} times"
        )
        yield Box(frame.depth, start / total, all_of_it / total, frame.name, title, f"o{level}")


def _starts(depths: Sequence[int], whole: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Where each frame begins: behind what its caller called before; a caller's own instructions stand at its end."""
    starts: list[float] = []
    ends = [0.0]  # of what was drawn last at each depth
    for depth, width in zip(depths, whole, strict=True):
        del ends[depth + 1 :]
        start = ends[depth]
        starts.append(start)
        ends[depth] = start + width
        ends.append(start)
    return starts


def _table(frames: Sequence[Frame], calls: int, total: int) -> Table:
    by_name: dict[str, int] = {}
    for frame in frames:
        by_name[frame.name] = by_name.get(frame.name, 0) + frame.instructions
    most = sorted(by_name.items(), key=lambda pair: (-pair[1], pair[0]))[:ROWS_OF_TABLE]
    rows = tuple((name, shown(count / calls), f"{100 * count / total:.1f} %") for name, count in most if count)
    return Table("", (*words("Function"), *figures("Own instructions per call", "Share")), rows)


@dataclass(frozen=True, slots=True)
class _Pair:
    depth: int
    name: str
    before: float
    after: float


def _difference(a: Run, b: Run, test: str, metric: Metric) -> Drawing | None:
    cores = {span.core for span in _of(a, test, metric)} & {span.core for span in _of(b, test, metric)}
    sides = [[span for span in _of(run, test, metric) if span.core in cores] for run in (a, b)]
    if not cores:
        return None
    pairs = _paired(*(_per_call(side) for side in sides))
    if all(pair.before == pair.after for pair in pairs):
        return None
    before, after = sum(pair.before for pair in pairs), sum(pair.after for pair in pairs)
    widths = [max(pair.before, pair.after) for pair in pairs]
    whole = wholes([Frame(pair.depth, pair.name, 0, width) for pair, width in zip(pairs, widths, strict=True)])  # type: ignore[arg-type]
    starts = _starts([pair.depth for pair in pairs], whole, widths)
    total = sum(widths)
    boxes = [
        _changed_box(pair, start / total, width / total, max(before, after))
        for pair, width, start in zip(pairs, whole, starts, strict=True)
        if width >= LEAST_SHARE * total
    ]
    note = (
        f"{shown(before)} to {shown(after)} instructions per call, mean over {_count(len(cores), 'core')}. A box is as wide as the "
        "longer of both; its colour and the number before its name say how its own instructions changed."
    )
    return Drawing(f"{METRIC_TITLES[metric]}: functions that changed", note, _svg(boxes), f"difference-{test}-{metric.value}")


def _per_call(parts: Iterable[SpanFunctions]) -> list[tuple[tuple[str, ...], float]]:
    """Own instructions per call, mean over the cores, by the names of all on the stack."""
    parts = list(parts)
    by_stack: dict[tuple[str, ...], float] = {}
    for span in parts:
        stack: tuple[str, ...] = ()
        for frame in span.frames:
            stack = (*stack[: frame.depth], frame.name)
            by_stack[stack] = by_stack.get(stack, 0.0) + frame.instructions / span.calls / len(parts)
    return list(by_stack.items())


def _paired(before: list[tuple[tuple[str, ...], float]], after: list[tuple[tuple[str, ...], float]]) -> list[_Pair]:
    """Both trees as one, in the order of a walk: what only the first has stands behind its siblings."""
    old, new = dict(before), dict(after)
    children: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for stack in dict.fromkeys([*new, *old]):
        children.setdefault(stack[:-1], []).append(stack)
    waiting, joined = list(reversed(children.get((), []))), []
    while waiting:
        stack = waiting.pop()
        joined.append(_Pair(len(stack) - 1, stack[-1], old.get(stack, 0.0), new.get(stack, 0.0)))
        waiting.extend(reversed(children.get(stack, [])))
    return joined


def _changed_box(pair: _Pair, start: float, width: float, span: float) -> Box:
    change = pair.after - pair.before
    size = 2 if abs(change) >= LARGE_SHARE * span else 1
    look = "same" if not change else f"{'more' if change > 0 else 'less'}{size}"
    difference = f"{significant(change, 6, grouped=True, sign=True)}".replace("-", "\N{MINUS SIGN}")
    title = f"{pair.name}: {shown(pair.before)} to {shown(pair.after)} instructions of its own per call" + (
        f" ({difference})" if change else ""
    )
    return Box(pair.depth, start, width, f"{difference} {pair.name}" if change else pair.name, title, look)


def _svg(boxes: Sequence[Box]) -> str:
    height = ROW_PX * (1 + max(box.depth for box in boxes))
    boxes_svg = Markup("").join(map(_box_svg, boxes))
    return Markup('<svg width="100%" height="{}">{}</svg>').format(height, boxes_svg)


def _box_svg(box: Box) -> Markup:
    """What stands in an inner SVG is cut off at its edge, so no word runs into the next box."""
    cut = {kind: shortened(box.words, box.width * width - 8) for kind, width in PAGES}
    if len(set(cut.values())) == 1:
        cut = {"": cut[PAGES[0][0]]}
    words = Markup("").join(_word(kind, label) for kind, label in cut.items() if label)
    return Markup('<svg class="{}" x="{:.4f}%" y="{}" width="{:.4f}%" height="{}"><title>{}</title><rect></rect>{}</svg>').format(
        box.look, 100 * box.start, box.depth * ROW_PX, 100 * box.width, ROW_PX - GAP_PX, escape(box.title), words
    )


def _word(kind: str, label: str) -> Markup:
    """`kind` is the page that it is cut for, empty where it is the same on each."""
    looks = Markup(' class="{}"').format(kind) if kind else Markup("")
    return Markup('<text{} x="4" y="{}">{}</text>').format(looks, TEXT_PX, label)


def shortened(words: str, width_px: float) -> str:
    """As many characters as fit, the last one an ellipsis where some are left out; nothing where hardly any fit."""
    room = int(width_px / CHARACTER_PX)
    if len(words) <= room:
        return words
    return f"{words[: room - 1]}…" if room >= LEAST_CHARACTERS else ""


def shown(value: float) -> str:
    """A median of whole numbers: whole, or a half between two."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
