# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx configuration: Markdown pages, warnings are errors (`make docs`)."""

project = "latlab"
copyright = "2026, the latlab authors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
autodoc_member_order = "bysource"
default_role = "code"
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "latlab"
html_static_path = ["_static"]
html_css_files = ["pictures.css"]
myst_heading_anchors = 3
