# SPDX-License-Identifier: BSD-3-Clause
"""Subjects with any value of any type in any place: each is read, or refused in one sentence before a machine starts."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.targets.subject import load_subject
from latlab.core.errors import LatlabError
from latlab.psa.targets.psa_params import parameters_of
from latlab.psa.targets.psa_subject import load_psa_subject
from support.generated_files import changed, places, toml_file
from support.import_library import import_library

SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(1 << 70), 1 << 70),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(["virt", "raspi4b", "mps2-an521", "a", "bl33", "max", 0, 1, 4, 0x1000, "{", "{}", "{0}", "x_{}"]),
)
Subject = dict[str, object]
VENEERS = {f"tfm_psa_{name}_veneer": at for name, at in (("framework_version", 0x240), ("version", 0x248), ("call", 0x260))}

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


# Read as they stand: one or two of their values are any others.
WHOLE_PSA: Subject = {
    "image": [{"file": "a"}],
    "veneers": {"file": "veneers.o"},
    "non_secure": {"code": 0x100000, "ram": 0x28100000, "ram_bytes": 0x8000},
    "call": [
        {"name": "get", "handle": 0x40000102, "type": 1002, "in": ["0900", 3], "out": [16], "expect": -140},
        {"name": "echo", "sid": 0xF100, "version": 2},
    ],
}
WHOLE_PSCI: Subject = {"image": [{"file": "a", "address": 0x1000, "payload": "bl33"}], "machine": "virt", "cpu": "max", "cores": 4}


def nearly(whole: Subject) -> st.SearchStrategy[Subject]:
    where = st.sampled_from([place for place in places(whole) if place])

    def made(changes: list[tuple[tuple[str | int, ...], object]]) -> Subject:
        subject: object = whole
        for place, new in changes:
            subject = changed(subject, place, new)
        assert isinstance(subject, dict)
        return subject

    return st.lists(st.tuples(where, SCALARS | st.integers(-9, 9) | VALUES), max_size=2).map(made)


def written(folder: Path, subject: Subject) -> Path:
    path = folder / "subject.toml"
    path.write_text(toml_file(subject), "utf-8")
    return path


def check(load: Callable[[Path], object], folder: Path, subject: Subject) -> None:
    (folder / "a").write_bytes(b"x")
    (folder / "veneers.o").write_bytes(import_library(VENEERS))
    try:
        load(written(folder, subject))
    except LatlabError as error:
        assert "\n" not in str(error)


@given(PSCI)
def test_any_subject_of_psci_is_read_or_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, subject: dict[str, object]
) -> None:
    check(load_subject, tmp_path_factory.getbasetemp(), subject)


@given(PSA)
def test_any_subject_of_psa_is_read_or_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, subject: dict[str, object]
) -> None:
    check(load_psa_subject, tmp_path_factory.getbasetemp(), subject)


@given(nearly(WHOLE_PSCI))
def test_a_subject_of_psci_with_one_or_two_values_changed_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, subject: Subject
) -> None:
    check(load_subject, tmp_path_factory.getbasetemp(), subject)


@given(nearly(WHOLE_PSA))
def test_a_subject_of_psa_with_one_or_two_values_changed_is_read_or_refused_before_its_program_is_told(
    tmp_path_factory: pytest.TempPathFactory, subject: Subject
) -> None:
    check(lambda path: parameters_of(load_psa_subject(path), 20, 0xE0, {}), tmp_path_factory.getbasetemp(), subject)


@pytest.mark.parametrize(("load", "whole"), [(load_subject, WHOLE_PSCI), (load_psa_subject, WHOLE_PSA)])
def test_the_subjects_that_are_changed_are_read_as_they_stand(tmp_path: Path, load: Callable[[Path], object], whole: Subject) -> None:
    (tmp_path / "veneers.o").write_bytes(import_library(VENEERS))
    (tmp_path / "a").write_bytes(b"x")
    load(written(tmp_path, whole))
