# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment tells, as sentences, tables and charts."""
