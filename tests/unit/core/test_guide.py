# SPDX-License-Identifier: BSD-3-Clause
"""A whole page of a performance guide in the manner of each reference, with its pictures."""

import re
import subprocess
import sys

import pytest
from markdown_it import MarkdownIt

from latlab.core.cli.options import Format
from latlab.core.cli.showing import write_guide
from latlab.core.errors import UsageError
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import Build, CoreId, CoreTrace, Tick, TraceRecord
from latlab.core.model.symbols import Symbols
from latlab.core.readers.published import rst_tables
from latlab.core.report.guides import typed
from latlab.core.report.page import charts_of
from latlab.core.store.references import load
from latlab.psa.analysis.builds import BuildResult
from latlab.psa.pages.guide import guide as psa_guide
from latlab.psa.targets import mps2
from latlab.psci.analysis.spans import samples_of
from latlab.psci.pages.web import guide
from latlab.rt.campaign.results import new_run, results_of
from latlab.rt.campaign.samples import with_distributions
from latlab.rt.pages.web import guide as rt_guide
from support.places import RT_DATA
from support.runs import ONE_CORE, run_with
from unit.psci.test_report import make_run

CORE = CoreId(0, 0)
COMMAND = ("qemu-system-aarch64", "-smp", "6")
PARTS = ["Platform", "Method", "Procedure", "Parts of a call", "Results", "Commentary"]
FORMS = [Format.RST, Format.MD]
PARSER = MarkdownIt("commonmark").enable("table")


def rt_page():
    """A board's run of cyclictest, as it is stored and read again."""
    conditions = Conditions(commands=("stress-ng -c 4 &", "cyclictest -m -Sp80 -D6h -h400 -i200 -M -q"))
    run = new_run("rt", "ssh", "am62l", 2, conditions, id="rt-0001", status=RunStatus.COMPLETE)
    files = {"imported": (RT_DATA / "cyclictest-h.txt").read_bytes()}
    return rt_guide(with_distributions(run, files), results_of(run, files))


def psa_results():
    """Two builds: a call of 100 and of 300 instructions, a sweep in which the second makes an interrupt wait."""
    results = []
    for name, cost, wait in (("sfn_l1", 2048, 0), ("ipc_l2", 6144, 880)):
        call = CoreTrace("ns_call_0", 0, 0, CORE, (TraceRecord(0, 0, "CHECKPOINT", 1 << 32), TraceRecord(1, cost, "CHECKPOINT", 2 << 32)))
        points = tuple(TraceRecord(i, due, "NS_INTERRUPT", (wait if i == 1 else 0) << 32 | 0x240) for i, due in enumerate((20, 40, 60)))
        traces = (call, CoreTrace("sweep_call_0", 0, 0, CORE, points))
        run = run_with(
            campaign="psa", platform="mps2_an521", target="qemu", topology=ONE_CORE, tick=mps2.tick_of(20_000_000), lead=CORE,
            build=Build(name, code_bytes=12345), samples=samples_of(traces), traces=traces, command=("qemu-system-arm", name), id=name,
        )  # fmt: skip
        results.append(BuildResult(run, Symbols((0x100, 0x200), ("before", "masks"))))
    return results


def pages():
    time = make_run(command=COMMAND, tick=Tick(Clock.TIME, 16.0))
    return {
        "psci": guide(make_run(command=COMMAND)),
        "board": guide(time),
        "juno": guide(load("published:tf-a/juno/v2.10")),
        "rt": rt_page(),
        "psa": psa_guide(psa_results()),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Every kind of page in both forms, with what Sphinx needs to build them."""
    place = tmp_path_factory.mktemp("guide")
    (place / "conf.py").write_text("project = 'guide'\nextensions = ['myst_parser']\n")
    names = []
    for name, page in pages().items():
        for form in FORMS:
            write_guide(page, form, place / f"{name}-{form}.{form}", name == "rt")
            names.append(f"{name}-{form}")
    (place / "index.rst").write_text("Guides\n======\n\n.. toctree::\n\n" + "".join(f"   {name}\n" for name in names))
    return place


def sections_of(folder, name, form):
    text = (folder / f"{name}-{form}.{form}").read_text()
    return re.findall(r"^([\w ]+)\n-+$", text, re.MULTILINE) if form is Format.RST else re.findall(r"^## (.+)$", text, re.MULTILINE)


def pictures_of(folder, name, form):
    pattern = r"figure:: (\S+)\.svg" if form is Format.RST else r"!\[[^\]]*\]\((\S+)\.svg\)"
    return re.findall(pattern, (folder / f"{name}-{form}.{form}").read_text())


@pytest.mark.parametrize("form", FORMS)
def test_each_page_has_the_parts_that_the_reference_documents_have(folder, form):
    assert sections_of(folder, "psci", form) == PARTS
    assert sections_of(folder, "rt", form) == [part for part in PARTS if part != "Parts of a call"]
    assert sections_of(folder, "psa", form) == [part for part in PARTS if part != "Parts of a call"]
    assert sections_of(folder, "juno", form) == ["Platform", "Method", "Results", "Commentary"]  # nobody kept its commands


@pytest.mark.parametrize("form", FORMS)
def test_the_commands_stand_as_they_were_given_and_once(folder, form):
    for name, line in (
        ("psci", " ".join(COMMAND)),
        ("rt", "cyclictest -m -Sp80 -D6h -h400 -i200 -M -q"),
        ("psa", "qemu-system-arm sfn_l1"),
        ("psa", "qemu-system-arm ipc_l2"),
    ):
        assert (folder / f"{name}-{form}.{form}").read_text().count(line) == 1


@pytest.mark.parametrize(
    "command",
    [("qemu", "-smp", "6"), ("qemu", *("-device", "loader,file=/a b/c,x=$y") * 9, "-no-reboot"), ("qemu", "-x" * 300, "-y"), ()],
    ids=["short", "long", "one long option", "none"],
)
def test_a_long_command_is_broken_at_its_options_and_still_the_command(command):
    lines = typed(command)
    script = "for word in " + "\n".join(lines) + '; do echo "$word"; done'
    said = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    assert tuple(said.splitlines()) == command
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert all(len(line) <= 102 for line in lines) or "-x" * 300 in command


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "least"), [("psci", 5), ("board", 5), ("juno", 2), ("rt", 1), ("psa", 3)])
def test_every_picture_stands_beside_the_page_as_svg_and_png(folder, name, least, form):
    named = pictures_of(folder, name, form)
    assert len(named) >= least and len(set(named)) == len(named)
    for one in named:
        assert (folder / f"{one}.svg").read_text().startswith("<svg")
        assert (folder / f"{one}.png").read_bytes().startswith(b"\x89PNG")


def test_sphinx_builds_every_page_without_a_warning(folder):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(folder), str(folder / "out")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert len(list((folder / "out").glob("*-*.html"))) == 10


def test_the_page_of_wakeups_has_the_table_of_the_reference_its_histogram_and_its_survival(folder):
    text = (folder / "rt-rst.rst").read_text()
    for row in ('"Minimum (µs)","4","5"', '"Average (µs)","8","11"', '"Maximum (µs)","28","497"'):
        assert row in text
    assert "cortex-a53" in text and "1250 MHz" in text
    assert pictures_of(folder, "rt", Format.RST) == ["rt-rst-img/m0-0", "rt-rst-img/m0-1"]
    assert "thread 1: median 11.00 µs, maximum 497.0 µs" in text


def test_the_page_of_the_psa_campaign_puts_its_builds_side_by_side(folder):
    tokens = PARSER.parse((folder / "psa-md.md").read_text())
    cells = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type in ("th_open", "td_open")]
    for row in (["call", "sfn\\_l1", "ipc\\_l2"], ["ns\\_call\\_0", "100", "300"], ["worst interrupt latency", "0", "43"]):
        assert any(cells[at : at + 3] == row for at in range(len(cells)))
    assert "masks" in cells and "12345" in cells
    said = [token.content for token in tokens if token.type == "inline"]
    assert "An interrupt waits longest, 43 instructions, in `sweep_call_0`, 2 instructions into the call: it ends in `masks`." in said
    assert "`ns_call_0` costs 300 instructions, 3.00 times the 100 of `sfn_l1`: the largest ratio of its calls." in said
    assert "No interrupt waits at any instruction of a swept call." in said


def test_a_run_of_figures_alone_reads_back_and_shows_its_queues(tmp_path):
    run = load("published:tf-a/juno/v2.15")
    page = guide(run)
    write_guide(page, Format.RST, tmp_path / "juno.rst")
    text = (tmp_path / "juno.rst").read_text()
    assert "1024 KiB for each cluster" in text and "underdrive" in text
    assert sum(len(table.figures) for table in rst_tables.parse(text).tables) == len(run.samples)
    charts = list(charts_of(page))
    assert [chart.name for chart in charts] == ["susp-deep-parallel-0", "cpu-susp-parallel-0"]
    for chart, test in zip(charts, ("susp_deep_parallel", "cpu_susp_parallel"), strict=True):
        spans = sorted(s.value_ticks / 50 for s in run.samples if (s.test, s.metric) == (test, Metric.POWERDOWN))
        assert [point["span"] for point in next(iter(chart.spec["datasets"].values()))] == pytest.approx(spans)


def test_no_queue_is_drawn_where_cores_take_turns_or_make_none():
    for page in (guide(make_run(command=COMMAND)), guide(load("published:tf-a/n1sdp/v2.15"))):
        assert not [chart for chart in charts_of(page) if "queue" in chart.title]


def test_each_colour_of_a_chart_has_its_name_in_the_picture_and_its_meaning_on_the_page(folder):
    text = (folder / "psci-md.md").read_text()
    for part in ("coordination", "cache flush", "reset path"):
        assert f"| {part} | " in text
        assert f">{part}</text>" in (folder / "psci-md-img" / "susp-deep-serial-0.svg").read_text()


def test_figures_that_are_no_latencies_make_no_page():
    with pytest.raises(UsageError, match="no latencies to publish"):
        guide(make_run(conditions=Conditions(mode=Mode.MULTI_THREAD)))
    run = new_run("rt", "guest", "virt", 2, Conditions(mode=Mode.MULTI_THREAD))
    with pytest.raises(UsageError, match="not published"):
        rt_guide(run, [])


def test_a_platform_that_nobody_knows_has_no_section_of_its_own(tmp_path):
    write_guide(guide(make_run(platform="my-board")), Format.RST, tmp_path / "index.rst")
    assert "Platform\n--------" not in (tmp_path / "index.rst").read_text()
