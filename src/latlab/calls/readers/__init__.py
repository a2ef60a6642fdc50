# SPDX-License-Identifier: BSD-3-Clause
"""The probe's stream, and files of firmware."""
