# SPDX-License-Identifier: BSD-3-Clause
"""PSA calls and attacks as tables and pages."""
