# SPDX-License-Identifier: BSD-3-Clause
"""A page or a table in one form each: terminal, HTML, Markdown, RST, CSV, JSON."""
