# SPDX-License-Identifier: BSD-3-Clause
"""A boot by stage: what ran from reset to the first instruction of the normal world, by image, or by world where none has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from latlab.calls.analysis.calls import ColdStart
from latlab.calls.analysis.paths import runs_of
from latlab.calls.analysis.span_functions import SpanReader
from latlab.calls.analysis.symbolize import image_of
from latlab.calls.model.crossings import LEVEL_MASK, Arch, Fragment, Stretch, world_name
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Sample, SpanFunctions
from latlab.core.model.symbols import Image

WHOLE = "all"


@dataclass(frozen=True, slots=True)
class Stages:
    """`samples` and `functions` by stage, in the order in which these began, the whole boot first."""

    samples: tuple[Sample, ...]
    functions: tuple[SpanFunctions, ...]


def stages_of(boot: ColdStart, arch: Arch, images: Sequence[Image], core: CoreId, reader: SpanReader) -> Stages:
    """Each stage's instructions; together they are the boot's."""
    runs = runs_of(boot.ran)
    fragments = {number: reader.fragments[number] for number in runs}
    worlds = {number: _world_of(boot, fragment) for number, fragment in fragments.items()}
    stage_of = {number: _stage(fragments[number], images) or world_name(arch, worlds[number]) for number in runs}
    remaining = Counter(dict(boot.parts))
    stages: dict[str, Counter[int]] = {}
    for number, times in runs.items():
        stages.setdefault(stage_of[number], Counter())[number] += times
        remaining[worlds[number]] -= times * fragments[number].instructions
    took = {stage: sum(fragments[number].instructions * times for number, times in ran.items()) for stage, ran in stages.items()}
    unlisted = {world_name(arch, world): count for world, count in remaining.items() if count}
    for stage, count in unlisted.items():
        took[stage] = took.get(stage, 0) + count
    samples = [_sample(stage, core, count) for stage, count in ((WHOLE, boot.instructions), *took.items())]
    functions = [_functions(stage, core, ran, unlisted.get(stage, 0), reader) for stage, ran in stages.items()]
    return Stages(tuple(samples), tuple(functions))


def _sample(stage: str, core: CoreId, count: int) -> Sample:
    return Sample(stage, Metric.BOOT, core, 0, 0, count)


def _functions(stage: str, core: CoreId, runs: Counter[int], unlisted: int, reader: SpanReader) -> SpanFunctions:
    (functions,) = reader.functions({(stage, Metric.BOOT, core): Counter([(Stretch((), tuple(runs.items()), unlisted),)])})
    return functions


def _stage(fragment: Fragment, images: Sequence[Image]) -> str:
    image = image_of(fragment, images)
    return PurePath(image.name).stem if image else ""


def _world_of(boot: ColdStart, fragment: Fragment) -> int:
    """The world of a fragment, by its exception level: the first world of the boot with this level. It is ambiguous only with RME, whose
    realms share a level."""
    return next((world for world, _ in boot.parts if world & LEVEL_MASK == fragment.level & LEVEL_MASK), fragment.level)
