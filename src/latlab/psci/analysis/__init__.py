# SPDX-License-Identifier: BSD-3-Clause
"""From spans to verdicts: queue model, roles, rules, parts of spans."""
