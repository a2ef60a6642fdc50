# SPDX-License-Identifier: BSD-3-Clause
"""The verb run psci."""
