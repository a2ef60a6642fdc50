# SPDX-License-Identifier: BSD-3-Clause
"""Since when runs are wanted, as a user writes it."""

from datetime import UTC, datetime, timedelta

import pytest

from latlab.core.errors import UsageError
from latlab.core.store.choice import moment


@pytest.mark.parametrize("text", ["", "2026-11", "2026-11-01", "2026-11-01T12:30", "2026-11-01T12:30:59Z"])
def test_a_time_as_runs_note_it_or_its_beginning_is_taken_as_it_stands(text):
    assert moment("since", text) == text


@pytest.mark.parametrize(("text", "ago"), [("7d", timedelta(days=7)), ("90m", timedelta(minutes=90))])
def test_a_duration_is_so_long_ago(text, ago):
    found = datetime.strptime(moment("since", text), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - ago - found) < timedelta(minutes=10)


@pytest.mark.parametrize("text", ["yesterday", "2026", "-7d", "2026-11-01 12:00"])
def test_anything_else_is_refused_in_the_name_of_its_option(text):
    with pytest.raises(UsageError, match=r"^--before .* is no date and no duration; write it as 2026-11-01 or 7d$"):
        moment("before", text)
