# SPDX-License-Identifier: BSD-3-Clause
"""The parts of an error: in its text, and by name where a program reads them."""

from __future__ import annotations

import json
import pickle
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.report.exports import sarif
from latlab.core.report.exports.junit import refused_junit
from support.command import latlab

ERROR = DataError("'x' is no number", "write a number", value="x", place="log.csv:7")
FIELDS = {"sentence": "'x' is no number", "value": "x", "place": "log.csv:7", "next_step": "write a number"}
TEXT = "log.csv:7: 'x' is no number; write a number"


def test_the_text_of_an_error_has_its_parts_in_order() -> None:
    assert (str(ERROR), ERROR.fields) == (TEXT, FIELDS)
    assert (str(UsageError("no run")), UsageError("no run").fields) == ("no run", {"sentence": "no run"})
    assert str(DataError("damaged", place=Path("a.toml"))) == "a.toml: damaged"


def test_an_error_of_another_process_keeps_its_parts() -> None:
    copy = pickle.loads(pickle.dumps(ERROR))
    assert isinstance(copy, DataError) and (str(copy), copy.fields) == (TEXT, FIELDS)


def test_a_field_acts_on_no_terminal() -> None:
    assert LatlabError("bad", value="\x1b[2J\n").fields["value"].isprintable()


def test_junit_has_the_fields_as_properties_of_its_case() -> None:
    case = ET.fromstring(refused_junit("a", "b", ERROR)).find("testsuite/testcase")
    assert case is not None and (outcome := case.find("error")) is not None
    assert outcome.get("message") == TEXT
    assert {one.get("name"): one.get("value") for one in case.iterfind("properties/property")} == FIELDS


def test_sarif_has_the_fields_as_properties_of_its_notification() -> None:
    (invocation,) = json.loads(sarif.refused(ERROR))["runs"][0]["invocations"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert (notification["message"], notification["properties"]) == ({"text": TEXT}, FIELDS)
    assert invocation["executionSuccessful"] is False


@pytest.mark.parametrize("words", [("--format", "json"), ("--format=json",)])
def test_a_command_that_prints_json_prints_the_fields_on_standard_error(words: tuple[str, ...], tmp_path: Path) -> None:
    done = latlab("show", "nothing-0000", *words, store=tmp_path / "s.sqlite")
    sentence, fields = done.stderr.splitlines()[-2:]
    error = json.loads(fields)["error"]
    assert (done.stdout, error.pop("exit_code")) == ("", done.returncode)
    assert sentence.startswith("latlab: ") and error["sentence"] in sentence


def test_the_environment_asks_for_the_fields_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "{" not in latlab("show", "--nonsense").stderr
    monkeypatch.setenv("LATLAB_ERRORS", "json")
    done = latlab("show", "--nonsense")
    assert json.loads(done.stderr.splitlines()[-1])["error"]["exit_code"] == done.returncode == 2
