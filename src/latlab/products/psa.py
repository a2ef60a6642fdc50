# SPDX-License-Identifier: BSD-3-Clause
"""What runs of the PSA campaign have beside other runs of spans: a guide with the builds side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from latlab.products import psci

if TYPE_CHECKING:
    from latlab.campaigns.material import RunArtifacts
    from latlab.report.page import Page


def _page(material: RunArtifacts) -> Page:
    from latlab.campaigns.psa import build_results
    from latlab.report.run.psa_guide import page

    return page(build_results(material.store, material.run, material.every_build))


def _guide(material: RunArtifacts) -> Page:
    from latlab.campaigns.psa import build_results
    from latlab.report.run.psa_guide import guide

    return guide(build_results(material.store, material.run, material.every_build))


KIND = replace(psci.KIND, campaign="psa", forms=replace(psci.KIND.forms, page=_page, guide=_guide))
