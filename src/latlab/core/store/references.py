# SPDX-License-Identifier: BSD-3-Clause
"""What a user names on the command line, as a run: `published:tf-a/juno/v2.9`, a document, a table, a stored run. The readers of documents
and of other tools' files take a fifth of a comparison's time to load, so that they wait until a file asks for them."""

from __future__ import annotations

import io
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from importlib import resources
from pathlib import Path

import msgspec

from latlab.core.errors import DataError, UsageError
from latlab.core.model.distributions import distributions_of
from latlab.core.model.enums import ProblemKind
from latlab.core.model.run import UNNAMED, Problem, Run, Topology
from latlab.core.readers.console_text import as_printed
from latlab.core.readers.dump import console_log, tftf_calls
from latlab.core.readers.published import csv_tables, experiments
from latlab.core.readers.published import runs as published
from latlab.core.readers.published.printed_tables import Reading
from latlab.core.store import run_json
from latlab.core.store.inside import text_inside
from latlab.core.store.reading import read_file

PREFIX = "published:"
LOGS = (".log", ".txt", ".yaml", ".yml")


class BadReference(UsageError):
    """A reference that names nothing, or nothing that can be trusted; the message says what to do."""


def published_references() -> list[str]:
    return [f"{PREFIX}{entry['reference']}" for entry in _sources()]


def published_tables() -> list[tuple[str, str, str]]:
    """Of each published table its reference, its platform and what was measured."""
    return [(f"{PREFIX}{entry['reference']}", str(entry["platform"]), str(entry["firmware"])) for entry in _sources()]


def load(reference: str, unit: str = "", from_store: Callable[[str], Run | None] | None = None) -> Run:
    """The run that `reference` names. A document of several releases is named `FILE#RELEASE`. `unit` stands in where a table has none."""
    if reference.startswith(PREFIX):
        return _from_catalog(reference)
    path, _, release = reference.partition("#")
    if Path(path).is_file():
        release, shape = _told_shape(release)
        return _from_file(Path(path), release, unit, shape)
    try:
        run = from_store(reference) if from_store else None
        reason = f"no run is called {reference!r}; `latlab ls` lists the runs"
    except UsageError as error:
        run, reason = None, str(error)
    if run is None:
        raise BadReference(f"{reason}; {reference!r} is no file either, and `latlab ls --published` lists published tables")
    return run


def is_document(reference: str) -> bool:
    """Whether it names published figures or a document with tables, perhaps one release of it."""
    path, _, _ = reference.partition("#")
    return reference.startswith(PREFIX) or (path.endswith(".rst") and Path(path).is_file())


def references_in(reference: str) -> list[str]:
    """The reference of each release: several of a document that is named without one."""
    if "#" in reference or reference.startswith(PREFIX):
        return [reference]
    from latlab.core.readers.published import rst_tables

    path = Path(reference)
    reading = rst_tables.parse(read_file(path).decode("utf-8", "replace"), partial(text_inside, path.parent))
    return [f"{path}#{release}" for release in published.releases(reading) if release] or [reference]


def _sources() -> list[dict[str, object]]:
    text = (resources.files("latlab.catalog") / "published" / "sources.toml").read_text(encoding="utf-8")
    entries: list[dict[str, object]] = tomllib.loads(text)["run"]
    return entries


def _from_catalog(reference: str) -> Run:
    name = reference.removeprefix(PREFIX)
    entry = next((e for e in _sources() if e["reference"] == name), None)
    if entry is None:
        raise BadReference(f"{reference!r} is not in the catalogue; it has {', '.join(published_references())}", value=reference)
    file = resources.files("latlab.catalog") / "published" / f"{name}.csv"
    if "factors" in entry:
        return _experiment(reference, entry, file.read_text(encoding="utf-8"))
    reading = published.parse_catalog(file.read_text(encoding="utf-8"), f"{name}.csv")
    return replace(published.run_of(reading, "", published.source_of_toml(entry)), id=reference)


def _experiment(reference: str, entry: dict[str, object], text: str) -> Run:
    described = msgspec.convert(entry, experiments.Described)
    source_entry = {key: value for key, value in entry.items() if key not in experiments.Described.__struct_fields__}
    run = published.run_of(Reading(()), "", published.source_of_toml(source_entry))
    return replace(run, contents=experiments.parse(text, f"{reference}.csv", described), problems=(), id=reference)


def _told_shape(release: str) -> tuple[str, Topology | None]:
    """`v2.11@2,2` is the release and what the user says of its clusters."""
    name, _, cores = release.rpartition("@")
    if not re.fullmatch(r"\d{1,3}(,\d{1,3})*", cores) or "@" not in release:
        return release, None
    return name, Topology(tuple(map(int, cores.split(","))))


def _from_file(path: Path, release: str, unit: str, shape: Topology | None = None) -> Run:
    if path.suffix in LOGS:
        return _from_log(path)
    try:
        text = io.TextIOWrapper(io.BytesIO(read_file(path)), encoding="utf-8").read()
    except UnicodeDecodeError as error:
        raise DataError(f"byte {error.start} is no UTF-8 ({error.reason})", "save the file as UTF-8 text", place=path) from None
    if path.suffix == ".json":
        return _from_json(path, text)
    if path.suffix == ".rst":
        from latlab.core.readers.published import rst_tables

        reading = rst_tables.parse(text, partial(text_inside, path.parent))
    elif path.suffix == ".csv":
        reading = csv_tables.parse(text, path.name)
    else:
        _refuse_wakeups(path, text.encode())
        raise BadReference(
            f"the format {path.suffix!r} is not read; .rst, .csv, .json, .log, .txt and .yaml are", value=path.suffix, place=path
        )
    release = _release_there(path, reading, release) if release else _only_release(path, reading)
    run = published.run_of(reading, release, replace(_source(path, reading, release), topology=shape), unit)
    if not run.samples and not distributions_of(run):
        reason = min(run.problems, key=lambda p: p.kind is not ProblemKind.UNIT_SUSPECT, default=None)
        reason_text = _placed(path, reason) if reason else f"{path}: no latency table{f' of {release}' if release else ' in it'}"
        raise BadReference(f"{reason_text}; there is nothing to compare")
    return replace(run, id=f"{path}#{release}" if release else str(path))


def _from_log(path: Path) -> Run:
    data = as_printed(read_file(path))
    if b"<LLT1:BOOT" in data:
        raise BadReference(f"{path} is a dump of latlab's firmware", f"keep it with `latlab import {path}` and name the run")
    run = console_log.parse(data, str(path))
    if not run.samples and (calls := tftf_calls.parse(data, str(path))):
        run = calls
    if not run.samples:
        _refuse_wakeups(path, data)
        raise BadReference(_placed(path, run.problems[0]))
    return run


def _from_json(path: Path, text: str) -> Run:
    """Named by its file, as two files may hold one run."""
    try:
        return replace(run_json.parse(text, str(path)), id=str(path))
    except DataError:
        _refuse_wakeups(path, text.encode())
        raise


def _placed(path: Path, problem: Problem) -> str:
    """A problem with the file and, where it is of one line, that line."""
    return f"{path}:{problem.line}: {problem.message}" if problem.line else f"{path}: {problem.message}"


def _refuse_wakeups(path: Path, data: bytes) -> None:
    """A file of another tool's wake-ups or amounts is no run yet; any other file passes."""
    from latlab.rt.readers.measured import holds_amounts, read_wakeups

    if holds_amounts(data, str(path)):
        raise BadReference(f"{path} has benchmark metrics", f"keep it with `latlab import {path}` and name the run")
    try:
        read_wakeups(data, str(path))
    except DataError:
        return
    raise BadReference(f"{path} holds wake-up latencies", f"keep it with `latlab import {path}` and name the run")


def _release_there(path: Path, reading: Reading, named: str) -> str:
    """The release that is named, if the file has it; what the reader met in other tables says nothing of one that is not there."""
    releases_named = [release for release in published.releases(reading) if release]
    word = named.removesuffix(" release")
    if word in releases_named or not reading.tables:
        return word
    if not releases_named:
        raise BadReference(f"{path} has no table with a release name", f"leave out #{named}")
    raise BadReference(
        f"{path} has no release {named!r}", f"name one that it has: {', '.join(f'{path}#{release}' for release in releases_named)}"
    )


def _only_release(path: Path, reading: Reading) -> str:
    releases_named = published.releases(reading)
    if len(releases_named) > 1:
        named = ", ".join(f"{path}#{r}" for r in releases_named)
        raise BadReference(f"{path} holds {len(releases_named)} releases", f"name one: {named}")
    return releases_named[0] if releases_named else ""


def _source(path: Path, reading: Reading, release: str) -> published.Source:
    firmware = release or published.release_of_document(reading) or path.stem
    tick = Decimal(1_000_000_000) / reading.counter_hz if reading.counter_hz else None
    campaign = "rt" if reading.tables and reading.tables[0].test.startswith("cyclictest") else "psci"
    title = reading.title.lower()
    platform = next((published_name for entry in _sources() if (published_name := str(entry["platform"])) in title), UNNAMED)
    return published.Source(platform, firmware, tick_ns=tick, campaign=campaign, facts=(("source", str(path)),))
