# SPDX-License-Identifier: BSD-3-Clause
"""Altair, which builds the charts. It would check every part of a chart as it is made, which takes longer than all else of it; tests check
whole charts of every kind of page instead."""

import altair as alt
from altair.utils import schemapi

schemapi.disable_debug_mode()

__all__ = ["alt"]
