# SPDX-License-Identifier: BSD-3-Clause
"""An experiment's runs in their drawn order."""
