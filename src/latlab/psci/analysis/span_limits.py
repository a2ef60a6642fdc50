# SPDX-License-Identifier: BSD-3-Clause
"""Limits on samples: of each core its quantiles and extremes."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

import numpy as np

from latlab.core.comparison.identity import checked_columns
from latlab.core.comparison.limit import Held, Limit, check_unit, held_share, held_value, unmeasured_cpus
from latlab.core.comparison.wording import amount
from latlab.core.model.run import Run


def limited_samples(run: Run, limit: Limit) -> Iterator[Held]:
    """Every sample of a core in one test, whatever its boot."""
    if not limit.is_of_samples:
        return
    columns = checked_columns(run)
    for (test, metric), matrix in columns.matrices.items():
        written = f"{test}/{metric}" if "/" in limit.name else metric.value
        if not fnmatchcase(written, limit.name):
            continue
        check_unit(limit, run.tick.unit)
        for column, core in enumerate(matrix.cores):
            values = matrix.every.of(column)
            if (limit.cpus and core.core not in limit.cpus) or not len(values):
                continue
            subject = f"{test} {metric} of core {core}"
            if limit.share is not None:
                at = float(np.quantile(values, limit.share, method="inverted_cdf"))
                yield held_share(limit, subject, len(values), int((values > limit.value).sum()), at, run.tick.unit)
                continue
            value = float({"max": values.max(), "min": values.min(), "average": values.mean()}[limit.statistic])
            yield held_value(limit, f"{subject}, {limit.statistic}", value, amount(value, run.tick.unit), len(values))
        yield from unmeasured_cpus(run, limit, {core.core for core in matrix.cores})
