# SPDX-License-Identifier: BSD-3-Clause
"""What leaves the machine redacted: no folder, no name of a host or a user, no kernel command line, in any form; and every figure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.lifecycle.material import RunArtifacts
from latlab.core.model.conditions import Conditions
from latlab.core.model.run import Build, CoreId, Problem, Run, Spans
from latlab.core.report.exports.registry import EXPORTERS, ExportOptions
from latlab.core.report.redaction import HIDDEN, Secrets, redacted, redacted_run
from latlab.core.report.renderers import html, markdown, rst
from latlab.core.store.store import open_store
from latlab.psci.pages import span_pages, web
from support.function_runs import TREE, run_of
from support.ladder_model import Truth, call, make_run
from support.runs import ONE_CORE, changed

LINE = "root=/dev/mmcblk0p2 console=ttyS2,115200 secret.token=fjord"
TELLS = {"json", "junit", "benchmark", "kcidb", "chrome", "openmetrics", "hlog", "parquet", "perfetto"}
"""The forms that hold texts of a run; the others hold its figures alone."""
ASKS = {"perfetto"}
"""The form that is made of what the store has beside a run."""
SECRETS = ("/home/jo", "quarry", "fjord", "jo@quarry-7", "labs")


def planted(run: Run) -> Run:
    """Every text that a run has of its machine holds one."""
    return replace(
        run,
        target="ssh:quarry-7",
        platform="quarry-7, aarch64",
        build=Build("/home/jo/labs/fw.bin", options=(("cc", "/home/jo/labs/bin/gcc -O2"),)),
        conditions=Conditions(kernel_command_line=LINE),
        problems=(Problem(3, "jo@quarry-7: /home/jo/labs/console.log ended", details=("~/labs/console.log",)),),
        emulator="QEMU of /home/jo/labs/qemu",
        command=("/home/jo/labs/qemu", "-bios", "/home/jo/labs/fw.bin,readonly=on", f"-append {LINE}"),
        source="file:/home/jo/labs/run.log",
        facts=(("kernel command line", LINE), ("board", "quarry-7"), ("log", "../labs/x.log")),
    )


@pytest.mark.parametrize("name", EXPORTERS)
def test_no_exported_form_tells_whose_machine_it_was(name: str, tmp_path: Path) -> None:
    def exported(run: Run, secrets: Secrets | None = None) -> bytes:
        options = ExportOptions(origin="lab", secrets=secrets)

        def asked() -> RunArtifacts:
            return RunArtifacts(open_store(str(tmp_path / "s.sqlite")), run) if name in ASKS else pytest.fail("nothing is asked of a store")

        found = EXPORTERS[name].render(run, asked, options)
        return found.encode() if isinstance(found, str) else found

    traced = changed(make_run(Truth(tests=("susp_deep_parallel",)), 1, topology=ONE_CORE), traces=(call(CoreId(0, 0), 1000, 5),))
    run = planted(traced)
    told, hidden = exported(run), exported(redacted_run(run), Secrets.of([run]))
    assert [secret for secret in SECRETS if secret.encode() in hidden] == []
    assert any(secret.encode() in told for secret in SECRETS) == (name in TELLS)


def test_no_page_tells_it_and_the_planted_one_would() -> None:
    run = planted(run_of(TREE))
    pages = (web.page(run), span_pages.document(run))
    for page in pages:
        shown = redacted(page, Secrets.of([run]))
        for form in (html, rst, markdown):
            assert any(secret in form.document(page) for secret in SECRETS)
            assert [secret for secret in SECRETS if secret in form.document(shown)] == []


def test_the_figures_and_what_they_were_measured_with_stay() -> None:
    run = planted(make_run(Truth(), 1))
    shown = redacted_run(run)
    assert shown.samples == run.samples and shown.topology == run.topology and shown.id == run.id
    assert shown.command[:3] == ("qemu", "-bios", "fw.bin,readonly=on") and shown.build.firmware == "fw.bin"
    assert shown.facts[0] == ("kernel command line", HIDDEN) and shown.problems[0].details == ("console.log",)


def test_the_name_of_this_machine_and_of_its_user_are_no_secrets_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "test")
    monkeypatch.setattr("os.uname", lambda: pytest.fail("nobody asks where this runs"))
    assert Secrets.of([make_run(Truth(), 1)]).hide("a test on juno") == "a test on juno"


@pytest.mark.parametrize(
    "text",
    [
        "susp_deep_parallel/powerdown/step",
        "published:tf-a/juno/v2.9",
        "thread irq/42-a-driver",
        "https://git.trustedfirmware.org/TF-A/tf-a.git",
        "echo 0 | tee /sys/devices/system/cpu/cpu*/cpufreq/boost",
        "/dev/null and /usr/bin/qemu-system-aarch64",
        "n/a, 1/2, ./",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert Secrets(()).hide(text) == text


@given(st.lists(st.from_regex(r"[A-Za-z0-9_.-]{1,9}", fullmatch=True).filter(lambda part: set(part) - {"."}), min_size=2, max_size=5))
def test_of_a_place_the_last_name_alone_is_left(parts: list[str]) -> None:
    place = "/home/" + "/".join(parts)
    assert Secrets(()).hide(f"file={place}, next") == f"file={Path(place).name}, next"


def test_where_the_source_of_a_function_stands_is_told_by_its_name_alone() -> None:
    run = run_of(TREE)
    spans = tuple(
        replace(one, functions=tuple(replace(each, place="/home/jo/labs/psci.c:12") for each in one.functions)) for one in run.functions
    )
    shown = redacted_run(replace(run, contents=Spans(functions=spans)))
    places = {each.place for one in shown.functions for each in one.functions}
    assert places == {"psci.c:12"}
    assert [[each.instructions for each in one.functions] for one in shown.functions] == [
        [each.instructions for each in one.functions] for one in run.functions
    ]


@pytest.mark.parametrize("before", ["-I", "-L", "-B", "-isystem", "-ffile-prefix-map=", "file://"])
def test_a_folder_that_an_option_or_an_address_runs_into_is_hidden(before: str) -> None:
    assert Secrets(()).hide(f"-O2 {before}/home/jo/include") == f"-O2 {before}include"


@pytest.mark.parametrize("text", ["cd /home/jo", "HOME=/home/jo, next", "'/Users/jo'"])
def test_a_home_folder_does_not_tell_its_user(text: str) -> None:
    assert "jo" not in Secrets(()).hide(text) and HIDDEN in Secrets(()).hide(text)


@pytest.mark.parametrize("first", [0, 1])
def test_two_command_lines_of_one_beginning_are_both_hidden_to_their_end(first: int) -> None:
    lines = [LINE, f"{LINE} key=fjord2"]
    runs = [changed(make_run(Truth(), 1), conditions=Conditions(kernel_command_line=line)) for line in (lines[first], lines[1 - first])]
    assert [Secrets.of(runs).hide(line) for line in lines] == [HIDDEN, HIDDEN]
