# SPDX-License-Identifier: BSD-3-Clause
"""No output of any verb has the password of a store's address, in whatever form the address was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from latlab.core.store.address import hide_password, shown_address
from support.command import latlab

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
)
VERBS = (
    ("ls",),
    ("show", "last"),
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


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_shown_with_its_host_and_without_its_password(address: str) -> None:
    shown = shown_address(address)
    assert "geh" not in shown and "ge%3" not in shown and "ge:h" not in shown and "***" in shown
    assert "127.0.0.1" in shown or "[::1" in shown
    assert shown_address(shown) == shown
    said = hide_password(f"cannot connect to {address} as {SECRET} or {QUOTED}", address)
    assert SECRET not in said and QUOTED not in said


@pytest.mark.parametrize(
    "text", ["store.sqlite", "sqlite:///a:b/c.db", "https://example.org/a?b=c", "postgresql+psycopg://u@h/db", "a:b@c", "bypass=1 tokens=3"]
)
def test_what_has_no_password_is_shown_as_it_is(text: str) -> None:
    assert shown_address(text) == text


@pytest.mark.parametrize("address", [address for address in ADDRESSES if "://" in address])
def test_no_verb_says_or_writes_the_password(tmp_path: Path, address: str) -> None:
    for verb in VERBS if address in ADDRESSES[:3] else VERBS[:5]:
        done = latlab(*verb, store=address)
        assert done.returncode in (1, 2, 3), (verb, done)
        texts = [done.stdout, done.stderr, *(path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file())]
        for text in texts:
            assert SECRET not in text and QUOTED not in text, (verb, text)
        assert "Traceback" not in done.stderr and "a fault in latlab" not in done.stderr, (verb, done.stderr)
