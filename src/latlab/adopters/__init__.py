# SPDX-License-Identifier: BSD-3-Clause
"""What other projects import."""
