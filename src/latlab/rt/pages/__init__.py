# SPDX-License-Identifier: BSD-3-Clause
"""Wake-ups, steal time and power cycles as tables, charts and pages."""
