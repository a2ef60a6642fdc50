# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of two checkouts, whose tools are scripts that print what they are told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import same_samples
from same_samples import NotRun, main, samples_of

SPANS = "test,metric,cluster,core,boot,iteration,value_ticks,value,unit\nb,wakeup,0,0,0,0,7,7,insns\na,wakeup,0,0,0,0,5,5,insns\n"
OLDER = "unit,test,metric,cluster,core,boot,iteration,value_ticks\nns,a,wakeup,0,0,0,0,5\nns,b,wakeup,0,0,0,0,7\n"
HISTOGRAM = "test,metric,cluster,core,low,high,count,unit\nrecorder,task_wakeup,0,0,64,65,3,ns\n"

TOOL = """#!/bin/sh
case "$1" in
    guest) echo "{image}: Linux";;
    run) for image in "$XDG_CACHE_HOME"/latlab/guest/*; do echo "$image -> $(readlink "$image")"; done >"$0.images"; exit {status};;
    export) cat "{samples}";;
esac
"""


def checkout(folder: Path, samples: str, status: int = 0) -> Path:
    """A checkout whose campaigns end with `status` and have these samples."""
    bin_folder = folder / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    (folder / "samples.csv").write_text(samples)
    image = folder / f"image-of-{folder.name}"
    image.mkdir()
    tool = bin_folder / "latlab"
    tool.write_text(TOOL.format(image=image, samples=folder / "samples.csv", status=status))
    tool.chmod(0o755)
    return folder


def ended(monkeypatch: pytest.MonkeyPatch, here: Path, *arguments: object) -> int:
    monkeypatch.setattr(same_samples, "ROOT", here)
    monkeypatch.setattr(sys, "argv", ["same_samples.py", *map(str, arguments)])
    return main()


def test_the_order_of_rows_and_columns_that_only_one_version_writes_are_no_difference() -> None:
    assert samples_of(SPANS) == samples_of(OLDER)
    assert samples_of(SPANS).digest == samples_of(OLDER).digest


def test_one_tick_is_a_difference() -> None:
    assert samples_of(SPANS).digest != samples_of(SPANS.replace(",7,7,", ",8,8,")).digest


@pytest.mark.parametrize(("text", "said"), [("", "none"), ("a,b\n1,2\n", "a, b"), (SPANS.splitlines()[0] + "\n", "no samples")])
def test_an_export_without_samples_is_no_measurement(text: str, said: str) -> None:
    with pytest.raises(NotRun, match=said):
        samples_of(text)


def test_the_same_samples_end_with_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    here, there = checkout(tmp_path / "here", SPANS), checkout(tmp_path / "there", OLDER)
    assert ended(monkeypatch, here, there, "psci-2,4") == 0
    assert capsys.readouterr().out.splitlines()[1].endswith(" same")


def test_a_difference_ends_with_1_and_names_the_first_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = checkout(tmp_path / "here", SPANS), checkout(tmp_path / "there", OLDER.replace(",7\n", ",9\n"))
    assert ended(monkeypatch, here, there, "psci-2,4") == 1
    assert "first difference: b,wakeup,0,0,0,0,7 here, b,wakeup,0,0,0,0,9 there" in capsys.readouterr().out


def test_a_campaign_that_fails_in_one_of_them_is_neither_the_same_nor_different(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = checkout(tmp_path / "here", SPANS), checkout(tmp_path / "there", SPANS, status=3)
    assert ended(monkeypatch, here, there, "psci-2,4") == 3


def test_both_boot_the_image_of_the_guest_of_this_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = checkout(tmp_path / "here", HISTOGRAM), checkout(tmp_path / "there", HISTOGRAM)
    assert ended(monkeypatch, here, there, "rt-recorder") == 0
    for place in (here, there):
        (image,) = (place / ".venv/bin/latlab.images").read_text().splitlines()
        assert image.endswith(f"/image-of-{place.name} -> {here}/image-of-here")


def test_a_campaign_that_there_is_not_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ended(monkeypatch, tmp_path, tmp_path, "nothing") == 2
