# SPDX-License-Identifier: BSD-3-Clause
"""A board that labgrid manages: commands and files through whichever of its drivers the environment has, power through its strategy.

labgrid's drivers raise anything from their own errors to those of pexpect, of serial ports and of sockets, so what they raise is caught
here, once, and turned into a sentence.
"""

from __future__ import annotations

import logging
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

from latlab.core.errors import LatlabError, UsageError, needs_packages
from latlab.core.model.life import Address
from latlab.core.targets.linux.machine import (
    LEFT_ALONE_S,
    REACH_AGAIN_S,
    SSH_FAILED,
    CommandResult,
    Unreachable,
    after_mark,
    marked,
    spawned,
    wait_until_up,
)

COMMANDS = "CommandProtocol"
FILES = "FileTransferProtocol"
POWER = "PowerProtocol"
LINE_BYTES = 2048  # as base64 and with its command in the 4,095 characters that a Linux terminal takes as a line
T = TypeVar("T")


@dataclass(frozen=True)
class LabgridBoard:
    """A labgrid target as a machine. Drivers are asked for by protocol at each use: a strategy may have changed which one is active.
    `may_restart` is whether its power may be switched while it is measured, `state` what its strategy then brings it to."""

    target: Any
    kind: str = "labgrid"
    scratch: str = "/var/tmp"
    patience_s: float = REACH_AGAIN_S
    left_alone_s: float | None = LEFT_ALONE_S
    config: str = ""
    may_restart: bool = False
    state: str | None = None

    @property
    def name(self) -> str:
        return str(self.target.name)

    @property
    def look_every_s(self) -> float | None:
        """Over a serial console a file takes minutes."""
        try:
            return 30 if type(driver_of(self.target, FILES)).__name__ == "SSHDriver" else None
        except Exception:
            return None

    @property
    def address(self) -> Address:
        return Address(self.kind, config=self.config, name=self.name)

    def spawn(self, text: str) -> int:
        return spawned(self, text)

    def run(self, text: str, timeout_s: float) -> CommandResult:
        with self._driver(COMMANDS) as driver:
            out, err, status = driver.run(marked(text), timeout=timeout_s, decodeerrors="replace")
            done = CommandResult(status, after_mark(_bytes(out)), after_mark(_bytes(err)))
            if status == SSH_FAILED:
                raise ConnectionError((done.out + done.err).decode() or "the connection failed")
        return done

    def put(self, local: Path, remote: str) -> None:
        with self._driver(FILES) as driver:
            driver.put(str(local), remote)
        size = local.stat().st_size
        if self._bytes_of(remote) == size:
            return
        self._put_as_text(local, remote)
        if (arrived := self._bytes_of(remote)) != size:
            raise LatlabError(f"{remote} has {arrived} of {size} bytes", "use a driver with SSH", place=self.name)

    def _bytes_of(self, remote: str) -> int:
        """Makes it executable too. labgrid does not look at what became of a transfer; lrzsz 0.12.21rc takes no absolute name."""
        done = self.run(f"chmod 755 {quote(remote)} && wc -c <{quote(remote)}", 60)
        if done.status != 0:
            raise LatlabError(f"cannot write {remote}: {done.complaint}", place=self.name)
        return int(done.out)

    def _put_as_text(self, local: Path, remote: str) -> None:
        """By commands alone, which every console takes."""
        data = local.read_bytes()
        self.run(f": >{quote(remote)}", 60)
        for begin in range(0, len(data), LINE_BYTES):
            line = b64encode(data[begin : begin + LINE_BYTES]).decode()
            done = self.run(f"echo {line} | base64 -d >>{quote(remote)}", 60)
            if done.status != 0:
                raise LatlabError(f"cannot write {remote}: {done.complaint}", place=self.name)

    def get(self, remote: str) -> bytes:
        with tempfile.TemporaryDirectory(prefix="latlab-labgrid-") as folder:
            local = Path(folder) / "file"
            with self._driver(FILES) as driver:
                driver.get(remote, str(local))
            return local.read_bytes()

    def restart(self) -> bool:
        if not self.may_restart:
            return False
        try:
            prepare(self.target, self.state, power_cycle=True)
            wait_until_up(self, self.patience_s)
        except LatlabError:
            return False
        return True

    @contextmanager
    def _driver(self, protocol: str) -> Iterator[Any]:
        """A driver that failed is deactivated, so that its next use connects or logs in again."""
        driver = None
        try:
            driver = driver_of(self.target, protocol)
            yield driver
        except Exception as error:
            if driver is not None:
                with suppress(Exception):
                    self.target.deactivate(driver)
            raise Unreachable(f"{self.name} does not answer: {said_by(error)}", "check it with labgrid-client or `--state`") from error


@contextmanager
def opened(config: Path | None, name: str) -> Iterator[Any]:
    """A target, released at the end."""
    target = load_target(config, name)
    try:
        yield target
    finally:
        release(target)


def release(target: Any) -> None:
    """Deactivate everything. A driver whose device is gone fails in this; labgrid would try again at exit and print a traceback."""
    from labgrid.binding import BindingState

    for bound in (*reversed(target.drivers), *reversed(target.resources)):
        try:
            target.deactivate(bound)
        except Exception:
            bound.state = BindingState.bound


def load_target(config: Path | None, name: str) -> Any:
    """The labgrid target of that name in an environment's configuration."""
    if config is None:
        raise UsageError("--target labgrid needs the environment's configuration", "name it with --config, or in LG_ENV")
    if find_spec("labgrid") is None:
        raise needs_packages("--target labgrid", "labgrid")
    if not config.is_file():
        raise UsageError(f"{config} is not a file", "name the labgrid environment with --config, or in LG_ENV")
    from labgrid import Environment

    _say_nothing_twice()
    return ask_labgrid(f"{config}, target {name!r}", lambda: _target(Environment(str(config)), config, name))


def _say_nothing_twice() -> None:
    """labgrid logs what it raises as well, and Python prints what is logged if nobody listens."""
    logging.getLogger().addHandler(logging.NullHandler())


def _target(environment: Any, config: Path, name: str) -> Any:
    target = environment.get_target(name)
    if target is None:
        names = ", ".join(environment.config.get_targets()) or "none"
        raise UsageError(f"{config} has no target {name!r}, only {names}", "choose one with --target-name")
    return target


def prepare(target: Any, state: str | None, power_cycle: bool) -> None:
    """Make the board usable: switch its power off and on, bring its strategy to a state."""
    place = f"labgrid target {target.name!r}"
    if power_cycle:
        ask_labgrid(f"{place}, --power-cycle", lambda: target.get_driver(POWER).cycle())
    if state is not None:
        ask_labgrid(f"{place}, --state {state}", lambda: target.get_strategy().transition(state))


def ask_labgrid(place: str, question: Callable[[], T]) -> T:
    """What labgrid answers, or one sentence with what it said."""
    try:
        return question()
    except LatlabError:
        raise
    except Exception as error:
        raise UsageError(f"labgrid says: {said_by(error)}", place=place) from error


def driver_of(target: Any, protocol: str) -> Any:
    """The active driver, else the one of highest priority, activated."""
    from labgrid.exceptions import NoDriverFoundError

    try:
        return target.get_active_driver(protocol)
    except NoDriverFoundError:
        return target.get_driver(protocol)


def said_by(error: BaseException) -> str:
    """The innermost cause, because labgrid wraps what went wrong in what it was doing; what a program said last, else the message."""
    while error.__cause__ is not None:
        error = error.__cause__
    printed = [_text(line) for line in getattr(error, "stdout", None) or () if _text(line)]
    text = printed[-1:] or str(getattr(error, "msg", "") or error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def _text(line: bytes | str) -> str:
    return (line.decode("utf-8", "replace") if isinstance(line, bytes) else line).strip()


def _bytes(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
