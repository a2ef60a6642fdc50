# SPDX-License-Identifier: BSD-3-Clause
"""Power transitions: the psci campaign, its queue model, rules and pages."""
