# SPDX-License-Identifier: BSD-3-Clause
"""The subjects that come with latlab: by a name, for a build where its project's makefile leaves it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from latlab.calls.campaign.identifying import ready_subjects
from latlab.calls.campaign.sbi import load_subject as load_sbi
from latlab.calls.targets.subject import load_subject, placed
from latlab.core.errors import UsageError
from latlab.psa.targets.psa_subject import VENEERS, load_psa_subject
from support.import_library import import_library

READY = {one.name: one for one in ready_subjects()}
LIBRARY = import_library({f"tfm_psa_{name}_veneer": 0x240 + 8 * at for at, name in enumerate(VENEERS)})
LOADED: dict[str, Callable[[Path], object]] = {
    "psci": lambda name: placed(load_subject(name), named_in=name),
    "psa": load_psa_subject,
    "sbi": load_sbi,
}


@pytest.fixture(autouse=True)
def fixture_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def missing(name: str) -> str:
    with pytest.raises(UsageError) as caught:
        LOADED[READY[name].campaign](Path(name))
    return str(caught.value)


@pytest.mark.parametrize("name", READY)
def test_each_is_read_once_every_file_that_it_asks_for_is_there(name: str) -> None:
    asked: list[Path] = []
    while len(asked) < 5:
        try:
            LOADED[READY[name].campaign](Path(name))
            break
        except UsageError as error:
            assert f"; run this where `{READY[name].made_by}` was run" in str(error)
            asked.append(Path(str(error).removeprefix(f"{name}: ").split(":")[0]))
        asked[-1].parent.mkdir(parents=True, exist_ok=True)
        asked[-1].write_bytes(LIBRARY if asked[-1].suffix == ".o" else b"code")
    assert 1 <= len(asked) <= 2 and not any(path.is_absolute() for path in asked)


def test_the_four_projects_and_their_campaigns_are_among_them() -> None:
    campaigns = {name: READY[name].campaign for name in ("tf-a", "tf-m", "opensbi", "zephyr")}
    assert campaigns == {"tf-a": "psci", "tf-m": "psa", "opensbi": "sbi", "zephyr": "psa"}


@pytest.mark.parametrize("name", READY)
def test_a_folder_of_that_name_is_no_subject(name: str) -> None:
    """A workspace of Zephyr has its sources in one."""
    Path(name).mkdir()
    assert f"run this where `{READY[name].made_by}` was run" in missing(name)


def test_a_file_of_the_users_goes_before_one_of_that_name() -> None:
    Path("tf-a").write_text('name = "mine"\n[[image]]\nfile = "mine.bin"\nflash = 0\n')
    assert load_subject(Path("tf-a")).name == "mine"
    assert missing("tf-a") == "tf-a: mine.bin: no such file; name an image of the firmware"


def test_in_the_tree_of_a_repository_its_files_are_those_of_the_tree() -> None:
    assert {image.file.parts[0] for image in load_subject(Path("tf-a"), Path("somewhere")).images} == {"build"}


def test_a_word_that_is_neither_a_file_nor_one_of_them_is_answered_with_their_names() -> None:
    with pytest.raises(UsageError, match=r"tfm: neither a file nor a subject of latlab's own; those are .*tf-m, zephyr"):
        load_psa_subject(Path("tfm"))
