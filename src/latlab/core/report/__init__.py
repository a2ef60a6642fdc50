# SPDX-License-Identifier: BSD-3-Clause
"""From results to tables, charts and documents, for every kind of run."""
