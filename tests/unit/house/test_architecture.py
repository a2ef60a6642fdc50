# SPDX-License-Identifier: BSD-3-Clause
"""What `make lint` says of a tree that breaks a rule of the house, and that this one breaks none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.places import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import house_rules
import include_floors

PYTHON_RULES = (
    ("core/report/run_data.py", "def asked(run):\n    return dict(run.facts)['tool']\n", "`facts` are for readers"),
    ("psci/campaign/publishing.py", "def asked(run):\n    return dict(run.facts).get('tool')\n", "`facts` are for readers"),
    ("core/comparison/by_kind.py", "def asked(run):\n    return ('tool', 'x') in run.facts\n", "`facts` are for readers"),
    ("core/store/listing.py", "def asked(run):\n    return [v for k, v in run.facts if k == 'tool']\n", "`facts` are for readers"),
    (
        "rt/pages/words.py",
        "def asked(run):\n    for key, _ in run.facts:\n        if key == 'tool':\n            return key\n",
        "`facts` are for readers",
    ),
    ("psci/campaign/measure.py", "def told(problem):\n    return 'hangs' in problem.message\n", "a message is for readers"),
    ("runs/verbs/one_run.py", "def told(problem):\n    return problem.sentence.startswith('the target')\n", "a message is for readers"),
    ("runs/pages/listing.py", "def told(error):\n    return str(error).lower() == 'no runs'\n", "a message is for readers"),
    (
        "core/store/reading.py",
        "import re\ndef told(problem):\n    return re.search('line (.*)', problem.message)\n",
        "a message is for readers",
    ),
    ("psa/campaign/measure.py", "def told(problem):\n    return 'timeout' in problem\n", "a message is for readers"),
    ("calls/campaign/sbi.py", "def told(reason):\n    return reason == 'hangs'\n", "a message is for readers"),
    ("calls/readers/symbols.py", "def told(message):\n    return message.lower().endswith('late')\n", "a message is for readers"),
    ("core/targets/tools.py", "import re\ndef told(warning):\n    return re.compile('late').search(warning)\n", "a message is for readers"),
    (
        "core/report/page.py",
        "def told(error):\n    match error:\n        case 'a' | 'b':\n            return 1\n",
        "a message is for readers",
    ),
    ("core/report/page.py", "def shown(value):\n    return f'{value:.3g} %'\n", "prints an exponent"),
    ("rt/pages/words.py", "def shown(value):\n    return '{:+,g}'.format(value)\n", "prints an exponent"),
    ("calls/model/calls.py", "class Sample:\n    pass\n", "class Sample: the glossary means that of core/model/run.py"),
    ("core/comparison/wording.py", "def kept(name):\n    return open(name).read()\n", "analysis is pure"),
    ("psci/analysis/roles.py", "def told(path):\n    return path.read_text()\n", "analysis is pure"),
    ("rt/analysis/lateness.py", "def told(name):\n    import os\n    return os.open(name, 0)\n", "analysis is pure"),
    ("core/comparison/by_kind.py", "def told():\n    import subprocess\n    return subprocess.run(['date'])\n", "analysis is pure"),
    (
        "psci/verbs/run_psci.py",
        "def middle(values):\n    from numpy import median\n    return median(values)\n",
        "the command line computes nothing",
    ),
    ("rt/verbs/run_rt.py", "def mean(values):\n    return sum(values) / len(values)\n", "the command line computes nothing"),
    (
        "runs/verbs/one_run.py",
        "def mean(values):\n    count = len(values)\n    return sum(values) / count\n",
        "the command line computes nothing",
    ),
    ("calls/verbs/watch.py", "def middle(values):\n    return sorted(values)[len(values) // 2]\n", "the command line computes nothing"),
    (
        "runs/verbs/identify.py",
        "def mean(values):\n    from statistics import mean\n    return mean(values)\n",
        "the command line computes nothing",
    ),
    ("core/store/store.py", "def verdict(rows):\n    found = max(rows)\n    return found\n", "found says the grammar"),
    ("core/model/run.py", "def total(one):\n    return one.ticks\n", "one says the grammar"),
    ("core/comparison/gate.py", "class Simulated:\n    pass\n", "class Simulated: the glossary means that of docs/reference/glossary.md"),
    (
        "core/store/reading.py",
        "def refuse(path):\n    raise DataError(f'{path}: damaged; name another file')\n",
        'give it as the second argument: DataError("what is wrong", "what to do")',
    ),
    ("core/report/table.py", "def names(rows: set[str]):\n    return [row for row in rows]\n", "the order of a set differs"),
    ("psci/pages/charts.py", "def names(a, b):\n    shared = {*a} & {*b}\n    return ', '.join(shared)\n", "the order of a set differs"),
    ("psci/analysis/roles.py", "def most(a, b):\n    return max(a.keys() | b.keys(), key=len)\n", "the order of a set differs"),
    ("core/comparison/gate.py", "class Cell:\n    pass\n", "class Cell: the glossary means that of core/comparison/comparison.py"),
)
# An import that the contracts refuse: from where, of what.
IMPORTS = (
    ("core/store/reading.py", "latlab.rt.model.wakeups"),
    ("core/comparison/verdicts.py", "latlab.psci.analysis.roles"),
    ("core/cli/output.py", "latlab.site.pages.feed"),
    ("calls/analysis/calls.py", "latlab.psci.analysis.spans"),
    ("psci/campaign/measure.py", "latlab.benchmarks.model"),
    ("psa/targets/mps2.py", "latlab.rt.readers.recorder"),
    ("experiments/campaign/plan.py", "latlab.calls.model.calls"),
    ("commits/targets.py", "latlab.site.campaign.measured"),
    ("rt/analysis/lateness.py", "latlab.rt.readers.recorder"),
    ("rt/readers/recorder.py", "latlab.rt.campaign.results"),
    ("psci/pages/web.py", "latlab.psci.verbs.run_psci"),
    ("psci/pages/span_tables.py", "latlab.psci.readers.span_json"),
    ("calls/pages/web.py", "latlab.calls.readers.decoder"),
    ("core/report/table.py", "latlab.core.store.store"),
    ("core/report/renderers/html.py", "latlab.core.model.run"),
    ("core/statistics/histogram.py", "latlab.core.comparison.verdicts"),
)
C_RULES = (
    ("firmware/el3/psci/include/psci_platform.h", '#include "psci.h"', "these headers include each other: "),
    ("probe/fragment.h", '#include "cores.h"', "these headers include each other: "),
    ("firmware/el3/programs/runtime/panic.c", '#include "gic.h"', "these units need each other: "),
    ("firmware/el3/sim/explore/locked.c", '#include "system.h"', "these units need each other: "),
    ("firmware/el3/psci/psci_call.c", '#include "monitor.h"', "firmware/el3/psci may not include firmware/el3/monitor/"),
    ("firmware/el3/arch/aarch64/workarounds.c", '#include "start.h"', "firmware/el3/arch may not include firmware/el3/"),
    ("firmware/el3/programs/smc_fuzz/choose.c", '#include "psci_private.h"', "programs may not include firmware/el3/psci/"),
    ("firmware/spm/core/connection.c", '#include "board.h"', "firmware/spm/core may not include firmware/spm/platform/"),
    ("firmware/trace/trace.h", '#include "psci_platform.h"', "firmware/trace may not include firmware/el3/psci/"),
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    for name in ("src", *include_floors.FOLDERS):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    (folder / "docs" / "reference").mkdir(parents=True)
    shutil.copy(ROOT / house_rules.GLOSSARY, folder / house_rules.GLOSSARY)
    return folder


def planted(path: Path, text: str) -> str:
    before = path.read_text() if path.is_file() else ""
    path.write_text(f"{before}\n{text}\n")
    return before


@pytest.mark.parametrize("script", [pytest.param("house_rules.py", marks=pytest.mark.slow), "include_floors.py"])  # lint runs both
def test_this_tree_breaks_no_rule(script: str) -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / script, ROOT], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("file", "text", "said"), PYTHON_RULES)
def test_code_that_breaks_a_rule_is_named_with_its_line(tree: Path, file: str, text: str, said: str) -> None:
    path = tree / house_rules.PACKAGE / file
    before = planted(path, text)
    try:
        (fault,) = house_rules.faults_of(path, tree, house_rules.terms_of(tree))
    finally:
        path.write_text(before)
    assert fault.startswith(f"{house_rules.PACKAGE / file}:") and said in fault
    assert int(re.split(":", fault)[1]) > before.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "def told(problem):\n    return [problem] if problem else []\n",
        "def told(problem, words):\n    return problem in words or ' '.join(problem.split())[:80]\n",
        "def told(error):\n    return str(error).rstrip('.') + '; try again'\n",
        "def pictures(written):\n    return len(written) // 2\n",
    ],
)
def test_what_a_message_is_shown_with_and_a_count_are_nobodys_fault(tree: Path, text: str) -> None:
    path = tree / house_rules.PACKAGE / "rt/verbs/run_rt.py"
    before = planted(path, text)
    try:
        assert house_rules.faults_of(path, tree, house_rules.terms_of(tree)) == []
    finally:
        path.write_text(before)


@pytest.mark.parametrize("file", ["core/model/run.py", "core/report/page.py"])
def test_an_import_that_goes_up_is_named(tree: Path, file: str) -> None:
    """By the contracts of this checkout, over the copy."""
    shutil.copy(ROOT / "pyproject.toml", tree / "pyproject.toml")
    path = tree / house_rules.PACKAGE / file
    before = planted(path, "def verbs():\n    from latlab.core.cli import app\n    return app\n")
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    try:
        done = subprocess.run(command, cwd=tree, env={**os.environ, "PYTHONPATH": str(tree / "src")}, capture_output=True, text=True)
    finally:
        path.write_text(before)
    module = f"latlab.{file.removesuffix('.py').replace('/', '.')}"
    assert done.returncode == 1 and f"{module} -> latlab.core.cli.app" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(("file", "module"), IMPORTS)
def test_an_import_that_no_contract_allows_is_named(tree: Path, file: str, module: str) -> None:
    shutil.copy(ROOT / "pyproject.toml", tree / "pyproject.toml")
    path = tree / house_rules.PACKAGE / file
    before = planted(path, f"def planted():\n    import {module} as planted_module\n    return planted_module\n")
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    try:
        done = subprocess.run(command, cwd=tree, env={**os.environ, "PYTHONPATH": str(tree / "src")}, capture_output=True, text=True)
    finally:
        path.write_text(before) if before else path.unlink()
    importer = f"latlab.{file.removesuffix('.py').replace('/', '.')}"
    assert done.returncode == 1 and f"{importer} -> {module}" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(("file", "text", "said"), C_RULES)
def test_an_include_that_goes_round_or_up_is_named_with_its_line(tree: Path, file: str, text: str, said: str) -> None:
    path = tree / file
    before = planted(path, text)
    try:
        found = include_floors.faults(tree)
    finally:
        path.write_text(before)
    assert len(found) == 1 and said in found[0], found
    assert re.match(r"(firmware|probe)/\S+:\d+: ", found[0])


@pytest.mark.parametrize("asked", ["#ifdef PLATFORM_RASPI4", "#if defined(__aarch64__)", "# ifndef QEMU_VIRT"])
def test_a_core_that_asks_where_it_is_is_named_with_its_line(tree: Path, asked: str) -> None:
    file = tree / "firmware" / "el3" / "psci" / "psci_on_off.c"
    before = file.read_text("utf-8")
    file.write_text(f"{asked}\n#endif\n{before}", "utf-8")
    try:
        assert list(house_rules.faults_of_cores(tree)) == [
            f"{file.relative_to(tree)}:1: a core knows no platform; what differs is a folder and a table of functions"
        ]
    finally:
        file.write_text(before, "utf-8")


def test_a_broken_rule_fails_the_command(tree: Path, tmp_path: Path) -> None:
    """A tree of one module, for the whole one takes its seconds and is asked above."""
    small = tmp_path / "small"
    for name in (house_rules.GLOSSARY, house_rules.PACKAGE / "calls/model/calls.py"):
        (small / name).parent.mkdir(parents=True)
        shutil.copy(tree / name, small / name)
    planted(small / house_rules.PACKAGE / "calls/model/calls.py", "class Sample:\n    pass")
    done = subprocess.run([sys.executable, ROOT / "scripts" / "house_rules.py", small], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1


def test_every_home_of_a_word_is_there() -> None:
    terms = house_rules.terms_of(ROOT)
    for name, home in house_rules.HOMES.items():
        assert name in terms
        assert re.search(rf"^class {name}\b", (ROOT / house_rules.PACKAGE / home).read_text(), re.MULTILINE), (name, home)


def test_make_lint_asks_both() -> None:
    recipe = (ROOT / "Makefile").read_text().partition("\nlint-now:")[2].partition("\n\n")[0]
    assert "scripts/house_rules.py" in recipe and "scripts/include_floors.py" in recipe


def test_what_is_planted_stands_in_files_that_exist() -> None:
    """In another file a rule could pass for want of a room."""
    places = [file for file, *_ in (*PYTHON_RULES, *IMPORTS)]
    assert [file for file in places if not (ROOT / "src" / "latlab" / file).is_file()] == []


@pytest.mark.parametrize("product", sorted(path.name for path in (ROOT / "src" / "latlab").iterdir() if (path / "__init__.py").is_file()))
def test_each_product_stands_in_the_contracts(product: str) -> None:
    """A folder that no contract names may import anything."""
    if product in ("core", "catalog"):
        return
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    module, rooms = f"latlab.{product}", {path.stem for path in (ROOT / "src" / "latlab" / product).iterdir()}
    named = {
        contract["name"].partition(":")[0]: str({key: value for key, value in contract.items() if key != "ignore_imports"})
        for contract in contracts
    }
    assert f"'{module}'" in named["the core knows no product"]
    # In the lowest row no product may import a neighbour, and runs may import all below it: the order of the rows says both.
    may_import = any(name.startswith("of other products, ") and f"['{module}']" in text for name, text in named.items())
    assert may_import or product in ("benchmarks", "calls", "experiments", "runs")
    assert "verbs" not in rooms or f"'{module}'" in named["in a product data flows one way"]
    assert "pages" not in rooms or f"'{module}.pages'" in named["reports are made of results, not of what they were read from"]
