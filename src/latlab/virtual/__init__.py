# SPDX-License-Identifier: BSD-3-Clause
"""Virtual time: costs fitted, boards predicted, sweeps, model checking."""
