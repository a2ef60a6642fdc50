# SPDX-License-Identifier: BSD-3-Clause
"""A few of the hundred thousand generated inputs of `make prove`, and those that were answered wrongly once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.generated_batches import Bench, bench, faults_of_commands, faults_of_files, faults_of_rows
from support.generated_rows import Damage, fault_of_damage, put
from support.nothing_starts import fault_of

COMMANDS, FILES, ROWS = range(120), range(80), (*range(80), 5597, 12741)


@pytest.fixture(scope="module", name="found")
def fixture_found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("generated")) as found:
        yield found


def test_a_command_line_is_answered_or_refused_in_one_sentence(found: Bench) -> None:
    assert list(faults_of_commands(found, COMMANDS)) == []


def test_a_file_that_a_user_writes_is_read_or_refused_in_one_sentence(found: Bench) -> None:
    assert list(faults_of_files(found, FILES)) == []


def test_a_row_that_nobody_wrote_costs_its_own_run(found: Bench) -> None:
    assert list(faults_of_rows(found, ROWS)) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "attack", "--build", "sfn_l1", "--firmware", "."), "sfn_l1_test/secure.elf: no symbol nsc_psa_framework_version"),
        (("run", "calls", "--abi", "sbi", "--timeout", "nan"), "--timeout nan"),
        (("run", "steal", "--timeout", "0"), "--timeout 0"),
        (("watch", "--stream-bytes", "0", "--", "qemu-system-aarch64"), "--stream-bytes"),
        (("ls", "--newest", "9" * 30), "--newest"),
        (("import", "--interval", "9" * 30, "--duration", "1s", "rt.txt"), "--interval 999"),
        (("compare", "--tolerance", "nan", "published:tf-a/juno/v2.9", "psci-0001"), "--tolerance nan is not a percentage; use 0"),
        (("show", "a\nb\t\u202e"), r"no run 'a\nb\t\u202e'"),
        (("import", "a\nb"), r"a\nb cannot be read"),
        (("whatif", "--platform", "latin.toml"), "latin.toml: 'utf-8' codec can't decode"),
        (("whatif", "--platform", "digits.toml"), "digits.toml: Exceeds the limit"),
        (("whatif", "--platform", "deep.toml"), "deep.toml: "),
        (("run", "psci", "--subject", "digits.toml"), "digits.toml: not TOML"),
        (("run", "psci", "--subject", "machine.toml"), "machine.toml: the program is not built for a machine 'z'"),
        (("run", "psci", "--subject", "image.toml"), "image.toml: gone: no such file"),
        (("run", "psci", "--store", "x\udc80y"), r"'x\udc80y' is no UTF-8"),
        (("watch", "--", "qemu-system-aarch64", "x\udc80y"), r"'x\udc80y' is no UTF-8"),
        (("run", "attack", "--subject", "raw.toml"), "bl1.bin: not an ELF file"),
    ],
)
def test_what_was_once_answered_by_a_fault_is_one_sentence(found: Bench, arguments: tuple[str, ...], said: str) -> None:
    answer = found.ask(arguments)
    assert fault_of(answer) == "" and answer.code in (2, 3) and not answer.started, answer
    assert said in answer.err


@pytest.mark.parametrize(
    ("table", "column", "value", "verb"),
    [
        ("sample_columns", "test", b"time", ("export", "{run}", "--format", "lava")),
        ("sample_columns", "columns", "x,y", ("report", "{run}", "--format", "rst")),
        ("sample_columns", "columns", b"\0", ("export", "{run}", "--format", "squad")),
        ("runs", "topology", "99999999999", ("show", "{run}")),
        ("runs", "topology", "2,-4", ("export", "{run}", "--format", "lava")),
        ("runs", "tick_value", float("inf"), ("ls", "--format", "json")),
        ("logs", "data", "nan", ("show", "{run}", "--log", "console")),
        ("logs", "name", b"x", ("explain", "{run}", "--calls", "{run}")),
    ],
)
def test_a_value_that_was_once_read_as_it_stands_is_named_with_its_run(
    found: Bench, table: str, column: str, value: object, verb: tuple[str, ...]
) -> None:
    found.place.write_bytes(found.store)
    put(found.place, "psci-0000", table, column, value)
    case = Damage("psci-0000", "psci-0001", table, column, value, verb)
    answer = found.ask(case.arguments, is_fresh=False)
    assert fault_of_damage(case, answer, found.undamaged) == ""
    assert "run psci-0000 in" in answer.err and "is damaged" in answer.err


def test_an_experiment_is_told_from_the_runs_of_it_that_can_be_read(found: Bench) -> None:
    found.place.write_bytes(found.store)
    put(found.place, "psci-0009", "problems", "line", "x")
    answer = found.ask(("design", "show", "design"), is_fresh=False)
    assert answer.code == 0 and "run psci-0009 in" in answer.out


def test_a_log_that_is_missing_is_told_with_the_run_that_lacks_it(found: Bench) -> None:
    found.place.write_bytes(found.store)
    put(found.place, "rt-0003", "logs", "name", "elsewhere")
    answer = found.ask(("show", "rt-0003"), is_fresh=False)
    assert answer.code == 3 and answer.err.startswith("latlab: rt-0003: no file of a recorder")
