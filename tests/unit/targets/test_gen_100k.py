# SPDX-License-Identifier: BSD-3-Clause
"""Subjects with any value of any type in any place: each is read, or refused in one sentence before a machine starts."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.errors import LatlabError
from latlab.targets.qemu.psa_subject import load_psa_subject
from latlab.targets.qemu.subject import load_subject

SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(1 << 70), 1 << 70),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(["virt", "raspi4b", "mps2-an521", "a", "bl33", "max", 0, 1, 4, 0x1000, "{", "{}", "{0}", "x_{}"]),
)
Subject = dict[str, object]

VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=2)), max_leaves=8
)


def table(*keys: str) -> st.SearchStrategy[dict[str, object]]:
    return st.dictionaries(st.sampled_from(keys) if keys else st.text(max_size=4), VALUES, max_size=4)


IMAGE = st.fixed_dictionaries({}, optional={"file": SCALARS, "flash": SCALARS, "address": SCALARS, "payload": SCALARS})
PSCI = st.fixed_dictionaries(
    {"image": st.one_of(st.lists(IMAGE, max_size=2), VALUES)},
    optional=dict.fromkeys(["name", "machine", "options", "cpu", "cores", "cores_stay_on", "takes_turns", "symbols", "more"], VALUES),
)
PSA = st.fixed_dictionaries(
    {"image": st.one_of(st.just([{"file": "a"}]), st.lists(IMAGE, max_size=2), VALUES)},
    optional={
        "veneers": st.one_of(VALUES, table("file", "names", "in_shift", "out_shift")),
        "call": st.lists(table("name", "handle", "sid", "version", "type", "in", "out", "expect", "sweep"), max_size=2),
        "non_secure": table("code", "ram", "ram_bytes", "console"),
        "version": table("sid", "expect"),
    }
    | dict.fromkeys(["name", "machine", "symbols"], VALUES),
)


def toml(value: object) -> str:
    """Of one line; a table is an inline one."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf")


def check(load: Callable[[Path], object], folder: Path, subject: Subject) -> None:
    (folder / "a").write_bytes(b"x")
    path = folder / "subject.toml"
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in subject.items()), "utf-8")
    try:
        load(path)
    except LatlabError as error:
        assert "\n" not in str(error)


@__import__("hypothesis").settings(max_examples=50000, deadline=None)
@given(PSCI)
def test_any_subject_of_psci_is_read_or_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, subject: dict[str, object]
) -> None:
    check(load_subject, tmp_path_factory.getbasetemp(), subject)


@__import__("hypothesis").settings(max_examples=50000, deadline=None)
@given(PSA)
def test_any_subject_of_psa_is_read_or_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, subject: dict[str, object]
) -> None:
    check(load_psa_subject, tmp_path_factory.getbasetemp(), subject)
