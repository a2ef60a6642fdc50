# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong, as a sentence for the user and an exit code. Nothing else reaches them: a traceback is a bug."""

from __future__ import annotations

import shlex
import sys
import sysconfig
from pathlib import Path

from latlab.core.passwords import shown_address
from latlab.core.shown import shown


def one_line(text: str) -> str:
    """As `shown`: no sentence has a second line, or acts on a terminal."""
    return shown(text)


class LatlabError(Exception):
    """What went wrong: one sentence. `next_step` says what to do about it, `value` is what was refused, and `place` where it stood, such as
    FILE:LINE, a run or a machine. The text has place, sentence and next step; JSON, JUnit and SARIF have `fields`. An error repeats what a
    user typed, anywhere: no part of it has the password of an address."""

    exit_code = 3

    def __init__(self, sentence: str, next_step: str = "", *, value: object = None, place: object = None) -> None:
        text = sentence if place is None else f"{place}: {sentence}"
        super().__init__(shown_address(f"{text}; {next_step}" if next_step else text))
        self.sentence, self.next_step = shown_address(sentence), shown_address(next_step)
        self.value, self.place = ("" if part is None else shown_address(str(part)) for part in (value, place))

    @property
    def fields(self) -> dict[str, str]:
        """Those that it has, by the names of JSON."""
        every = {"value": self.value, "place": self.place, "next_step": self.next_step}
        return {"sentence": one_line(self.sentence), **{name: one_line(text) for name, text in every.items() if text}}


class TestFailed(LatlabError):
    """The target ran and says that a test failed."""

    __test__ = False
    exit_code = 1


class InterruptedByUser(LatlabError):
    """The user ended it, by Ctrl-C or a signal: what shells and make expect of a process that SIGINT ended."""

    exit_code = 130


class UsageError(LatlabError):
    """The command or the set-up must change: an option, a missing tool, an unwritable folder."""

    exit_code = 2


class NotBuilt(UsageError):
    """A program of latlab's is not here. `target` is the Makefile's that builds it in a checkout: the command line does so, then runs the
    command again."""

    def __init__(self, sentence: str, target: str, next_step: str) -> None:
        super().__init__(sentence, next_step)
        self.target = target


class DataError(LatlabError):
    """The data is damaged, incomplete or does not belong together."""

    exit_code = 3


class NotFetched(DataError):
    """A measurement is over and its data are still where they were made. Its run stays unfinished: a later command fetches them."""


def needs_packages(feature: str, *packages: str) -> UsageError:
    """The error for missing packages, with the command that installs them beside this latlab. A Python of the system takes no packages
    from pip (PEP 668)."""
    named = f"the Python package{'s' if len(packages) > 1 else ''} {' and '.join(packages)}"
    is_of_system = sys.prefix == sys.base_prefix and Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").is_file()
    by_pip = f"run `{shlex.join((sys.executable, '-m', 'pip', 'install', *packages))}`"
    by_system = "install them by this system's packages, or use latlab's wheel, whose environment takes them from pip"
    return UsageError(f"{feature} needs {named}", by_system if is_of_system else by_pip)
