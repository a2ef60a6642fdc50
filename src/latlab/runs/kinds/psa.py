# SPDX-License-Identifier: BSD-3-Clause
"""What runs of the PSA campaign have beside other runs of spans: a guide with the builds side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from latlab.runs.kinds import psci

if TYPE_CHECKING:
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.report.page import Page


def _page(material: RunArtifacts) -> Page:
    from latlab.psa.campaign.measure import build_results
    from latlab.psa.pages.guide import page

    return page(build_results(material.store, material.run, material.every_build))


def _guide(material: RunArtifacts) -> Page:
    from latlab.psa.campaign.measure import build_results
    from latlab.psa.pages.guide import guide

    return guide(build_results(material.store, material.run, material.every_build))


KIND = replace(psci.KIND, campaign="psa", forms=replace(psci.KIND.forms, page=_page, guide=_guide))
