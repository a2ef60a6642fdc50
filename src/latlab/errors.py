# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong, as a sentence for the user and an exit code. Nothing else reaches them: a traceback is a bug."""

from __future__ import annotations


class LatlabError(Exception):
    """One sentence with the value, where it stood and the next step."""

    exit_code = 3


class TestFailed(LatlabError):
    """The target ran and says that a test failed."""

    __test__ = False
    exit_code = 1


class UsageError(LatlabError):
    """The command or the set-up must change: an option, a missing tool, an unwritable folder."""

    exit_code = 2


class DataError(LatlabError):
    """The data is damaged, incomplete or does not belong together."""

    exit_code = 3
