# SPDX-License-Identifier: BSD-3-Clause
"""Instructions by function where an image has functions that were inlined: sums stay, stacks stay, classes follow."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.analysis.span_functions import SpanReader
from latlab.calls.analysis.symbolize import ByInstruction, Names
from latlab.calls.model.crossings import Arch, Context, Fragment, Stretch
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.model.symbols import Image, InlinedCode

ADD, LOAD, RET = 0x91000400, 0xF9400000, 0xD65F03C0
WORDS = (ADD, LOAD, ADD, LOAD, ADD, ADD, LOAD, RET)
CODE = b"".join(word.to_bytes(4, "little") for word in WORDS)
START = 0x1000
NOTHING = Context(0)
KEY = ("test", Metric.CALL, CoreId(0, 0))


def image(*inlined: tuple[int, int, str]) -> Image:
    copies = tuple(InlinedCode(START + 4 * first, START + 4 * last, name, f"{name}.c:1") for first, last, name in inlined)
    return Image("x", (START,), (len(CODE),), ("outer",), ((START, CODE),), ("outer.c:1",), "EM_AARCH64", copies)


def fragment(number: int, first: int, count: int, context: Context = NOTHING, cut: int = 0) -> Fragment:
    data = CODE[4 * first : 4 * (first + count - cut)]
    return Fragment(number, START + 4 * first, count, 3, data, context)


def counts(fragments: dict[int, Fragment], images: list[Image], number: int) -> Counter[str]:
    return ByInstruction(Arch.AARCH64, fragments, images, Names(fragments, images)).counts(number)


def test_each_instruction_belongs_to_the_copy_in_which_it_stands() -> None:
    fragments = {0: fragment(0, 0, 8)}
    assert counts(fragments, [image((1, 3, "inner"), (5, 6, "other"))], 0) == {"outer": 5, "inner": 2, "other": 1}
    assert counts(fragments, [image()], 0) == {"outer": 8}
    assert counts(fragments, [], 0) == {"0x1000+": 8}


def test_what_did_not_fit_into_the_fragment_belongs_to_its_function() -> None:
    fragments = {0: fragment(0, 0, 8, cut=4)}
    assert counts(fragments, [image((0, 8, "inner"))], 0) == {"inner": 4, "outer": 4}


@given(st.lists(st.booleans(), min_size=8, max_size=8), st.integers(0, 2), st.integers(1, 5))
def test_functions_and_classes_add_up_and_stacks_are_those_without_copies(is_inlined: list[bool], cut: int, times: int) -> None:
    with_copies = image(*((at, at + 1, "inner") for at, inside in enumerate(is_inlined) if inside))
    fragments = {0: fragment(0, 0, 8, Context(1), cut)}
    found, plain = (
        SpanReader(Arch.AARCH64, fragments, [one]).functions({KEY: Counter({(Stretch((0, times)),): 1})})[0]
        for one in (with_copies, image())
    )
    assert sum(share.instructions for share in found.functions) == 8 * times
    inner = sum(is_inlined[: 8 - cut]) * times
    assert {share.name: share.instructions for share in found.functions}.get("inner", 0) == inner
    assert found.frames == plain.frames
    by_name: Counter[str] = Counter()
    for one in found.classes:
        assert one.frames == next(other.frames for other in plain.classes if other.name == one.name)
        for share, instructions in zip(found.functions, one.functions, strict=True):
            by_name[share.name] += instructions
    assert by_name == {share.name: share.instructions for share in found.functions}


def test_places_are_those_of_the_copies_and_of_their_functions() -> None:
    fragments, images = {0: fragment(0, 0, 8)}, [image((1, 3, "inner"))]
    reader = ByInstruction(Arch.AARCH64, fragments, images, Names(fragments, images))
    assert [reader.place(name) for name in ("outer", "inner", "nobody")] == ["outer.c:1", "inner.c:1", ""]
