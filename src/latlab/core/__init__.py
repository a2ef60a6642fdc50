# SPDX-License-Identifier: BSD-3-Clause
"""The core: what every product stands on. It knows none of them."""
