# SPDX-License-Identifier: BSD-3-Clause
"""The command line: the verbs of all products, and what they share. It computes nothing."""
