# SPDX-License-Identifier: BSD-3-Clause
"""No output of any verb has the password of a store's address, in whatever form the address was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from latlab.core.cli.app import app
from latlab.core.errors import DataError, NotBuilt
from latlab.core.model.conditions import Conditions
from latlab.core.model.provenance import Provenance
from latlab.core.model.run import Build
from latlab.core.passwords import shown_address, shown_words
from latlab.core.store.address import StoreAddress, hide_password
from latlab.core.store.store import open_store
from latlab.core.targets import building
from support.command import latlab
from support.ladder_model import Truth, make_run

SECRET = "ge:h/e@im"
QUOTED = "ge%3Ah%2Fe%40im"
ADDRESSES = (
    f"postgresql+psycopg://u:{QUOTED}@127.0.0.1:9/db",
    f"postgresql+psycopg://u:{SECRET}@127.0.0.1:9/db",
    f"postgresql+psycopg://u@127.0.0.1:9/db?password={QUOTED}",
    f"postgresql+psycopg://u@127.0.0.1:9/db?sslmode=require&sslpassword={QUOTED}",
    f"postgresql+psycopg://:{QUOTED}@127.0.0.1:9/db",
    f"postgresql://u:{QUOTED}@127.0.0.1:9/db",
    f"postgres://u:{QUOTED}@127.0.0.1:9/db",
    f"postgresql+psycopg2://u:{QUOTED}@127.0.0.1:9/db",
    f"postgresql+asyncpg://u:{QUOTED}@127.0.0.1:9/db",
    f"mysql://u:{QUOTED}@127.0.0.1:9/db",
    f"oracle+nonsense://u:{QUOTED}@127.0.0.1:9/db",
    f"postgresql+psycopg://u:{QUOTED}@[::1/db",
    f"postgresql+psycopg://u:{QUOTED}@127.0.0.1:port/db",
    f"://u:{QUOTED}@127.0.0.1/db",
    f"host=127.0.0.1 port=9 password={QUOTED}",
    f"host=127.0.0.1 port=9 password='{SECRET}'",
    f"PGPASSWORD={QUOTED} host=127.0.0.1",
    f"postgresql+psycopg://u@127.0.0.1:9/db?%70assword={QUOTED}",
    f"postgresql+psycopg://u@127.0.0.1:9/db?options=-c%20password%3D{QUOTED}",
    f"mssql+pyodbc://127.0.0.1/?odbc_connect=DRIVER%3DX%3BPWD%3D{QUOTED}",
    f"postgresql+psycopg://u%3A{QUOTED}@127.0.0.1:9/db",
    f"cockroachdb://u@127.0.0.1:9/db?api_key={QUOTED}",
)
MISTYPED = (
    "postgresql+psycopg://u:ge heim@127.0.0.1:9/db",
    "postgresql+psycopg://u@127.0.0.1:9/db?password=ge heim&connect_timeout=1",
    "postgresql+psycopg://u@127.0.0.1:9/db?password=ge;heim",
    "postgresql+psycopg://u:ge-heim/127.0.0.1/db",
    "postgresql+psycopg://u@127.0.0.1:ge-heim/db",
    "oracle://u/ge heim@127.0.0.1/db",
    "postgresql+psycopg:// u:ge heim@127.0.0.1:9/db",
    "postgresql:/u:ge heim@127.0.0.1/db",
    "postgresql//u:ge heim@127.0.0.1/db",
    "postgresql:u:ge heim@127.0.0.1/db",
    "u:ge heim@127.0.0.1/db",
    r"host=127.0.0.1 password='ge\' heim' port=9",
    r"host=127.0.0.1 password=ge\ heim port=9",
)
"""Addresses that are somewhat wrong, and those whose password has a blank in it."""
VERBS = (
    ("ls",),
    ("show", "last"),
    ("explain", "last"),
    ("extremes", "last"),
    ("check-dt", "last", "x.log"),
    ("fit", "last"),
    ("predict", "last", "last"),
    ("whatif", "last"),
    ("bisect", "--repo", ".", "--build", "true", "a..b"),
    ("design", "show", "last"),
    ("watch", "--", "true"),
    ("identify", "x.log"),
    ("import-trace", "x.log"),
    ("runs", "rm", "last"),
    ("runs", "restore", "last"),
    ("runs", "empty", "--yes"),
    ("run", "attack"),
    ("run", "calls", "--subject", "opensbi"),
    ("run", "psa"),
    ("run", "rt-power"),
    ("run", "steal", "--duration", "1"),
    ("design", "run", "x.log"),
    ("ls", "--format", "json"),
    ("compare", "last~1", "last"),
    ("gate", "last~1", "last", "--comment", "comment.md", "--junit", "junit.xml", "--sarif", "x.sarif"),
    ("report", "last", "-o", "page.html"),
    ("export", "last", "--format", "junit"),
    ("history", "a/wakeup"),
    ("regressions",),
    ("runs", "label", "last", "main"),
    ("runs", "recover"),
    ("runs", "prune", "--keep-daily", "1"),
    ("publish", "site", "-o", "site"),
    ("import", "x.log"),
    ("run", "psci"),
    ("run", "rt", "--target", "linux"),
    ("doctor",),
    ("serve", "--mcp"),
)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.log").write_text("nothing\n")
    monkeypatch.setattr(building, "build_missing", _build_nothing)


def _build_nothing(missing: NotBuilt, say: object) -> None:
    """A verb that lacks an image builds nothing here."""
    raise missing


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_shown_with_its_host_and_without_its_password(address: str) -> None:
    shown = shown_address(address)
    assert "geh" not in shown and "ge%3" not in shown and "ge:h" not in shown and "***" in shown
    assert "127.0.0.1" in shown or "[::1" in shown
    assert shown_address(shown) == shown
    said = hide_password(f"cannot connect to {address} as {SECRET} or {QUOTED}", StoreAddress(address))
    assert SECRET not in said and QUOTED not in said


@pytest.mark.parametrize(
    "text",
    [
        "store.sqlite",
        "sqlite:///a:b/c.db",
        "https://example.org/a?b=c",
        "https://example.org/a/b@c?d=e%20f",
        "fat:rw:/srv/a@b",
        "postgresql+psycopg://u@h/db",
        "a:b@c",
        "bypass=1 tokens=3",
    ],
)
def test_what_has_no_password_is_shown_as_it_is(text: str) -> None:
    assert shown_address(text) == text


def test_an_address_is_a_type_whose_text_never_has_the_password() -> None:
    for typed in ADDRESSES:
        address = StoreAddress(typed)
        for text in (str(address), repr(address), f"{address}", f"{address!r:>5}", f"{[address]}", "%s" % address, str(vars_of(address))):  # noqa: UP031
            assert SECRET not in text and QUOTED not in text, text
        assert address.opened == typed and address.absolute.is_url == address.is_url


@pytest.mark.parametrize("typed", MISTYPED)
def test_a_mistyped_address_hides_its_password_and_makes_no_file(tmp_path: Path, typed: str) -> None:
    shown = str(StoreAddress(typed))
    assert shown == str(StoreAddress(shown)) and "127.0.0.1" in shown and "***" in shown
    for verb in (("ls",), ("import", "x.log")):
        done = latlab(*verb, store=typed)
        texts = (shown, done.stdout, done.stderr, str(shown_words(("latlab", f"--store={typed}", "--store", typed))))
        assert not any(half in text for text in texts for half in ("heim", "u:ge", "=ge", "='ge")), texts
        assert "Traceback" not in done.stderr and "a fault in latlab" not in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"x.log"}


@pytest.mark.parametrize("path", ["/srv/a:b/c@d.sqlite", "runs/a:b@c.sqlite", "./a:b@c", "C:/x", "a@b:c.sqlite"])
def test_a_path_with_such_signs_is_a_path(path: str) -> None:
    assert str(StoreAddress(path)) == path


ADDRESS = f"postgresql+psycopg://u:{QUOTED}@127.0.0.1:9/db?connect_timeout=1"
BLANK = "postgresql+psycopg://u:ge heim@127.0.0.1:9/db"


@pytest.mark.parametrize("typed", [ADDRESS, BLANK], ids=["quoted", "blank"])
def test_an_address_in_a_wrong_place_shows_no_password(tmp_path: Path, typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the word `--store` is missing or misspelt, the error of the command line repeats the address."""
    monkeypatch.setenv("LATLAB_ERRORS", "json")
    misplaced = [(*verb[:words], typed) for verb in VERBS for words in range(len(verb) + 1)]
    misplaced += [("ls", f"--stor={typed}"), ("ls", f"--store {typed}"), ("show", "last", "-o", typed), ("ls", "--format", typed)]
    for words in dict.fromkeys(misplaced):
        done = latlab(*words, store=str(tmp_path / "none.sqlite"))
        texts = [done.stdout, done.stderr, *(path.read_text("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file())]
        assert not any(part in text for text in texts for part in (QUOTED, SECRET, "heim", "u:ge")), (words, texts)


def test_no_part_of_an_error_has_a_password_of_an_address() -> None:
    error = DataError(f"{ADDRESS} is none", f"leave out {ADDRESS}", value=ADDRESS, place=Path(ADDRESS))
    texts = [str(error), *error.fields.values(), error.sentence, error.next_step, error.value, error.place]
    assert not any(QUOTED in text for text in texts) and all("127.0.0.1" in text for text in texts)


def vars_of(address: StoreAddress) -> object:
    """As a tool that prints local variables shows one inside another."""
    return {"place": address}


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("latlab", "watch", "--password", "geheim", "x"), ("latlab", "watch", "--password", "***", "x")),
        (("qemu", "-append", "root=/dev/vda wifi.password=geheim quiet"), ("qemu", "-append", "root=/dev/vda wifi.password=*** quiet")),
        (("sh", "-c", "curl --token geheim https://u:geheim@h/"), ("sh", "-c", "curl --token *** https://u:***@h/")),
        (("latlab", "import", "--as", "password.log"), ("latlab", "import", "--as", "password.log")),
    ],
)
def test_a_command_line_is_shown_without_its_passwords(words: tuple[str, ...], shown: tuple[str, ...]) -> None:
    assert shown_words(words) == shown


def test_a_run_keeps_no_password_of_any_command_line(tmp_path: Path) -> None:
    """Not in the file of the store either, whose bytes are searched."""
    conditions = Conditions(commands=("x --token geheim",), load="stress --password geheim", kernel_command_line="quiet token=geheim")
    run = replace(
        make_run(Truth(), 1, 1, 1),
        command=("qemu", "--password", "geheim"),
        conditions=replace(conditions, emulator_options=("-object secret,secret=geheim",)),
        provenance=Provenance(latlab_command=("latlab", "--password=geheim")),
        build=Build("firmware", options=(("build command", "make TOKEN=geheim"),)),
        facts=(("started by", "sh --secret geheim"),),
    )
    store = open_store(str(tmp_path / "store.sqlite"))
    run_id = store.begin(run)
    store.update_metadata(run_id, run)
    stored = store.load(run_id)
    assert b"geheim" not in (tmp_path / "store.sqlite").read_bytes()
    assert stored.command == ("qemu", "--password", "***") and stored.conditions.load == "stress --password ***"


def test_every_verb_that_takes_a_store_is_tried_below() -> None:
    with_store = {path for path, verb in _verbs(get_command(app)) if any("--store" in option.opts for option in verb.params)}
    tried = {path for path in with_store if any(words[: len(path)] == path for words in VERBS)}
    assert with_store == tried and len(tried) > 30


def _verbs(group: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _verbs(command, (*above, name))
        else:
            yield (*above, name), command


@pytest.mark.parametrize("address", [address for address in ADDRESSES if "://" in address or address.startswith("host=")])
def test_no_verb_says_or_writes_the_password(tmp_path: Path, address: str) -> None:
    for verb in VERBS if address == ADDRESSES[0] else VERBS[:5]:
        done = latlab(*verb, store=address)
        assert done.returncode in (1, 2, 3), (verb, done)
        texts = [done.stdout, done.stderr, *(path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file())]
        for text in texts:
            assert SECRET not in text and QUOTED not in text, (verb, text)
        assert "Traceback" not in done.stderr and "a fault in latlab" not in done.stderr, (verb, done.stderr)
