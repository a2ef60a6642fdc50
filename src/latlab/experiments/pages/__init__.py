# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment says, as sentences, tables and charts."""
