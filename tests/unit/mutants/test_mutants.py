# SPDX-License-Identifier: BSD-3-Clause
"""The runner of the mutants on a tree of its own: what is planted there and what the commands notice is known."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from mutants.mutate import Mutant, drawn, planted
from mutants.plan import Group, Planted, Reason, read_groups, read_planted, read_reasons
from mutants.results import Results
from mutants.same import objects_digest, python_digest
from mutants.score import lines_of, reason_of, share, unexplained
from mutants.touching import affordable, importers, statement_lines, touching
from mutants.tree import copy_tree
from mutants.trial import Unfit, baseline, run, try_all
from mutants.warm import forked
from support.places import ROOT

SOURCE = '''"""Adds."""

LIMIT = 3


def total(a: int, b: int) -> int:
    """The sum."""
    return a + b
'''
CHECK = f"{sys.executable} -c 'from total import total; assert total(2, 3) == 5'"
NOTICED = Mutant("src/total.py", 8, "    return a + b", "    return a - b")
SURVIVES = Mutant("src/total.py", 3, "LIMIT = 3", "LIMIT = 4")
DOCSTRING = Mutant("src/total.py", 7, '    """The sum."""', '    """A sum."""')
ANNOTATION = Mutant("src/total.py", 6, "def total(a: int, b: int) -> int:", "def total(a: int, b: int) -> str:")
NO_PYTHON = Mutant("src/total.py", 8, "    return a + b", "    return a +")
ALL = [NOTICED, SURVIVES, DOCSTRING, ANNOTATION, NO_PYTHON]
GROUP = Group("sums", ("src/*.py",), (CHECK,), sample=10, seed=1)


@pytest.fixture(name="root")
def fixture_root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "total.py").write_text(SOURCE)
    (root / ".gitignore").write_text("/built\n__pycache__/\n")
    (root / "built").write_text("not kept")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def tried(root: Path, tmp_path: Path, mutants: list[Mutant] = ALL, group: Group = GROUP, say=lambda line: None):
    copy = copy_tree(root, tmp_path / "copy", group.copies)
    return try_all(group, copy, mutants, baseline(group, copy), Results(tmp_path / "results.jsonl"), say)


def outcomes(results) -> list[str]:
    return [result.outcome for result in results]


def test_a_planted_mutant_is_noticed_one_that_nothing_asks_for_survives_and_what_is_no_other_program_is_not_counted(root, tmp_path):
    found = tried(root, tmp_path)
    assert outcomes(found) == ["noticed", "survived", "same object code", "same object code", "did not build"]
    assert found[0].by == CHECK
    assert share(found) == 0.5


def test_the_tree_and_the_copy_are_afterwards_as_they_were(root, tmp_path):
    tried(root, tmp_path)
    assert (root / "src" / "total.py").read_text() == (tmp_path / "copy" / "src" / "total.py").read_text() == SOURCE
    assert not (tmp_path / "copy" / "built").exists()


def test_a_run_ends_when_enough_mutants_counted(root, tmp_path):
    found = tried(root, tmp_path, [DOCSTRING, NO_PYTHON, NOTICED, SURVIVES], replace(GROUP, sample=1))
    assert outcomes(found) == ["same object code", "did not build", "noticed"]


def test_an_interrupted_run_continues_where_it_was(root, tmp_path):
    class Interrupt(Exception):
        pass

    def interrupt(line: str) -> None:
        raise Interrupt

    ran = tmp_path / "ran"
    group = replace(GROUP, commands=(f"echo >> {ran}; {CHECK}",))
    with pytest.raises(Interrupt):
        tried(root, tmp_path, ALL, group, interrupt)
    with (tmp_path / "results.jsonl").open("a") as stream:
        stream.write('{"file": "src/to')
    ran.write_text("")
    assert outcomes(tried(root, tmp_path, [NOTICED, SURVIVES], group)) == ["noticed", "survived"]
    assert len(ran.read_text().splitlines()) == 2, "the untouched tree and the survivor, but not the one that was noticed before"


def test_a_survivor_is_tried_again_once_anything_in_the_tree_is_new(root, tmp_path):
    check = "grep -q 3 src/total.py || test ! -e new"
    group = replace(GROUP, commands=(check,))
    assert outcomes(tried(root, tmp_path, [SURVIVES], group)) == ["survived"]
    (root / "new").write_text("a test")
    assert outcomes(tried(root, tmp_path, [SURVIVES], group)) == ["noticed"]


def test_what_was_noticed_is_tried_again_once_its_file_has_changed(root, tmp_path):
    assert outcomes(tried(root, tmp_path, [NOTICED])) == ["noticed"]
    (root / "src" / "total.py").write_text(SOURCE.replace("LIMIT = 3", "LIMIT = 2"))
    assert outcomes(tried(root, tmp_path, [NOTICED], replace(GROUP, commands=("true",)))) == ["survived"]


def test_a_mutant_that_never_ends_is_noticed_and_nothing_of_it_stays(tmp_path):
    said = run("sleep 600 & echo $! > child; wait", tmp_path, 1.0)
    assert said == "no end after 1 s"
    child = (tmp_path / "child").read_text().strip()
    state = Path(f"/proc/{child}/stat")
    for _ in range(600):
        if not state.exists() or state.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    raise AssertionError(f"{child} still runs")


def test_a_tree_that_fails_untouched_is_refused_with_the_command_and_its_last_lines(root, tmp_path):
    with pytest.raises(Unfit, match=r"fails 'echo broken; false'(.|\n)*broken"):
        tried(root, tmp_path, group=replace(GROUP, commands=("echo broken; false",)))


def test_a_tree_that_fails_without_a_word_is_refused_with_the_exit_code(root, tmp_path):
    with pytest.raises(Unfit, match=r"exit code -9"):
        tried(root, tmp_path, group=replace(GROUP, commands=("kill -9 $$",)))


def test_what_does_not_build_and_what_builds_the_same_is_told_by_the_object_code_of_c(root, tmp_path):
    (root / "src" / "half.c").write_text("int half(int a) { return a / 2; }\nint main(void) { return half(2); }\n")
    group = Group("halves", ("src/*.c",), ("./half; test $? = 1",), 10, 1, build=("cc -O1 -g -o half src/half.c",), objects=("half",))
    line = "int half(int a) { return a / 2; }"
    mutants = [
        Mutant("src/half.c", 1, line, line.replace(old, new)) for old, new in (("/", "*"), ("a / 2", "(a) / 2"), ("a / 2", "a / 2; break"))
    ]
    assert outcomes(tried(root, tmp_path, mutants, group)) == ["noticed", "same object code", "did not build"]


def test_the_loaded_sections_of_an_object_are_all_that_its_digest_is_made_of(tmp_path):
    for name, text, flags in (
        ("a", "int main(void) { return 0; }", "-g"),
        ("b", "\n\nint main(void) { return 0; }", "-g"),
        ("c", "int main(void) { return 1; }", "-g"),
    ):
        (tmp_path / f"{name}.c").write_text(text)
        (tmp_path / name).mkdir()
        subprocess.run(["cc", flags, "-o", str(tmp_path / name / "program"), str(tmp_path / f"{name}.c")], check=True)
    a, b, c = (objects_digest([tmp_path / name / "program"]) for name in "abc")
    assert a == b != c


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("def f(a: int) -> int:\n    return a", True),
        ("def f(a):\n    '''Said.'''\n    return a  # so", True),
        ("def f(a):\n    return -a", False),
        ("def f(a=1):\n    return a", False),
        ("def f(b):\n    return b", False),
    ],
)
def test_comments_docstrings_and_annotations_are_no_other_program(text, same):
    assert (python_digest(text) == python_digest("def f(a):\n    return a")) is same


def test_a_statement_without_effect_makes_no_other_program_and_one_with_an_effect_does():
    loop = "def f(x):\n    for i in x:\n        if i:\n            g(i)\n        h(i)\n"
    assert python_digest(loop) == python_digest(loop + "        continue\n") == python_digest(loop + "    pass\n")
    assert python_digest(loop) == python_digest("def f(x):\n    pass\n" + loop.split("\n", 1)[1])
    assert python_digest(loop) != python_digest(loop + "        break\n") != python_digest(loop + "    continue_()\n")
    assert python_digest(loop) != python_digest(loop.replace("h(i)", "h(1)")) != python_digest(loop.replace("h(i)", "h(1.0)"))


def test_a_class_that_loses_the_value_of_a_field_is_another_program():
    assert python_digest("class A:\n    a: int = 1") != python_digest("class A:\n    a: int = 2")


def make(file: str, text: str, ignore: tuple[str, ...]):
    return [Mutant(file, number, line, line + suffix) for number, line in enumerate(text.splitlines(), 1) for suffix in "abc"]


def test_mutants_are_drawn_in_an_order_that_the_seed_alone_decides_and_an_edit_elsewhere_keeps(root):
    first = drawn(GROUP, root, make)
    assert first == drawn(GROUP, root, make)
    assert first != drawn(replace(GROUP, seed=2), root, make)
    assert {(one.line, one.after) for one in first} == {(one.line, one.after) for one in make("src/total.py", SOURCE, ())}
    (root / "src" / "other.py").write_text("1\n")
    assert [one for one in drawn(GROUP, root, make) if one.file == "src/total.py"] == first


def test_a_group_whose_files_are_gone_is_refused(root):
    with pytest.raises(ValueError, match="group sums: no file matches lib"):
        drawn(replace(GROUP, sources=("lib/*.py",)), root, make)


def test_survivors_are_printed_with_their_lines_and_reasons_and_the_score_stands_by_folder(root, tmp_path):
    found = tried(root, tmp_path)
    reasons = (Reason("src/total.py", "LIMIT = 3", "LIMIT = 4", "nobody reads it"),)
    lines = list(lines_of(GROUP, found, reasons))
    assert lines[:4] == ["src/total.py:3: survived", "  - LIMIT = 3", "  + LIMIT = 4", "  stays: nobody reads it"]
    assert "src: 1 of 2 noticed (50.0%); 1 did not build, 2 have the same object code" in lines
    assert lines[-1].startswith("sums: 1 of 2 noticed (50.0%)")
    assert unexplained(found, reasons) == []
    assert unexplained(found, ()) == [found[1]]
    assert reason_of(found[1], (replace(reasons[0], after="LIMIT = 5"),)) is None


def test_a_group_with_an_unknown_key_is_refused_by_name(tmp_path):
    (tmp_path / "groups.toml").write_text('[a]\nsources = ["b"]\ncommands = ["c"]\nsample = 1\nseed = 1\nseconds = 2\n')
    with pytest.raises(ValueError, match=r"groups\.toml, group a: .*seconds"):
        read_groups(tmp_path / "groups.toml")


def test_every_group_names_files_that_exist_and_every_reason_a_line_that_still_stands():
    root = Path(__file__).parents[3]
    for group in read_groups(root / "tests/mutants/groups.toml").values():
        assert all(any(root.glob(pattern)) for pattern in group.sources), group.name
    for reason in read_reasons(root / "tests/mutants/survivors.toml"):
        lines = [line.strip() for line in (root / reason.file).read_text().splitlines()]
        assert reason.before.strip() in lines, reason


def test_every_planted_fault_belongs_to_a_group_and_changes_a_line_that_is_there_once():
    groups = read_groups(ROOT / "tests/mutants/groups.toml").values()
    faults = read_planted(ROOT / "tests/mutants/planted.toml")
    made = [one for group in groups for one in planted(group, ROOT, faults)]
    assert sorted((one.file, one.before.strip(), one.after.strip()) for one in made) == sorted(
        (one.file, one.before, one.after) for one in faults
    )
    assert all(fault.before != fault.after for fault in faults) and len(faults) > 10


@pytest.mark.parametrize(("before", "times"), [("return a - b", 0), ("", 3)])
def test_a_planted_fault_whose_line_is_gone_or_there_twice_is_refused(root, before, times):
    with pytest.raises(ValueError, match=rf"src/total\.py has the line `{before}` {times} times"):
        planted(GROUP, root, [Planted("src/total.py", before, "pass", "none")])


def test_a_planted_fault_of_a_file_that_the_group_does_not_mutate_is_left_out(root):
    assert planted(GROUP, root, [Planted("other.py", "a", "b", "none")]) == []
    assert planted(GROUP, root, [Planted("src/total.py", "return a + b", "return a - b", "none")]) == [NOTICED]


LINES = """def head(
    a,
):
    if a:
        return (
            a +
            1
        )
    return 0
"""


@pytest.mark.parametrize(("line", "due"), [(2, range(1, 4)), (4, range(4, 5)), (7, range(5, 9)), (9, range(9, 10))])
def test_a_line_belongs_to_its_innermost_statement(line, due):
    assert statement_lines(LINES, line) == due


def test_a_mutant_meets_the_tests_that_run_its_statement_and_all_of_its_file_where_it_runs_on_loading():
    lines = {1: {""}, 4: {"t1", "t2"}, 5: {"t1"}, 9: {"t2"}}
    assert touching(lines, LINES, 6) == {"t1"}
    assert touching(lines, LINES, 9) == {"t2"}
    assert touching(lines, LINES, 2) == {"t1", "t2"}
    assert touching({}, LINES, 9) == set()


def test_a_file_concerns_those_that_import_it_by_its_name():
    texts = {
        "src/a/user.py": "from a.table import ROWS\n",
        "src/a/other.py": "def f():\n    from a import rows, table\n",
        "src/a/none.py": "from a.tables import ROWS\nfrom a import tables\nfrom b.table import X\n",
    }
    assert importers("src/a/table.py", texts) == {"src/a/user.py", "src/a/other.py"}


def test_the_shortest_tests_are_taken_as_long_as_they_are_affordable():
    seconds = {"slow": 50.0, "quick": 1.0, "middle": 30.0}
    assert affordable(["slow", "quick", "middle"], seconds, 40) == ["quick", "middle"]
    assert affordable(["slow"], seconds, 40) == ["slow"]


MAPPED = {
    "src/table.py": "LIMIT = 3\n",
    "src/work.py": "from table import LIMIT\n\n\ndef work() -> int:\n    return LIMIT\n\n\nif __name__ == '__main__':\n    print(work())\n",
    "test_child.py": (
        "import subprocess\nimport sys\n\n\ndef test_child():\n"
        "    assert subprocess.run([sys.executable, 'src/work.py'], capture_output=True, text=True).stdout == '3\\n'\n"
    ),
    "test_nothing.py": "def test_nothing():\n    import work\n",
    "test_wrong.py": "def test_wrong():\n    import work\n\n    assert work.work() == 4\n",
}


def in_a_process(call: str, where: Path) -> subprocess.CompletedProcess[str]:
    program = f"from mutants.touching import make_map, run_touching; raise SystemExit({call})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "tests"), "src"))}
    return subprocess.run([sys.executable, "-c", program], cwd=where, env=environment, capture_output=True, text=True, check=False)


def test_the_map_knows_what_a_child_process_runs_and_what_nothing_but_declares(tmp_path):
    (tmp_path / "src").mkdir()
    for name, text in MAPPED.items():
        (tmp_path / name).write_text(text)
    assert in_a_process("make_map('src', ['test_wrong.py', 'test_nothing.py', 'test_child.py'])", tmp_path).returncode == 0
    kept = json.loads((tmp_path / "build" / "touching.json").read_text())
    assert kept["files"]["src/work.py"]["5"] == ["test_child.py::test_child"]
    assert kept["failed"] == ["test_wrong.py::test_wrong"], "it could notice nothing"
    (tmp_path / "src" / "table.py").write_text("LIMIT = 4\n")
    done = in_a_process("run_touching('src/table.py', 1)", tmp_path)
    assert done.returncode == 1 and "assert '4\\n' == '3\\n'" in done.stdout


def test_a_test_that_ends_the_trace_of_lines_is_named_and_no_map_is_made(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "test_blind.py").write_text("import sys\n\n\ndef test_blind():\n    sys.settrace(None)\n")
    done = in_a_process("make_map('src', ['test_blind.py'])", tmp_path)
    assert done.returncode == 1 and "test_blind.py::test_blind ended the trace of lines" in done.stderr
    assert not (tmp_path / "build" / "touching.json").exists()


SHARED = """
import pytest
from work import work


@pytest.fixture(scope="module")
def made():
    return work()


def test_first(made):
    pass


def test_second(made):
    assert made == 3


def test_alone():
    pass
"""


def test_what_tests_of_a_file_share_concerns_all_of_them(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "work.py").write_text("def work() -> int:\n    return 3\n")
    (tmp_path / "test_shared.py").write_text(SHARED)
    assert in_a_process("make_map('src', ['test_shared.py'])", tmp_path).returncode == 0
    kept = json.loads((tmp_path / "build" / "touching.json").read_text())
    assert {"test_shared.py::test_first", "test_shared.py::test_second"} <= set(kept["files"]["src/work.py"]["2"])
    (tmp_path / "src" / "work.py").write_text("def work() -> int:\n    return 4\n")
    assert in_a_process("run_touching('src/work.py', 2)", tmp_path).returncode == 1


@pytest.mark.slow
def test_a_test_that_a_mutant_keeps_from_ending_is_told_long_before_the_whole_run_is_given_up(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "work.py").write_text("def work() -> int:\n    return 3\n")
    (tmp_path / "test_nothing.py").write_text(MAPPED["test_nothing.py"] + "    work.work()\n")
    assert in_a_process("make_map('src', ['test_nothing.py'])", tmp_path).returncode == 0
    impatient = "setattr(__import__('mutants.touching').touching, 'LEAST_S', 2.0) or run_touching('src/work.py', 2)"
    assert in_a_process(impatient, tmp_path).returncode == 0
    (tmp_path / "src" / "work.py").write_text("def work() -> int:\n    return sum(iter(int, 1))\n")
    assert in_a_process(impatient, tmp_path).returncode == 1


COUNTS = """
from pathlib import Path

from work import work


def test_{name}():
    work()
    with Path("ran").open("a") as ran:
        ran.write("{name} ")
"""


@pytest.mark.slow
def test_only_files_of_tests_that_changed_are_run_for_the_map_again(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "tests" / "support").mkdir(parents=True)
    (tmp_path / "src" / "work.py").write_text("def work() -> int:\n    return 1\n")
    (tmp_path / "tests" / "support" / "made.py").write_text("MADE = 1\n")

    def made(*tests: str) -> tuple[list[str], list[str]]:
        """The tests that ran, and those of the line by the map."""
        (tmp_path / "ran").unlink(missing_ok=True)
        assert in_a_process(f"make_map('src', {[f'tests/test_{name}.py' for name in tests]})", tmp_path).returncode == 0
        kept = json.loads((tmp_path / "build" / "touching.json").read_text())
        ran = (tmp_path / "ran").read_text().split() if (tmp_path / "ran").exists() else []
        return ran, [test.partition("::test_")[2] for test in kept["files"]["src/work.py"]["2"]]

    for name in ("a", "b", "c"):
        (tmp_path / "tests" / f"test_{name}.py").write_text(COUNTS.format(name=name))
    assert made("a", "b") == (["a", "b"], ["a", "b"])
    assert made("a", "b") == ([], ["a", "b"])
    assert made("b", "c") == (["c"], ["b", "c"])
    (tmp_path / "tests" / "test_b.py").write_text(COUNTS.format(name="new"))
    assert made("b", "c") == (["new"], ["new", "c"])
    (tmp_path / "tests" / "support" / "more.py").write_text("MORE = 1\n")
    assert made("b", "c")[0] == []
    (tmp_path / "tests" / "support" / "made.py").write_text("MADE = 2\n")
    assert made("b", "c")[0] == ["new", "c"]
    (tmp_path / "src" / "work.py").write_text("def work() -> int:\n    return 2\n")
    assert made("b", "c")[0] == ["new", "c"]


def test_a_command_is_told_which_line_was_changed_and_the_untouched_tree_has_none(root, tmp_path):
    told = tmp_path / "told"
    tried(root, tmp_path, [SURVIVES], replace(GROUP, commands=(f'echo "$MUTANT" >> {told}',)))
    assert told.read_text().splitlines() == ["", "src/total.py:3"]


def test_a_job_in_a_fork_works_in_the_copy_and_says_how_it_ended(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "only_in_the_copy.py").write_text("VALUE = 7\n")

    def job() -> int:
        from importlib import import_module

        print("at", Path.cwd().name, os.environ["MUTANT"])
        return int(import_module("only_in_the_copy").VALUE)

    assert forked(lambda: 0, tmp_path, 60.0, {}) is None
    assert forked(job, tmp_path, 60.0, {"MUTANT": "a.py:1"}) == f"at {tmp_path.name} a.py:1"
    assert "only_in_the_copy" not in sys.modules
    assert "ZeroDivisionError" in str(forked(lambda: 1 // 0, tmp_path, 60.0, {}))
    assert forked(lambda: sum(iter(int, 1)), tmp_path, 1.0, {}) == "no end after 1 s"


def test_a_mutant_meets_the_tests_of_its_line_in_a_fork(root, tmp_path):
    copy = copy_tree(root, tmp_path / "copy")
    (copy.path / "test_total.py").write_text("from total import total\n\n\ndef test_sum():\n    assert total(2, 3) == 5\n")
    kept = {"files": {"src/total.py": {"8": ["test_total.py::test_sum"], "3": []}}, "seconds": {}}
    (copy.path / "build").mkdir()
    (copy.path / "build" / "touching.json").write_text(json.dumps(kept))
    group = replace(GROUP, commands=(), warm=True)
    found = try_all(group, copy, [NOTICED, SURVIVES], baseline(group, copy), Results(tmp_path / "results.jsonl"), lambda line: None)
    assert [(one.outcome, one.by) for one in found] == [("noticed", "the tests that run it"), ("survived", "")]


def test_what_the_early_commands_notice_is_not_built_for_the_others(root, tmp_path):
    built = tmp_path / "built"
    group = replace(
        GROUP,
        early_build=("python3 -m py_compile src/total.py",),
        early=(CHECK,),
        build=(f"echo >> {built}",),
        commands=("grep -q 3 src/total.py",),
    )
    found = tried(root, tmp_path, [NOTICED, SURVIVES], group)
    assert [(result.outcome, result.by) for result in found] == [("noticed", CHECK), ("noticed", "grep -q 3 src/total.py")]
    assert len(built.read_text().splitlines()) == 2, "the untouched tree and the second mutant"
    assert outcomes(tried(root, tmp_path, [SURVIVES], replace(group, early_build=("grep -q 3 src/total.py",)))) == ["noticed"], "kept"
    fresh = Mutant("src/total.py", 3, "LIMIT = 3", "LIMIT = 5")
    assert outcomes(tried(root, tmp_path, [fresh], replace(group, early_build=("grep -q 3 src/total.py",)))) == ["did not build"]
