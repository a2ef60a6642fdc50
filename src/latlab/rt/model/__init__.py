# SPDX-License-Identifier: BSD-3-Clause
"""Wake-ups, kernel events and steal time as plain data."""
